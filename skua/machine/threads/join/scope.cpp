// SPDX-License-Identifier: MIT
// How the children of a scope run, and how it ends.
#include "skua/machine/threads/join/scope.hpp"

#include "skua/machine/threads/join/here.hpp"
#include "skua/machine/threads/worker/worker_slot.hpp"
#include "skua/parts/base/error.hpp"

namespace skua::runtime {

scope_group::scope_group(here& owner) noexcept : group(nullptr, bias, owner.watching()), owner_(owner) {}

task_kind const scope_group::kind{.run = &scope_group::run_task, .hint_of = &scope_group::hint_of};

void scope_group::add(child& c) {
  if (owner_.at().exposes_groups()) [[unlikely]]
    exposed_.meet(owner_);
  bool const wants_attention = owner_.at().spawned.push(static_cast<task*>(&c), key());
  ++forked_;
  if (wants_attention) [[unlikely]]
    poll();
}

void scope_group::finish() {
  end_children();
  rethrow_failure();
  if ((flags() & dropped) != 0) throw cancelled{};
}

void scope_group::abandon() noexcept {
  raise(abandoned);
  owner_.raise_alarm();
  end_children();
}

hint scope_group::hint_of(task const& t, std::uint64_t) noexcept {
  auto const& self = static_cast<child const&>(t);
  hint all = self.hinted;
  if (!all.place) all.place = stop_node::inherited(self.in.stop).place;
  return all;
}

void scope_group::run_task(task& t, std::uint64_t extra, here& on) noexcept {
  auto& self = static_cast<child&>(t);
  scope_group& in = self.in;
  stop_node const node{in.stop, &in, nullptr, nullptr, self.hinted.place.value_or(no_place_hint)};
  stop_node const* const before = on.watching();
  on.watch(&node);
  in.call_child(on, self, node);
  on.watch(before);
  self.destroy(&self);  // the closure dies before the scope hears of it
  if (extra == 0) return;
  on.task_ends();
  on.finish(in, 1, 0);
}

void scope_group::call_child(here& runner, child& c, stop_node const& node) noexcept {
  if (node.requested()) {
    raise(dropped);
    return;
  }
  try {
    c.call(c, runner);
  } catch (cancelled const&) {
    raise(dropped);
  } catch (...) {
    first_.keep(*this, runner);
  }
}

/// Runs the children that nobody took, newest first; then waits for the others.
void scope_group::end_children() noexcept {
  while (run_newest()) {}
  // From here on the count is the children still to be dealt with, plus one for the owner itself.
  group::add(forked_ + 1 - bias);
  owner_.wait(*this, 1);
  exposed_.leave(owner_);
}

void scope_group::poll() {
  // No memory: runs the newest child at once. A thief that takes it instead makes room, too.
  if (!owner_.make_room()) static_cast<void>(run_newest());  // each child notices a stop by itself
}

bool scope_group::run_newest() noexcept {
  bool const was_mine = owner_.run_newest_spawned(key());
  if (was_mine) --forked_;
  return was_mine;
}

}  // namespace skua::runtime
