// SPDX-License-Identifier: MIT
// A fiber that leaves its worker, under many schedules: it moves to another worker, is preempted by an entry in the
// mailbox, or waits for children that were sent away, while thieves take from the lanes that it leaves. Each child and
// each part of the fiber runs once, no worker resumes the fiber before it is saved, groups end once, and no worker
// stays idle while an entry can be taken (exposed_group.md, "Moving"). Each mutant removes or swaps one step.
#include "skua/machine/threads/fork/fiber/moving.hpp"

#include <gtest/gtest.h>

#include <array>

#include "skua/machine/threads/fork/fiber/moving_stage_for_test.hpp"
#include "tests/explorer/expect.hpp"
#include "tests/explorer/explorer.hpp"
#include "tests/explorer/model_sync.hpp"
#include "tests/explorer/mutants.hpp"

namespace {

using namespace skua::explorer;
using namespace skua::runtime::moving_stage;
using skua::policies::lane, skua::runtime::pop_join, skua::runtime::push_join, skua::worker_id;
using std::memory_order;

/// With a join open, the fiber is sent home, to worker 1, after a group has ended. Its old worker continues, or is busy
/// with something else for a long time; the other workers steal.
template <class Sync, lane Where, bool Busy, unsigned Workers, fault Fault = fault::none>
struct goes_home : scene<Sync, Fault, Workers, goes_home<Sync, Where, Busy, Workers, Fault>> {
  group<Sync>& open = immortal<group<Sync>>(2U);

  goes_home() {
    this->jobs(1);
    static_cast<void>(push_join(this->slot(), static_cast<job*>(&open), 1));
  }
  void run(int me) {
    if (me == 0) this->leave_for({.worker = worker_id{1}, .lane = Where}, me);
    if (me == 0 && Busy) return this->await_fiber();
    this->run_loop(me);
  }
  void part(int n, int me) {
    require(n > 1 || Where != lane::inbox || me == 1, "only its own worker takes from an inbox");
    if (n == 1) {
      require(!pop_join(this->slot()), "on another worker a pop finds nothing");
      if (!this->wait(open, 1, me)) return;
    }
    this->end(open, 1);
    this->fiber_has_ended();
  }
  static void errand(job&, int) {}
  void finish() {}
};

/// An errand is sent to the mailbox of worker 0, whose fiber forks and so is preempted. The errand takes longer than
/// all that the fiber has to do.
template <class Sync, unsigned Workers, fault Fault = fault::none>
struct preempts : scene<Sync, Fault, Workers, preempts<Sync, Workers, Fault>> {
  group<Sync>& open = immortal<group<Sync>>(2U);
  job long_errand{job::sort::errand};
  model_atomic<int> sent{0};

  preempts() { this->jobs(2); }
  void run(int me) {
    if (me == 0) {
      bool const must = sent.load(memory_order_acquire) == 1 && !this->slot().mailbox.looks_empty();
      bool const left = fork();
      require(left || !must || this->slot().mailbox.looks_empty(), "a fiber is preempted at its next fork");
      if (left) {
        is_aside_ = true;
        this->leave_for({.worker = worker_id{0}, .lane = lane::local}, me);
      } else {
        join(me);
      }
    }
    if (me == 1) {
      tagged_entry<Sync> const what{&long_errand};
      require(moving::send(this->slot_of(1), what, {.worker = worker_id{0}, .lane = lane::mailbox}),
              "the mailbox is empty");
      sent.exchange(1, memory_order_release);
    }
    this->run_loop(me);
  }
  /// As fiber::push and fiber::poll. True: the fiber is preempted.
  bool fork() {
    if (!push_join(this->slot(), static_cast<job*>(&open), 1)) return false;
    this->make_room();
    return !this->slot().mailbox.looks_empty();
  }
  void join(int me) {
    if (pop_join(this->slot())) {
      open.run(1);
      return over();
    }
    if (this->wait(open, 1, me)) over();
  }
  void over() {
    this->end(open, 1);
    this->fiber_has_ended();
  }
  void part(int n, int me) { n == 1 && is_aside_ ? join(me) : over(); }
  void errand(job&, int) {
    this->await_fiber();
    this->ended();
  }
  void finish() {}

 private:
  bool is_aside_ = false;
};

/// Both children of a group are sent away: one to worker 1, one to worker 0 for later. The fiber has nothing to run.
template <class Sync, unsigned Workers, fault Fault = fault::none>
struct sends_all : scene<Sync, Fault, Workers, sends_all<Sync, Workers, Fault>> {
  static constexpr std::uint64_t own_share = Fault == fault::no_own_share ? 0 : 1;
  group<Sync>& all = immortal<group<Sync>>(2U + own_share);
  frame<Sync>& from_before = immortal<frame<Sync>>(true);  // left on the stack by an earlier group

  sends_all() {
    this->jobs(1);
    all.wait_in(from_before);
  }
  void run(int me) {
    if (me == 0) {
      auto& mine = this->slot();
      require(moving::send(mine, tagged_entry<Sync>{&all, 0}, {.worker = worker_id{1}, .lane = lane::migrated}),
              "sent");
      require(moving::keep(mine, mine.migrated, tagged_entry<Sync>{&all, 1}), "there is memory");
      if (this->wait(all, own_share, me)) over();
    }
    this->run_loop(me);
  }
  void over() {
    this->end(all, 0);
    this->fiber_has_ended();
  }
  void part(int, int) { over(); }
  static void errand(job&, int) {}
  void finish() {}
};

/// Two workers send an errand each to the mailbox of worker 0. The second may be refused, and then does its own.
template <class Sync, fault Fault = fault::none>
struct two_for_a_mailbox : scene<Sync, Fault, 3, two_for_a_mailbox<Sync, Fault>> {
  std::array<job, 3> errands{job{job::sort::errand}, job{job::sort::errand}, job{job::sort::errand}};
  std::array<int, 3> done{};

