// SPDX-License-Identifier: MIT
#include "skua/machine/threads/placement/exposed_group.hpp"

#include "skua/machine/threads/join/here.hpp"
#include "skua/machine/threads/placement/moving.hpp"
#include "skua/machine/threads/pool/region.hpp"
#include "skua/machine/threads/worker/worker.hpp"
#include "skua/parts/context/sanitizer.hpp"

namespace skua::threads {

namespace {

tag shown(strand& owner, double total_work, std::uint64_t n) noexcept {
  tsan::unseen const scheduling;
  return owner.at().thinks.meet(owner.known(), total_work, n);
}

}  // namespace

division::division(strand& owner, group& g, std::uint64_t n, double total_work) noexcept
    : owner_(owner), group_(g), children_(n), node_{owner.watching(), &g, nullptr, nullptr}, task_(owner.known()),
      whole_(shown(owner, total_work, n)), rest_(whole_) {
  group_.add(1);  // the owner's own share, so that the count cannot come to zero before it waits (group.md, "parking")
  owner_.surround(group_);  // a join around it may have been stolen before it could be shown
  owner_.watch(&node_);
}

division::~division() { owner_.watch(node_.outer); }

bool division::sends(std::uint64_t i, hint const& known) noexcept {
  tsan::unseen const scheduling;
  seat& mine = owner_.at();
  child_ = mine.thinks.mark(rest_, known);
  placement const to = mine.thinks.place(child_, cause::forked);
  filed const what{&group_, i | alone, child_};
  if (to.worker != mine.id) return sends_away(what, to);
  return to.where == lane::migrated && moving::keep(mine, mine.migrated, what);
}

/// To another worker: scheduling, while the rest of a division is work, as push and pop are (README.md).
bool division::sends_away(filed const& what, placement const& to) noexcept {
  seat& mine = owner_.at();
  mine.who.begin(doing::scheduling);
  bool const sent = worker::send(mine, what, to);
  mine.who.begin(doing::working);
  return sent;
}

void division::keep(std::uint64_t i) noexcept {
  tsan::unseen const scheduling;
  seat& mine = owner_.at();
  after_ = i + 1;
  if (after_ < children_ && moving::keep(mine, mine.kept, filed{&group_, after_, rest_})) filed_at_ = &mine;
  owner_.know(child_);
  mine.ask_whether_to_show();
}

bool division::comes_back() noexcept {
  tsan::unseen const scheduling;
  seat& now = owner_.at();
  now.thinks.learn(returned{child_});
  now.ask_whether_to_show();
  if (after_ == children_) return false;
  filed back;
  auto const is_mine = [this](filed const& f) { return f.what == &group_ && f.extra == after_; };
  if (filed_at_ != nullptr && filed_at_->kept.take_newest(back, is_mine) != outcome::got) return false;
  owner_.know(rest_);
  return true;
}

void division::wait(std::uint64_t mine) noexcept {
  owner_.know(task_);
  owner_.note_thefts();
  owner_.wait(group_, mine + 1);
  go_on(owner_, whole_);
}

/// The group has ended for its owner, which goes on where the policy wants.
void division::go_on(strand& owner, tag const& group) noexcept {
  {
    tsan::unseen const scheduling;
    owner.at().thinks.leave(owner.known(), group);
  }
  owner.settle();
  owner.at().ask_whether_to_show();
}

void shown_scope::meet(strand& owner) noexcept {
  if (is_met_) return;
  tsan::unseen const scheduling;
  is_met_ = true;
  task_ = owner.known();
  whole_ = owner.at().thinks.meet(task_, 0, 0);
  owner.know(whole_);
  owner.at().ask_whether_to_show();
}

void shown_scope::leave(strand& owner) noexcept {
  if (!is_met_) return;
  owner.know(task_);
  division::go_on(owner, whole_);
}

}  // namespace skua::threads
