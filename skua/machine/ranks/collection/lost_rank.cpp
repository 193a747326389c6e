// SPDX-License-Identifier: MIT
// What a collection does when a rank dies, within process() and between two of them. protocol/recovery.md has the states.
#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "skua/machine/ranks/collection/collection_core.hpp"
#include "skua/machine/ranks/communicator/elementwise.hpp"
#include "skua/parts/base/error.hpp"

namespace skua { inline namespace v0 { namespace ranks {

/// Gives tasks the identity by which surviving ranks will know them.
void collection_core::enter_with_recovery() {
  task_bytes seeds(queue_.size() * shape_.bytes());
  for (std::size_t at = seeds.size(); at > 0;) {
    at -= shape_.bytes();
    static_cast<void>(queue_.pop(seeds.data() + at));
  }
  log_.begin(rank(), seeds);
  queue_.push_all(seeds);
  engine_.recover({.log = &log_,
                   .mended = [this](live_ranks const& live, std::span<std::byte const> lost) { mended(live, lost); },
                   .broken = [this](std::string const& why) { core_.cannot_mend(why); }},
                  core_.live());
}

void collection_core::mended(live_ranks const& live, std::span<std::byte const> lost) {
  core_.mended(live);
  std::uint64_t const tasks = lost.size() / shape_.bytes();
  if (options_.on_loss == lost_tasks::drop) {
    dropped_ += tasks;
    return;
  }
  queue_.push_all(lost);
  workers_.count_seeded(tasks);
  run_again_ += tasks;
}

/// A rank has died since the tasks were copied: without recover() its tasks would be missing.
void collection_core::expect_no_loss() const {
  core_.expect_no_loss();  // the same on ranks that have heard of it already and on others
  if (log_.dead() == core_.live().dead().size()) return;
  rank_number const dead = core_.live().dead().back();
  std::string const what =
      "rank " + std::to_string(dead) + " died, and with it tasks of the task collection '" + options_.name + "'";
  bool const runs_again = options_.on_loss == lost_tasks::run_again;
  core_.order().note_failure({.reporter = 0, .text = what, .is_death = true});
  throw rank_lost(dead, what + (runs_again ? "; allowed: recover()" : ", which cannot run again"), runs_again);
}

/// The rank throws, as every other one: messages of this process() may still come, and are dropped.
void collection_core::abandon_process() {
  core_.leave(number_);  // the collection may end before a message to it comes
  if (!recovers()) return;
  engine_.abandon();
  is_abandoned_ = true;
}

bool collection_core::recover(bool may_be_emptied) {
  expect_at_rest("recover");
  collective_call const call =
      this->call(operation::recover, may_be_emptied ? "a function that adds the tasks again" : "");
  if (options_.on_loss != lost_tasks::run_again) {
    core_.order().refuse(call, "the task collection '" + options_.name +
                                   "': recover; allowed: with .on_loss = skua::lost_tasks::run_again");
  }
  live_ranks const live = core_.live();  // one that a rank 0 ahead of this one finds dead meanwhile is another loss
  bool const has_new = is_abandoned_ ? has_new_tasks_ : has_tasks_without_copy();
  bool const has_copies = !is_abandoned_ || log_.has_copies();
  if (has_copies) log_.go_back();
  std::array<std::uint64_t, 3> sums{0, has_new ? 1U : 0U, has_copies ? 0U : 1U};
  for (rank_number const d : live.dead()) sums[0] += log_.has_copy_of(d) ? 1 : 0;
  sum_elements(core_.all(), call, std::span(sums));
  bool const has_all = sums[2] == 0 && sums[0] == live.dead().size() - log_.dead();
  if (has_all && sums[1] == 0) {
    seed_copies(live);
    copy_to_keeper(live);
    return true;
  }
  if (may_be_emptied) {
    forget_tasks(live);
    return false;
  }
  if (!has_all) {
    rank_number const dead = live.dead().back();
    core_.end_by_loss(dead, "rank " + std::to_string(dead) +
                                " died, and no rank that lives has a copy of its tasks of '" + options_.name +
                                "'; allowed: recover with a function that adds the tasks again");
  }
  std::string const text = "the task collection '" + options_.name +
                           "': recover after tasks were added or restarted since the last process(); allowed: before "
                           "that, or with a function that adds the tasks again";
  core_.order().note_failure({.reporter = 0, .text = text});
  throw usage_error(text);
}

/// This rank's tasks at the begin of the last complete process(), and those of the dead ranks whose copies it has, wait here again.
void collection_core::seed_copies(live_ranks const& live) {
  for (rank_number const d : live.dead()) {
    if (log_.has_copy_of(d)) log_.adopt(d);
  }
  log_.adopted(static_cast<rank_number>(live.dead().size()));
  begin_anew(log_.seeds().size() / shape_.bytes());
  queue_.push_all(log_.seeds());
  start_ = "where tasks started last, after the loss of a rank";
}

/// No task waits on any rank: the program adds them again.
void collection_core::forget_tasks(live_ranks const& live) {
  log_.forget(static_cast<rank_number>(live.dead().size()));
  begin_anew(0);
  start_ = "where tasks were added again, after the loss of a rank";
}

/// In seeding, with room for so many tasks. What was measured before was of other ranks.
void collection_core::begin_anew(std::uint64_t tasks) {
  workers_.drop_waiting();
  record_.clear();
  queue_.admit(tasks);
  restored_ = tasks;
  is_abandoned_ = false;
  is_restarted_ = false;
  is_measured_ = false;
  state_ = collection_state::seeding;
  seeded_.seed({});
  choice_ = {};
  relocation_ = {};
  engine_.stealing(steals_);
}

/// Another rank may die before the next process() has begun.
void collection_core::copy_to_keeper(live_ranks const& live) {
  rank_number const keeper = live.after(rank());
  if (keeper == rank()) return;
  std::vector<collectives::addressed> out;
  out.push_back({keeper, log_.seeds()});
  for (auto const& in : core_.all().send_and_receive(std::move(out), 1)) log_.keep_all(in.rank, in.body);
}

}}}  // namespace skua::v0::ranks