  two_for_a_mailbox() { this->jobs(2); }
  void run(int me) {
    if (me > 0) {
      job& mine = errands.at(static_cast<std::size_t>(me));
      if (!moving::send(this->slot_of(me), tagged_entry<Sync>{&mine},
                        {.worker = worker_id{0}, .lane = lane::mailbox})) {
        errand(mine, me);
      }
    }
    this->run_loop(me);
  }
  void errand(job& which, int) {
    ++done.at(static_cast<std::size_t>(&which - errands.data()));
    this->ended();
  }
  static void part(int, int) {}
  void finish() { require(done[1] == 1 && done[2] == 1, "each errand is done once"); }
};

/// The last piece of a group does not see what the others wrote, nor the frame.
using unordered_subtraction = ordered_fetch_sub<memory_order_relaxed>;

// All executions of two workers with at most two preemptions; of three with at most one, and some at random. (Three
// with two, and two that preempt without a bound, have 10^6 executions each; all of them hold.)
constexpr options of_two{.preemptions = 2, .races = true};
constexpr options of_three{.preemptions = 1, .races = true};
constexpr options at_random{.random = skua::runtime::under_tsan ? 500 : 20'000, .seed = 1, .races = true};

}  // namespace

TEST(moving_model, a_task_goes_home_to_a_lane_that_thieves_see) {
  holds<goes_home<model_sync, lane::migrated, false, 2>>(of_two);
  holds<goes_home<model_sync, lane::mailbox, false, 2>>(of_two);
}
TEST(moving_model, a_task_goes_home_to_an_inbox) { holds<goes_home<model_sync, lane::inbox, false, 2>>(of_two); }
TEST(moving_model, a_task_goes_home_and_leaves_a_busy_worker) {
  holds<goes_home<model_sync, lane::migrated, true, 2>>(of_two);
  holds<goes_home<full_model_sync, lane::inbox, true, 2>>(of_two);
}
TEST(moving_model, a_task_goes_home_past_a_thief) {
  holds<goes_home<model_sync, lane::mailbox, true, 3>>(of_three);
  holds<goes_home<model_sync, lane::mailbox, true, 3>>(at_random);
  holds<goes_home<model_sync, lane::migrated, false, 3>>(at_random);
}
TEST(moving_model, a_task_is_preempted_between_two_workers) {
  holds<preempts<model_sync, 2>>({.preemptions = 3, .races = true});
}
TEST(moving_model, a_task_is_preempted_past_a_thief) {
  holds<preempts<model_sync, 3>>(of_three);
  holds<preempts<model_sync, 3>>(at_random);
}
TEST(moving_model, a_task_sends_all_its_children_away) {
  holds<sends_all<model_sync, 2>>(of_two);
  holds<sends_all<model_sync, 3>>(of_three);
}
TEST(moving_model, of_two_tasks_for_a_slot_each_runs_once) { holds<two_for_a_mailbox<model_sync>>(of_three); }
// On weak memory: all executions with at most one preemption and one stale load.
TEST(moving_model, holds_on_weak_memory) {
  constexpr options one_each{.model = memory_model::weak, .preemptions = 1, .stale = 1, .races = true};
  holds<goes_home<model_sync, lane::migrated, false, 2>>(one_each);
  holds<goes_home<model_sync, lane::mailbox, false, 2>>(one_each);
  holds<goes_home<model_sync, lane::inbox, false, 2>>(one_each);
  holds<goes_home<model_sync, lane::migrated, true, 2>>(one_each);
  holds<goes_home<full_model_sync, lane::inbox, true, 2>>(one_each);
  holds<preempts<model_sync, 2>>(one_each);
  holds<sends_all<model_sync, 2>>(one_each);
  holds<sends_all<model_sync, 3>>({.model = memory_model::weak, .preemptions = 0, .stale = 1, .races = true});
  holds<two_for_a_mailbox<model_sync>>({.model = memory_model::weak, .preemptions = 0, .stale = 1, .races = true});
}

TEST(moving_mutant, handing_over_before_it_is_saved_is_caught) {
  fails<goes_home<model_sync, lane::migrated, false, 2, fault::handed_over_before_saved>>("race: read", of_two);
}
TEST(moving_mutant, not_clearing_the_lanes_is_caught) {
  fails<goes_home<model_sync, lane::mailbox, false, 2, fault::lanes_not_cleared>>("leaves no entry behind", of_two);
}
TEST(moving_mutant, not_notifying_other_workers_is_caught) {
  fails<preempts<model_sync, 2, fault::others_not_notified>>("deadlock", {.preemptions = 3, .races = true});
}
TEST(moving_mutant, not_notifying_its_worker_is_caught) {
  fails<goes_home<model_sync, lane::inbox, false, 2, fault::owner_not_notified>>("deadlock", of_two);
}
TEST(moving_mutant, not_requesting_attention_is_caught) {
  fails<preempts<model_sync, 2, fault::no_request>>("is preempted at its next fork", of_two);
}
TEST(moving_mutant, unordered_subtraction_is_caught) { fails<sends_all<unordered_subtraction, 2>>("race", of_two); }
TEST(moving_mutant, a_missing_share_of_its_own_is_caught) {
  fails<sends_all<model_sync, 2, fault::no_own_share>>("", of_two);
}
