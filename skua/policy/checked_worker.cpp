// SPDX-License-Identifier: MIT
#include "skua/policy/checked_worker.hpp"

#include <utility>
#include <variant>

#include "skua/parts/base/assert.hpp"

namespace skua { inline namespace v0 { namespace policies {
namespace {

/// True if the tag holds only the word that a thief sees of a running task.
bool is_first_word_only(task_tag const& t) noexcept {
  return (t.words[1] | t.words[2] | t.words[3] | t.node[0] | t.node[1]) == 0;
}

std::string name_of(worker_id w) { return "worker " + std::to_string(index(w)); }

bool has_no_tags(lane where) noexcept {
  return where == lane::forks || where == lane::spawned || where == lane::ordered;
}
bool can_be_kept(lane l) noexcept { return l == lane::local || l == lane::migrated || is_of_nodes(l); }
/// Only its own workers may halve `injected`, only thieves may halve `ordered`.
bool can_ask_for(probe const& p) noexcept {
  switch (p.amount) {
    case amount::one: return true;
    case amount::half: return p.kind == action::pop && p.lane == lane::injected;
    case amount::half_work: return p.kind == action::steal && p.lane == lane::ordered;
  }
  return false;
}

}  // namespace

// ---- the policy's answers --------------------------------------------------------------------------------------------

probe checked_worker::next_probe() noexcept {
  if (checks_.of_machine) check_search();
  held_.reset();  // by now it is in the lane
  probe const p = inner_.next_probe();
  if (std::string const fault = fault_of(p); !fault.empty()) [[unlikely]] {
    breach(fault);
    return {.kind = action::rest, .victim = self_};
  }
  asked_ = p;
  admitted_ = false;
  now_ = p.kind == action::rest ? state::idle : state::probing;
  if (now_ == state::idle) note_idle();
  return p;
}

std::string checked_worker::fault_of(probe const& p) const {
  if (p.kind == action::rest) return {};
  if (index(p.victim) >= workers_) return "probes " + name_of(p.victim) + ", which does not exist";
  if (!needs_.lanes.has(p.lane)) return std::string("probes a ") + name_of(p.lane) + " lane, which it does not need";
  if (!can_ask_for(p)) return "asks for half of a lane that gives one entry at a time";
  if (p.kind == action::pop) return p.victim == self_ ? "" : "pops from a lane of " + name_of(p.victim);
  if (p.victim == self_) return "steals from itself";
  if (p.lane == lane::inbox) return "steals from an inbox, which only its own worker opens";
  if (p.lane == lane::injected) return "steals from the region's lane instead of popping";
  return {};
}

placement checked_worker::place(task_tag& task, cause why) noexcept {
  if (checks_.of_machine) check_place(task, why);
  refusals_ = why == cause::refused ? refusals_ + 1 : 0;
  if (refusals_ > checks_.most_refusals) {
    breach(checks_.most_refusals == 0
               ? "places a task in the mailbox of " + name_of(last_to_.worker) + ", which is occupied"
               : "places a task in occupied mailboxes, " + std::to_string(refusals_) + " times in a row");
    return harmless(why);
  }
  placement to = inner_.place(task, why);
  hand_out(task);
  if (std::string const fault = fault_of(to, why); !fault.empty()) [[unlikely]] {
    breach(fault);
    to = harmless(why);
  }
  note_placed(task, to, why);
  return to;
}

std::string checked_worker::fault_of(placement const& to, cause why) const {
  if (index(to.worker) >= workers_) return "places a task on " + name_of(to.worker) + ", which does not exist";
  if (why == cause::called && to.worker != self_)
    return "places a call from outside on " + name_of(to.worker) + ", not on itself";
  if (why == cause::preempted) {
    if (to.worker != self_) return "preempts a task, but places it on " + name_of(to.worker) + ", not on itself";
    if (to.lane != lane::spawned && to.lane != lane::local && to.lane != lane::migrated) {
      return "preempts a task, but does not place it in its spawned, local or migrated lane";
    }
  }
  if (why == cause::bypassed && (to.worker != self_ || !can_be_kept(to.lane))) {
    return "bypasses a task, but does not place it in its own local, migrated, next or nodes lane";
  }
  if (to.worker != self_ && to.lane != lane::inbox && to.lane != lane::mailbox && to.lane != lane::migrated &&
      to.lane != lane::nodes) {
    return "places a task on " + name_of(to.worker) + ", but not in its inbox, mailbox, migrated or nodes lane";
  }
  if (is_of_nodes(to.lane) && why != cause::released && why != cause::unblocked && why != cause::bypassed)
    return std::string("places a task in its ") + name_of(to.lane) + " lane that was not just spawned";
  if (!needs_.lanes.has(to.lane))
    return std::string("places a task in a ") + name_of(to.lane) + " lane, which it does not need";
  if (to.width == 0) return "places a task of width 0";
  if (to.width > 1 && why == cause::refused && last_to_.width > 1)
    return "places a task of width " + std::to_string(to.width) + " after a width was refused";
  return {};
}

void checked_worker::breach(std::string const& what) noexcept {
  std::string const text = name_of(self_) + " " + what;
  if (checks_.aborts) runtime::broken("protocol", text.c_str());
  tables_.is_broken.store(true, std::memory_order_relaxed);  // relaxed: its reader needs no more than the flag
  breaches_.push_back(text);
}

// ---- the machine's calls ---------------------------------------------------------------------------------------------

/// The machine reports something about a running task.
void checked_worker::goes_on(char const* activity) noexcept {
  // A fiber that waited in place continues without `begun`, and may have asked before where to continue.
  bool const has_stayed = now_ == state::in_hands && last_why_ == cause::resumed && last_to_.worker == self_;
  if ((now_ == state::idle || has_sent_away() || has_stayed) && has_waited_) {
    knows_all_ = false;
    if (has_stayed) running_.reset();
    exposed_.clear();
  } else if (now_ != state::running && now_ != state::leaving && checks_.of_machine) {
    breach(std::string(activity) + " while no task runs");
  }
  now_ = state::running;
}

void checked_worker::require_handed_out(task_tag const& t) noexcept {
  require(is_first_word_only(t) || tables_.was_handed_out(t), "uses a tag that the policy has not handed out");
}

void checked_worker::check_search() noexcept {
  require(now_ != state::probing, "searches again before it has reported its last probe");
  require(now_ != state::in_hands || has_sent_away(), "searches with a task in its hands");
  require(now_ != state::running || began_open_, "searches while a task runs");
}

task_tag checked_worker::meet(task_tag& task, double total_work, std::uint64_t n) noexcept {
  if (!checks_.of_machine) return inner_.meet(task, total_work, n);
  goes_on("meets a group");
  require(inner_.sees_forks(), "meets a group while the policy does not see forks");
  require(!running_ || task == *running_, "meets a group with another tag than that of the running task");
  task_tag const group = hand_out(inner_.meet(task, total_work, n));
  hand_out(task);
  if (running_) running_ = task;
  tables_.opened(group);
  exposed_.push_back({.task = task, .group = group, .rest = group, .children = n});
  if (n == 0) running_ = group;
  return group;
}

task_tag checked_worker::mark(task_tag& parent, hint const& hint) noexcept {
  if (!checks_.of_machine) return inner_.mark(parent, hint);
  require(now_ != state::probing, "marks a task before it has reported its probe");
  require_handed_out(parent);
  task_tag const before = parent;
  task_tag const child = hand_out(inner_.mark(parent, hint));
  marked_ = {.parent = before, .rest = hand_out(parent), .child = child};
  return child;
}

void checked_worker::check_place(task_tag const& task, cause why) noexcept {
  require_handed_out(task);
  switch (why) {
    case cause::forked: return check_child(task);
    case cause::stolen: return check_in_hands(task, asked_.kind == action::steal);
    case cause::injected: return check_in_hands(task, asked_.kind == action::pop && asked_.lane == lane::injected);
    case cause::called:
      return require(now_ == state::idle || now_ == state::leaving || has_sent_away(),
                     "begins a call from outside while it has another task or a probe to report");
    case cause::refused:
      require(task == last_ && (last_to_.width > 1 || (last_to_.worker != self_ && last_to_.lane == lane::mailbox)),
              "refuses an answer that was neither another worker's mailbox nor a width, or of another task");
      return;
    case cause::chosen:
      require(chooses_from(needs_.chosen, asked_.lane),
              "asks again for a task that was popped, which the policy does not need");
      // Not for a frame; no call says whether this is one.
      needs_place_ = needs_place_ || asked_.lane != lane::spawned;
      return check_in_hands(task, asked_.kind == action::pop);
    case cause::resumed:
      require(now_ != state::probing, "resumes a task before it has reported its probe");
      require(now_ != state::in_hands || asked_.lane == lane::injected || was_placed_,
              "resumes a task that it has not parked");
      return;
    case cause::preempted:
      require(now_ != state::probing && now_ != state::in_hands, "preempts a task that does not run");
      return;
    case cause::bypassed:
      require(needs_.released != which_tasks::none,
              "bypasses a task, which only a policy that places spawned tasks can have");
      require(now_ != state::probing && now_ != state::running, "bypasses a task, but does not begin another one then");
      return;
    case cause::released:
    case cause::unblocked:
      require(needs_.released != which_tasks::none, "asks where a spawned task goes, which the policy does not need");
      return goes_on("spawns a task");
    case cause::next:
      require(now_ == state::idle && held_ == task,
              "goes on with another task than the last one that was placed in its own lane `local`");
      return held_.reset();
    case cause::seeded: return;
  }
}

/// place(forked): the child of the youngest exposed group, which was just marked.
void checked_worker::check_child(task_tag const& task) noexcept {
  goes_on("places a child");
  require(marked_ && marked_->child == task, "places a child that it has not marked");
  if (exposed_.empty()) return require(!knows_all_, "places a child of a group that it has not met");
  exposed const& g = exposed_.back();
  require(g.now != exposed::stage::local, "places a child before the one that was kept has returned");
  require(g.placed < g.children, "places more children than the group has");
  require(!marked_ || marked_->parent == g.rest, "marks a child from another tag than what is left of its group");
}

/// place(stolen), place(injected), place(chosen).
void checked_worker::check_in_hands(task_tag const& task, bool is_from_there) noexcept {
  require(now_ == state::in_hands && needs_place_ && is_from_there, "places a task that it has not taken from there");
  require(!was_placed_, "places a task twice");
  bool const needs_mark = asked_.lane != lane::injected && has_no_tags(asked_.lane);
  require(!needs_mark || marked_, "places a stolen or popped task that it has not marked");
  require(!marked_ || marked_->child == task, "places a task with another tag than its mark");
}

void checked_worker::note_placed(task_tag const& task, placement const& to, cause why) noexcept {
  if (why == cause::bypassed) return;  // goes to a lane; says nothing of what the worker begins
  bool const is_child = why == cause::forked || (why == cause::refused && last_why_ == cause::forked);
  bool const is_running = now_ == state::running || (now_ == state::leaving && !is_waiting_);
  if (why != cause::refused) last_why_ = why;
  last_ = task;
  last_to_ = to;
  if (is_child) {
    note_child(task, why == cause::forked, to.worker == self_ && to.lane != lane::migrated);
  } else if (last_why_ == cause::preempted) {
    if (now_ == state::running) {
      now_ = state::leaving;
      is_waiting_ = false;
    }
  } else if (last_why_ == cause::released ||
             last_why_ == cause::unblocked) {  // goes to a lane; the task that spawned it runs on
    if (why == cause::unblocked && to.worker == self_ && to.width == 1 &&
        (to.lane == lane::local || to.lane == lane::next))
      held_ = task;
  } else if (last_why_ == cause::resumed && is_running) {
    resumed_ = task;
    running_ = marked_ ? marked_->rest : task;  // the mark is for this placement only
    now_ = to.worker == self_ ? now_ : state::leaving;
    is_waiting_ = false;
  } else {
    if (why == cause::called || why == cause::next) {
      asked_ = {.kind = action::pop, .lane = why == cause::next ? lane::local : lane::injected, .victim = self_};
      needs_place_ = true;
      is_frame_ = false;
    }
    now_ = state::in_hands;
    was_placed_ = true;
    is_refused_next_ = why == cause::refused && last_why_ == cause::next;
    is_frame_ = is_frame_ || last_why_ == cause::resumed;
  }
  marked_.reset();
}

/// `is_new`: asked for the first time.
void checked_worker::note_child(task_tag const& task, bool is_new, bool is_recording) noexcept {
  if (is_recording) running_ = task;
  if (exposed_.empty()) return;
  exposed& g = exposed_.back();
  if (is_new) ++g.placed;
  if (is_new && marked_) g.rest = marked_->rest;
  if (is_recording) {
    g.now = exposed::stage::local;
    g.child = task;
  }
}

void checked_worker::leave(task_tag const& task, task_tag const& group) noexcept {
  if (checks_.of_machine) check_leave(task, group);
  inner_.leave(task, group);
}

void checked_worker::check_leave(task_tag const& task, task_tag const& group) noexcept {
  goes_on("leaves a group");
  bool const was_open = tables_.closed(group);
  if (exposed_.empty()) {
    require(was_open && !knows_all_, "leaves a group that is not open");
  } else {
    exposed const& g = exposed_.back();
    require(was_open && g.group == group, "leaves another group than the youngest that is open");
    require(g.now != exposed::stage::local, "leaves a group before the child that was kept has returned");
    require(task == g.task || task == resumed_ || task == running_,
            "leaves a group with another tag than the task that met it");
    exposed_.pop_back();
  }
  running_ = task;
}

void checked_worker::learn(event const& seen) noexcept {
  if (checks_.of_machine) std::visit([this](auto const& what) { learnt(what); }, seen);
  inner_.learn(seen);
}

void checked_worker::learnt(probed const& p) noexcept {
  if (p.probe.kind == action::rest) return;
  require(now_ == state::probing && p.probe == asked_, "reports a probe that was not asked for");
  now_ = p.outcome == runtime::outcome::got ? state::in_hands : state::idle;
  if (p.outcome != runtime::outcome::got) return;
  require(p.probe.kind == action::pop || admitted_, "takes a task that the policy does not admit");
  needs_place_ = p.probe.kind == action::steal || p.probe.lane == lane::injected ||
                 (needs_.chosen == which_tasks::all && p.probe.lane == lane::spawned);
  was_placed_ = is_frame_ = false;
  marked_.reset();
}

void checked_worker::learnt(begun const& b) noexcept {
  require(now_ != state::running && now_ != state::probing, "begins a task while another runs");
  require(now_ != state::idle || b.open, "begins a task that it has not taken");
  require(owed_ == 0 || b.open || ready_frame() != owed_,
          "begins a task before a frame that was ready, and that only this worker may continue");
  owed_ = 0;
  require_handed_out(b.task);
  // An entry of a lane without tags, or from outside, is a task: it begins with the tag that `place` wrote.
  // After a task was sent on, what begins without a probe is a frame that was ready.
  bool const is_task = now_ == state::in_hands && !is_frame_ && !has_sent_away() &&
                       (has_no_tags(asked_.lane) || asked_.lane == lane::injected);
  if (now_ == state::in_hands) {
    require(!needs_place_ || was_placed_, "begins a task that it has not placed");
    require(!is_task || !was_placed_ || b.task == last_, "begins a task with another tag than it was placed with");
    require(!marked_ || b.task == marked_->child, "begins a task with another tag than its mark");
  }
  knows_all_ = is_task && !b.open;
  began_open_ = b.open;
  running_ = b.task;
  exposed_.clear();
  marked_.reset();
  now_ = state::running;
}

void checked_worker::learnt(returned const& r) noexcept {
  goes_on("reports a child that has returned");
  require_handed_out(r.child);
  if (exposed_.empty()) {
    running_.reset();
    return require(!knows_all_, "reports the return of a child that it has not kept");
  }
  exposed& g = exposed_.back();
  require(g.now == exposed::stage::local, "reports the return of a child that it has not kept");
  require(g.child == r.child, "reports the return of another child than the one that was kept");
  g.now = exposed::stage::going_on;
  running_ = g.rest;
}

void checked_worker::learnt(waiting const&) noexcept {
  goes_on("waits");
  now_ = state::leaving;
  is_waiting_ = has_waited_ = true;
  note_idle();
}

void checked_worker::learnt(ended const& e) noexcept {
  goes_on("ends a task");
  require(exposed_.empty(), "ends a task before it has left its group");
  require(!running_ || e.task == *running_, "ends a task with another tag than that of the running task");
  now_ = state::idle;
  note_idle();
}

void checked_worker::learnt(part_ended const& p) noexcept {
  goes_on("ends a part of a task");
  require(needs_.times != which_tasks::none, "reports a part of a task to a policy that needs no times");
  require(exposed_.empty(), "ends a part of a task before it has left its group");
  require(!running_ || p.task == *running_, "ends a part with another tag than that of the running task");
}

void checked_worker::learnt(team_ended const& t) noexcept {
  goes_on("ends a team");
  require(needs_.times != which_tasks::none, "reports the end of a team to a policy that needs no times");
  require(exposed_.empty(), "ends a team before its last member has left its group");
  require(!running_ || t.task == *running_, "ends a team with another tag than that of the running member");
}

void checked_worker::learnt(ordered_here const&) noexcept {
  goes_on("spawns a task with a strategy");
  require(needs_.declared_only, "reports a task with a strategy to a policy that does not need it");
}

void checked_worker::learnt(spawning const&) noexcept { goes_on("spawns a task of a task_group"); }

void checked_worker::learnt(found_beside const&) noexcept {
  require(false, "reports a task that another part of the policy has found");
}

void checked_worker::learnt(rested const&) noexcept {
  require(needs_.rests, "reports a rest to a policy that does not need it");
  require(now_ == state::idle && asked_.kind == action::rest, "reports a rest that was not the answer");
}

}}}  // namespace skua::v0::policies
