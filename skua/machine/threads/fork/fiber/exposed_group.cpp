// SPDX-License-Identifier: MIT
#include "skua/machine/threads/fork/fiber/exposed_group.hpp"

#include "skua/machine/threads/fork/fiber/exposing.hpp"
#include "skua/machine/threads/fork/fiber/fiber_at.hpp"
#include "skua/machine/threads/fork/fiber/moving.hpp"
#include "skua/machine/threads/fork/fiber/worker_trace.hpp"
#include "skua/machine/threads/lane/time_account.hpp"
#include "skua/parts/context/sanitizer.hpp"

namespace skua { inline namespace v0 { namespace runtime {

namespace {

/// May write on `task`, which is a copy of the owner's tag.
task_tag meet_group(fiber& owner, task_tag& task, double total_work, std::uint64_t n) noexcept {
  tsan::unseen const scheduling;
  return owner.slot().policy.meet(task, total_work, n);
}

}  // namespace

exposed_group::exposed_group(fiber& owner, group& g, std::uint64_t n, double total_work) noexcept
    : owner_(owner), group_(g), children_(n), node_{owner.watching(), &g}, registered_(owner, g), task_(owner.tag()),
      whole_(meet_group(owner, task_, total_work, n)), rest_(whole_) {
  begin_exposed(owner_, group_, node_);
  tsan::unseen const scheduling;
  owner_.slot().trace.exposes(n);
}

exposed_group::~exposed_group() { owner_.watch(node_.outer); }

bool exposed_group::sends(std::uint64_t i, hint const& hint) noexcept {
  tsan::unseen const scheduling;
  fiber_slot& mine = owner_.slot();
  child_ = mine.policy.mark(rest_, hint);
  placement const to = mine.place(child_, cause::forked);
  tagged_entry entry{&group_, i | alone, child_};
  if (to.worker != mine.id) {
    bool const sent = sends_away(entry, to);
    child_ = entry.tag;
    return sent;
  }
  return to.lane == lane::migrated && moving::keep(mine, mine.migrated, entry);
}

/// Sending a child is scheduling time; the rest of an exposed group is work time, as push and pop are (README.md).
bool exposed_group::sends_away(tagged_entry& entry, placement const& to) noexcept {
  fiber_slot& mine = owner_.slot();
  mine.begin(activity::scheduling);
  bool const sent = mine.send(entry, to);
  mine.begin(activity::working);
  return sent;
}

void exposed_group::keep(std::uint64_t i) noexcept {
  tsan::unseen const scheduling;
  fiber_slot& mine = owner_.slot();
  after_ = i + 1;
  if (after_ < children_ && moving::keep(mine, mine.local, tagged_entry{&group_, after_, rest_})) rest_at_ = &mine;
  owner_.know(child_);
  mine.update_exposure();
}

bool exposed_group::comes_back() noexcept {
  tsan::unseen const scheduling;
  fiber_slot& now = owner_.slot();
  now.policy.learn(returned{child_});
  now.update_exposure();
  if (after_ == children_) return false;
  tagged_entry back;
  auto const is_mine = [this](tagged_entry const& f) { return f.item == &group_ && f.extra == after_; };
  if (rest_at_ != nullptr && rest_at_->local.take_newest(back, is_mine) != outcome::got) return false;
  owner_.know(rest_);
  return true;
}

void exposed_group::wait(std::uint64_t mine) noexcept {
  owner_.know(task_);
  owner_.note_steals();
  owner_.wait(group_, mine + 1);
  go_on(owner_, whole_);
}

/// The owner is past the group, and continues on the worker that the policy chooses.
void exposed_group::go_on(fiber& owner, task_tag const& group) noexcept {
  {
    tsan::unseen const scheduling;
    owner.slot().policy.leave(owner.tag(), group);
  }
  owner.relocate();
  owner.slot().update_exposure();
}

void exposed_scope::meet(fiber& owner) noexcept {
  if (is_met_) return;
  tsan::unseen const scheduling;
  is_met_ = true;
  task_ = owner.tag();
  whole_ = owner.slot().policy.meet(task_, 0, 0);
  owner.know(whole_);
  owner.slot().update_exposure();
}

void exposed_scope::leave(fiber& owner) noexcept {
  if (!is_met_) return;
  owner.know(task_);
  exposed_group::go_on(owner, whole_);
}

}}}  // namespace skua::v0::runtime
