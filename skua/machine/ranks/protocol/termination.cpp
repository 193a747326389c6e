// SPDX-License-Identifier: MIT
#include "skua/machine/ranks/protocol/termination.hpp"

#include "skua/parts/base/assert.hpp"

namespace skua { inline namespace v0 { namespace ranks {

void termination::begin() noexcept {
  runtime::invariant(state_ == state::left, "a rank begins after it left");
  counts_ = true;
  open();
}

void termination::begin_again(rank_number position, rank_number ranks) noexcept {
  runtime::invariant(state_ != state::left, "a loss is mended while the rank is there");
  rebuild(position, ranks);
  counts_ = false;
  open();
}

void termination::open() noexcept {
  state_ = state::open;
  rounds_ = 1;
  clean_ = true;
  children_yes_ = true;
  children_voted_ = 0;
  children_drained_ = 0;
  children_count_ = {};
}

void termination::quiet(task_count own) {
  if (state_ == state::open && children_voted_ == children()) vote(own);
  if (state_ == state::ended && children_drained_ == children()) drain();
}

void termination::vote(task_count own) {
  bool const yes = clean_ && children_yes_;
  task_count const subtree{own.added + children_count_.added, own.executed + children_count_.executed};
  clean_ = true;
  children_yes_ = true;
  children_voted_ = 0;
  children_count_ = {};
  if (!is_root()) {
    state_ = state::voted;
    outbox_.send_vote(parent(), yes, subtree);
    return;
  }
  runtime::invariant(!yes || !counts_ || subtree.added == subtree.executed, "every task ran once");
  decide(yes);
}

void termination::decide(bool ended) {
  state_ = ended ? state::ended : state::open;
  rounds_ += ended ? 0 : 1;
  each_child([&](rank_number child) { outbox_.send_decision(child, ended); });
}

void termination::drain() {
  if (is_root()) return on_leave();
  state_ = state::drained;
  outbox_.send_drained(parent());
}

void termination::on_vote(bool yes, task_count subtree) noexcept {
  children_yes_ = children_yes_ && yes;
  children_count_.added += subtree.added;
  children_count_.executed += subtree.executed;
  ++children_voted_;
  runtime::invariant(children_voted_ <= children(), "a child votes once in a round");
}

void termination::on_decision(bool ended) {
  runtime::invariant(state_ == state::voted, "a decision follows the vote");
  decide(ended);
}

void termination::on_leave() {
  state_ = state::left;
  each_child([&](rank_number child) { outbox_.send_leave(child); });
}

}}}  // namespace skua::v0::ranks
