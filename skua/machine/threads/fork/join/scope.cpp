// SPDX-License-Identifier: MIT
// How the children of a scope run, and how it ends.
#include "skua/machine/threads/fork/join/scope.hpp"

#include "skua/machine/threads/fork/fiber/call_in_group.hpp"
#include "skua/machine/threads/fork/fiber/fiber_at.hpp"
#include "skua/machine/threads/fork/fiber/should_yield.hpp"
#include "skua/parts/base/error.hpp"

namespace skua { inline namespace v0 { namespace runtime {

scope_group::scope_group(fiber& owner) noexcept
    : group(nullptr, bias), owner_(owner), inside_(owner.watching(), this), registered_(owner, *this) {}

void scope_group::add(child& c) {
  owner_.expect_running();
  if (owner_.slot().exposes_groups()) [[unlikely]]
    exposed_.meet(owner_);
  bool const wants_attention = owner_.slot().spawned.push(static_cast<task*>(&c), key());
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
  hint all = self.hinted();
  if (!all.place) all.place = stop_node::inherited(self.group.inside_.outer).place;
  return all;
}

void scope_group::run_task(task& t, std::uint64_t, fiber& on) noexcept {
  auto& self = static_cast<child&>(t);
  scope_group& scope = self.group;
  on.watch(&scope.inside_);
  bool const returned = scope.run_child(on, self);
  on.watch(nullptr);
  on.task_ends(!returned);
  on.finish_piece(scope, 1, 0);
}

/// For a fiber that watches inside_. The closure is destroyed before the scope counts the child as ended.
bool scope_group::run_child(fiber& runner, child& c) noexcept {
  bool returned = false;
  place_id const place = c.hinted().place.value_or(no_place_hint);
  if (stop_node::adds_nothing(&inside_, place)) {
    returned = call_child(runner, c);
  } else {
    stop_node const placed{&inside_, nullptr, nullptr, nullptr, place};
    runner.watch(&placed);
    returned = call_child(runner, c);
    runner.watch(&inside_);
  }
  child_kind const& its_kind = c.kind();
  its_kind.end != nullptr ? its_kind.end(&c) : give_block(&c, its_kind.bytes);
  return returned;
}

inline bool scope_group::call_child(fiber& runner, child& c) noexcept {
  if (inside_.requested(runner.slot().failures)) {
    raise(dropped);
    return false;
  }
  return call_in_group(*this, first_, runner, [&] { c.kind().call(c, runner); });
}

/// Runs the children that no thief took, newest first; then waits for the others. Leaves children to the worker's search if
/// a frame is ready, which the search resumes first, or if another region waits, with which this one takes turns.
void scope_group::end_children() noexcept {
  stop_node const* const outside = owner_.watching();
  owner_.watch(&inside_);
  for (std::uint32_t ran = 0; !should_yield(owner_.slot(), ran) && run_newest(); ++ran) {}
  owner_.watch(outside);
  // From here on the count is the children that have not ended, plus one for the owner itself.
  group::add(forked_ + 1 - bias);
  owner_.wait(*this, 1);
  exposed_.leave(owner_);
}

/// Called by the body, which watches inside_.
void scope_group::poll() {
  // No memory: runs the newest child at once. A thief that takes it instead makes room, too.
  if (!owner_.make_room()) static_cast<void>(run_newest());  // each child notices a stop by itself
}

bool scope_group::run_newest() noexcept {
  task* const newest = owner_.slot().take_newest_spawned(key());
  if (newest == nullptr) return false;
  --forked_;
  if (owner_.forks().may_have_stolen()) [[unlikely]]
    owner_.note_steals();  // the child checks only the nodes that it watches
  run_child(owner_, static_cast<child&>(*newest));
  return true;
}

}}}  // namespace skua::v0::runtime
