// SPDX-License-Identifier: MIT
// What a strand does where it is slow: a fork that asks for attention, thefts, the end of a stolen piece.
#include "skua/machine/threads/join/fiber.hpp"

#include "skua/machine/threads/pool/pool_core.hpp"
#include "skua/machine/threads/worker/worker.hpp"
#include "skua/machine/threads/worker/worker_slot.hpp"

namespace skua::threads {

bool stop_node::requested() const noexcept {
  for (stop_node const* n = this; n != nullptr; n = n->outer) {
    if (n->of != nullptr && n->of->wants_end()) return true;
    if (n->token != nullptr && n->token->stop_requested()) return true;
    if (n->tasks != nullptr && n->tasks->stop_requested()) return true;
  }
  return false;
}

void strand::finish(group& g, std::uint64_t children, std::uint64_t flags) noexcept {
  if (parked<>* const f = g.finish(children, flags, [this] { raise_alarm(); })) ready_ = static_cast<frame*>(f);
}

void strand::note_thefts() const noexcept {
  robbed_.note(at(), base_, [this](void* what) -> group* {
    auto& g = static_cast<group&>(*static_cast<task*>(what));
    for (stop_node const* n = stop_; n != nullptr; n = n->outer) {
      if (n->of == &g) return nullptr;  // another strand's group, of which a piece runs here
    }
    return &g;
  });
}

filed strand::as_shown(entry const& e) const noexcept {
  return {static_cast<task*>(e.task), e.extra, {{tag_.words[0]}}};
}

bool strand::make_room() noexcept {
  seat& s = at();
  bool const room = s.make_room([this] { note_thefts(); });
  if (s.in.call_help()) s.who.counts().wakeups_sent.add(1);
  if (stop_requested())
    s.poke();  // the mark stays until a fork sees no stop: there may be two, or a caller may not care
  return room;
}

advice strand::attend() noexcept {
  bool const room = make_room();
  if (stop_requested()) return advice::stop;
  if (!room) return advice::full;
  if (!tied_ && !at().slot.looks_empty() && at().thinks.gives_way()) at().who.lay_aside(static_cast<here&>(*this));
  if (!at().shows_groups()) return advice::go_on;
  at().ask_whether_to_show();  // the mark was used up
  return advice::show;
}

bool strand::run_newest_spawned(std::uint64_t key) noexcept {
  entry newest;
  // What lies there may have been taken, and be gone: only its word is looked at before it is ours.
  if (!at().spawned.peek(newest) || newest.extra != key || !at().spawned.pop()) return false;
  auto& mine = *static_cast<task*>(newest.task);
  mine.is->run(mine, 0, static_cast<here&>(*this));
  return true;
}

void strand::raise_alarm() noexcept { at().in.poke(); }

}  // namespace skua::threads
