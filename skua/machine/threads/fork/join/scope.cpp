// SPDX-License-Identifier: MIT
// How the children of a scope run, and how it ends.
#include "skua/machine/threads/fork/join/scope.hpp"

#include "skua/machine/threads/fork/fiber/call_in_group.hpp"
#include "skua/machine/threads/fork/fiber/fiber_at.hpp"
#include "skua/machine/threads/fork/fiber/should_yield.hpp"
#include "skua/parts/base/error.hpp"

namespace skua { inline namespace v0 { namespace runtime {

scope_group::scope_group(fiber& owner) noexcept
    : group(nullptr, bias), owner_(owner), inside_(owner.watching(), this), registered_(owner, *this) {
  // A new group has not failed, so it is as clean as what is around it.
  std::uint64_t const epoch = owner.slot().failures.now();
  if (inside_.outer == nullptr || inside_.outer->clean.is_set(epoch)) inside_.clean.set(epoch);
}

void scope_group::meet() noexcept { exposed_.meet(owner_); }

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

hint scope_group::hint_of(task const& t, std::uint64_t scope) noexcept {
  hint all = static_cast<child const&>(t).hinted();
  if (!all.place) all.place = stop_node::inherited(with_key(scope).inside_.outer).place;
  return all;
}

void scope_group::run_task(task& t, std::uint64_t its_scope, fiber& on) noexcept {
  scope_group& scope = with_key(its_scope);
  on.watch(&scope.inside_);
  bool const returned = scope.run_child(on, static_cast<child&>(t), on.slot().failures);
  on.watch(nullptr);
  on.task_ends(!returned);
  on.finish_piece(scope, 1, 0);
}

/// The closure is destroyed before the scope counts the child as ended.
inline bool scope_group::run_child(fiber& runner, child& c, failure_epoch<> const& failures) noexcept {
  return c.kind().hinted == nullptr ? call_child(runner, c, failures) : call_hinted(runner, c, failures);
}

bool scope_group::call_hinted(fiber& runner, child& c, failure_epoch<> const& failures) noexcept {
  place_id const place = c.hinted().place.value_or(no_place_hint);
  if (stop_node::adds_nothing(&inside_, place)) return call_child(runner, c, failures);
  stop_node const placed{&inside_, nullptr, nullptr, nullptr, place};
  runner.watch(&placed);
  bool const returned = call_child(runner, c, failures);
  runner.watch(&inside_);
  return returned;
}

inline bool scope_group::call_child(fiber& runner, child& c, failure_epoch<> const& failures) noexcept {
  if (inside_.requested(failures)) [[unlikely]] {
    raise(dropped);
    c.kind().drop(c);
    return false;
  }
  return call_in_group(*this, first_, runner, [&] { c.kind().call(c, runner); });
}

/// Runs the children that no thief took, newest first; then waits for the others. Leaves children to the worker's search if
/// a frame is ready, which the search resumes first, or if another region waits, with which this one takes turns.
void scope_group::end_children() noexcept {
  fiber& owner = owner_;
  failure_epoch<> const& failures = owner.slot().failures;  // also if the fiber moves: it stays in its region
  stop_node const* const outside = owner.watching();
  owner.watch(&inside_);
  std::uint32_t ran = 0;
  while (ran != forked_ && !should_yield(owner.slot(), ran) && run_newest(owner, failures)) ++ran;
  owner.watch(outside);
  forked_ -= ran;
  if (forked_ != 0) [[unlikely]]
    wait_for_stolen();
  exposed_.leave(owner);
}

/// From here on the count is the children that have not ended, plus one for the owner itself.
void scope_group::wait_for_stolen() noexcept {
  group::add(forked_ + 1 - bias);
  owner_.wait(*this, 1);
}

/// Called by the body, which watches inside_.
void scope_group::poll() {
  // No memory: runs the newest child at once. A thief that takes it instead makes room, too.
  if (!owner_.make_room() && run_newest(owner_, owner_.slot().failures))
    --forked_;  // each child notices a stop by itself
}

/// The caller subtracts the child from forked_.
inline bool scope_group::run_newest(fiber& owner, failure_epoch<> const& failures) noexcept {
  task* const newest = owner.slot().take_newest_spawned(key());
  if (newest == nullptr) return false;
  if (owner.forks().may_have_stolen()) [[unlikely]]
    owner.note_steals();  // the child checks only the nodes that it watches
  run_child(owner, static_cast<child&>(*newest), failures);
  return true;
}

}}}  // namespace skua::v0::runtime
