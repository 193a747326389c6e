// SPDX-License-Identifier: MIT
// What a fiber does where it is slow: a fork that asks for attention, steals, the end of a stolen piece.
#include "skua/machine/threads/join/fiber.hpp"

#include "skua/machine/threads/pool/pool_core.hpp"
#include "skua/machine/threads/worker/worker.hpp"
#include "skua/machine/threads/worker/worker_slot.hpp"

namespace skua::runtime {

bool stop_node::requested() const noexcept {
  for (stop_node const* n = this; n != nullptr; n = n->outer) {
    if (n->of != nullptr && n->of->wants_end()) return true;
    if (n->token != nullptr && n->token->stop_requested()) return true;
    if (n->tasks != nullptr && n->tasks->stop_requested()) return true;
  }
  return false;
}

void fiber::finish(group& g, std::uint64_t children, std::uint64_t flags) noexcept {
  if (parked<>* const f = g.finish(children, flags, [this] { raise_alarm(); })) ready_ = static_cast<frame*>(f);
}

void fiber::note_steals() const noexcept {
  stolen_.note(at(), base_, [this](void* what) -> group* {
    auto& g = static_cast<group&>(*static_cast<task*>(what));
    for (stop_node const* n = stop_; n != nullptr; n = n->outer) {
      if (n->of == &g) return nullptr;  // another fiber's group, of which a piece runs here
    }
    return &g;
  });
}

tagged_entry fiber::as_published(entry const& e) const noexcept {
  return {static_cast<task*>(e.task), e.extra, {{tag_.words[0]}}};
}

bool fiber::make_room() noexcept {
  worker_slot& s = at();
  bool const room = s.make_room([this] { note_steals(); });
  if (s.in.notify_work()) s.who.counts().wakeups_sent.add(1);
  if (stop_requested())
    s.request_attention();  // the mark stays until a fork sees no stop: there may be two, or a caller may not care
  return room;
}

advice fiber::poll() noexcept {
  bool const room = make_room();
  if (stop_requested()) return advice::stop;
  if (!room) return advice::full;
  if (!tied_ && !at().mailbox.looks_empty() && at().policy.preempts()) at().who.preempt(static_cast<here&>(*this));
  if (!at().exposes_groups()) return advice::go_on;
  at().update_exposure();  // the mark was used up
  return advice::expose;
}

bool fiber::run_newest_spawned(std::uint64_t key) noexcept {
  entry newest;
  // What lies there may have been taken, and be gone: only its word is looked at before it is ours.
  if (!at().spawned.peek(newest) || newest.extra != key || !at().spawned.pop()) return false;
  auto& mine = *static_cast<task*>(newest.task);
  mine.is->run(mine, 0, static_cast<here&>(*this));
  return true;
}

void fiber::raise_alarm() noexcept { at().in.request_attention(); }

}  // namespace skua::runtime
