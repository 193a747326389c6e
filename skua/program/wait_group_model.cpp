// SPDX-License-Identifier: MIT
// wait_group under every schedule of small scripts: each enrolled waiter is woken exactly once and not too early, and
// nobody touches the group once its waiters have left. With a broken façade the scripts find the violation.
#include <gtest/gtest.h>

#include <cstdint>
#include <exception>
#include <memory>
#include <utility>

#include "skua/program/wait_group.hpp"
#include "tests/explorer/expect.hpp"
#include "tests/explorer/explorer.hpp"
#include "tests/explorer/model_sync.hpp"

namespace {

using namespace skua::explorer;
using skua::runtime::basic_wait_group, skua::runtime::group_waiter;

/// A variable of any type, whose accesses the explorer follows.
template <class T>
class guarded {
 public:
  [[nodiscard]] T get() const noexcept {
    static_cast<void>(touched_.get());
    return value_;
  }
  void set(T value) noexcept {
    touched_.set(0);
    value_ = std::move(value);
  }

 private:
  model_plain<int> touched_;
  T value_{};
};

struct group_model_sync : model_sync {
  template <class T>
  using plain = guarded<T>;
  template <class T>
  static void pause(model_atomic<T> const& word, T seen) noexcept {
    word.pause(seen);
  }
};

enum class what : std::uint8_t { nothing, failure, cancelled };

/// The group, its waiters, and the conditions that every script checks in the end.
template <class Sync>
class scene {
 public:
  /// `waiters`: once so many have left, the group ends; 0: the group outlives the script.
  scene(int tasks, int waiters) : expected_(waiters) {
    for (int i = 0; i < tasks; ++i) group_.add();
  }

  /// `number`: of the task.
  void finish_task(int number, bool fails = false) {
    effects_[number].set(1);
    if (fails) group_.fail(std::make_exception_ptr(number));
    group_.finish();
  }
  /// Both tasks run here, and are counted together.
  void finish_both() {
    for (auto& e : effects_) e.set(1);
    group_.finish(2);
  }
  /// The task ends with `cancelled`, though nobody has cancelled the group.
  void finish_early(int number) {
    effects_[number].set(1);
    group_.end_early();
    group_.finish();
  }
  void count_another() {
    group_.add();
    group_.finish();
  }
  void add_and_finish_task(int number, bool fails = false) {
    group_.add();
    finish_task(number, fails);
  }

  /// `tasks`: so many have ended when this returns. `looks_first`, as the executor does: a waiter that finds nothing out does
  /// not enroll.
  void wait(int number, int tasks, bool looks_first = false) {
    sleeper& me = sleepers_[number];
    me.enrolled = !(looks_first && group_.done()) && group_.enroll(me);
    if (me.enrolled) me.woken.wait(0, std::memory_order_acquire);
    for (int i = 0; i < tasks; ++i) require(effects_[i].get() == 1, "a waiter sees what the tasks did");
  }
  /// After `wait`: the group ends with its last waiter.
  void leave() {
    if (through_.fetch_add(1, std::memory_order_acq_rel) + 1 != expected_) return;
    require(group_.done(), "nothing is out when the last waiter leaves");
    if (current_world()->violation().empty()) std::destroy_at(&group_);
  }
  /// A bound of one. What finds no room is run by whoever adds it, and counted all the same.
  void add_to_at_most_one(int number) {
    bool const has_room = group_.add_below(1);
    if (!has_room) group_.add();
    if (has_room) require(in_room_.fetch_add(1, std::memory_order_relaxed) == 0, "no two take the only room");
    effects_[number].set(1);
    if (has_room) in_room_.fetch_sub(1, std::memory_order_relaxed);
    group_.finish();
  }
  [[nodiscard]] bool stop_requested() const { return group_.stop_requested(); }
  what take_what_failed() {
    std::exception_ptr const failure = group_.take_outcome().failure;
    if (failure == nullptr) return what::nothing;
    try {
      std::rethrow_exception(failure);
    } catch (skua::cancelled const&) {
      return what::cancelled;
    } catch (...) {
      return what::failure;
    }
  }
  bool take_failure() { return group_.take_outcome().failure != nullptr; }

  void finish() {
    for (sleeper& s : sleepers_) {
      require(s.calls == (s.enrolled ? 1 : 0), "an enrolled waiter is woken once, others never");
    }
    if (expected_ > 0) return;
    require(group_.done(), "in the end the group is at rest");
    static_cast<void>(take_failure());
  }

 private:
  struct sleeper : group_waiter {
    sleeper() : group_waiter{.wake = &rouse} {}
    static void rouse(group_waiter& w) noexcept {
      auto& self = static_cast<sleeper&>(w);
      ++self.calls;
      self.next = nullptr;  // the node's memory may now be anything
      self.woken.exchange(1, std::memory_order_release);
      self.woken.notify_all();
    }
    model_atomic<int> woken{0};
    int calls = 0;
    bool enrolled = false;
  };

  basic_wait_group<Sync>& group_ = immortal<basic_wait_group<Sync>>();
  model_plain<int> effects_[2];
  sleeper sleepers_[2];
  int expected_;
  model_atomic<int> through_{0};
  model_atomic<int> in_room_{0};
};

template <class Sync, bool LooksFirst = false>
struct one_task_one_waiter {
  static constexpr int threads = 2;
  scene<Sync> s{1, 1};
  void run(int me) {
    if (me == 0) return s.finish_task(0);
    s.wait(0, 1, LooksFirst);
    s.leave();
  }
  void finish() { s.finish(); }
};

template <class Sync>
struct two_tasks_one_waiter {
  static constexpr int threads = 3;
  scene<Sync> s{2, 1};
  void run(int me) {
    if (me < 2) return s.finish_task(me);
    s.wait(0, 2);
    s.leave();
  }
  void finish() { s.finish(); }
};

template <class Sync>
struct one_task_two_waiters {
  static constexpr int threads = 3;
  scene<Sync> s{1, 2};
  void run(int me) {
    if (me == 0) return s.finish_task(0);
    s.wait(me - 1, 1);
    s.leave();
  }
  void finish() { s.finish(); }
};

template <class Sync>
struct two_tasks_two_waiters {
  static constexpr int threads = 3;
  scene<Sync> s{2, 2};
  void run(int me) {
    if (me == 0) {
      s.finish_task(0);
      s.finish_task(1);
      return;
    }
    s.wait(me - 1, 2);
    s.leave();
  }
  void finish() { s.finish(); }
};

/// A third task runs on another thread than two that are counted together.
template <class Sync>
struct two_are_counted_together {
  static constexpr int threads = 3;
  scene<Sync> s{2, 0};
  void run(int me) {
    if (me == 0) s.finish_both();
    if (me == 1) s.count_another();
    if (me == 2) s.wait(0, 2);
  }
  void finish() { s.finish(); }
};
template <class Sync>
struct two_together_wake_two_waiters {
  static constexpr int threads = 3;
  scene<Sync> s{2, 2};
  void run(int me) {
    if (me == 0) return s.finish_both();
    s.wait(me - 1, 2);
    s.leave();
  }
  void finish() { s.finish(); }
};

/// A task from outside is added while others finish and wait: the count may fall to zero twice.
template <class Sync>
struct a_task_is_added_meanwhile {
  static constexpr int threads = 3;
  scene<Sync> s{1, 0};
  void run(int me) {
    if (me == 0) s.finish_task(0);
    if (me == 1) s.add_and_finish_task(1);
    if (me == 2) s.wait(0, 1);
  }
  void finish() { s.finish(); }
};

/// The same with a second waiter, and the finishing task adds the new one.
template <class Sync>
struct the_count_falls_twice {
  static constexpr int threads = 3;
  scene<Sync> s{1, 0};
  void run(int me) {
    if (me == 0) {
      s.finish_task(0);
      s.add_and_finish_task(1);
    } else {
      s.wait(me - 1, 1);
    }
  }
  void finish() { s.finish(); }
};

/// Two threads start a task each at a bound of one, and somebody waits for what he finds.
template <class Sync>
struct two_start_at_a_bound_of_one {
  static constexpr int threads = 3;
  scene<Sync> s{0, 0};
  void run(int me) { me < 2 ? s.add_to_at_most_one(me) : s.wait(0, 0); }
  void finish() { s.finish(); }
};

/// Both tasks fail; one of them belongs to the round that the waiter waits for, or both.
template <class Sync>
struct failures {
  static constexpr int threads = 3;
  static constexpr bool begins_afresh = true;  // it keeps exceptions
  scene<Sync> s{1, 0};
  void run(int me) {
    if (me == 0) s.finish_task(0, true);
    if (me == 1) s.add_and_finish_task(1, true);
    if (me != 2) return;
    s.wait(0, 1);
    require(s.take_failure(), "a failure reaches the waiter");
  }
  void finish() { s.finish(); }
};

/// A task ends early, and the other one fails or does not. The waiter is told once, of the failure if there is one; then the group is as new,
/// and ends.
template <class Sync, bool Fails>
struct a_task_ends_early {
  static constexpr int threads = 3;
  static constexpr bool begins_afresh = true;  // it keeps exceptions
  scene<Sync> s{2, 1};
  void run(int me) {
    if (me == 0) return s.finish_early(0);
    if (me == 1) return s.finish_task(1, Fails);
    s.wait(0, 2);
    require(s.stop_requested(), "an early end cancels the group");
    require(s.take_what_failed() == (Fails ? what::failure : what::cancelled),
            "a waiter is told that a task ended early");
    require(s.take_what_failed() == what::nothing && !s.stop_requested(), "it is told once");
    s.leave();
  }
  void finish() { s.finish(); }
};

/// A waiter of an earlier round takes the outcome late, when a task of the next round fails.
template <class Sync>
struct failure_of_the_next_round {
  static constexpr int threads = 2;
  static constexpr bool begins_afresh = true;  // it keeps exceptions
  scene<Sync> s{0, 0};
  void run(int me) {
    if (me == 0) s.add_and_finish_task(0, true);
    if (me == 1) static_cast<void>(s.take_failure());
  }
  void finish() { s.finish(); }
};

/// Compare-exchange is a load and a store: it overwrites what comes between.
struct torn_compare_exchange : group_model_sync {
  template <class T>
  struct atomic : model_atomic<T> {
    using model_atomic<T>::model_atomic;
    bool compare_exchange_weak(T& expected, T desired, std::memory_order order, std::memory_order) noexcept {
      T const seen = this->load(order);
      bool const won = seen == expected;
      expected = seen;
      if (won) this->exchange(desired, order);
      return won;
    }
  };
};

/// The lock bit is never cleared.
struct never_unlocked : group_model_sync {
  template <class T>
  struct atomic : model_atomic<T> {
    using model_atomic<T>::model_atomic;
    T fetch_and(T bits, std::memory_order order) noexcept { return model_atomic<T>::fetch_and(bits | T{1}, order); }
  };
};

constexpr options races{.races = true};

template <class Script>
void holds_in_all_models() {
  holds<Script>(races);
  holds<Script>(weak_races);
}

}  // namespace

TEST(wait_group_model, one_task_wakes_one_waiter) { holds_in_all_models<one_task_one_waiter<group_model_sync>>(); }
TEST(wait_group_model, two_tasks_wake_one_waiter) { holds_in_all_models<two_tasks_one_waiter<group_model_sync>>(); }
TEST(wait_group_model, one_task_wakes_two_waiters) { holds_in_all_models<one_task_two_waiters<group_model_sync>>(); }
TEST(wait_group_model, two_tasks_wake_two_waiters) { holds_in_all_models<two_tasks_two_waiters<group_model_sync>>(); }
TEST(wait_group_model, tasks_are_counted_together) {
  holds_in_all_models<two_are_counted_together<group_model_sync>>();
  holds_in_all_models<two_together_wake_two_waiters<group_model_sync>>();
}
TEST(wait_group_model, a_task_is_added_meanwhile) {
  holds_in_all_models<a_task_is_added_meanwhile<group_model_sync>>();
}
TEST(wait_group_model, the_count_falls_twice) { holds_in_all_models<the_count_falls_twice<group_model_sync>>(); }
TEST(wait_group_model, a_waiter_that_finds_nothing_out_sees_what_the_tasks_did) {
  holds_in_all_models<one_task_one_waiter<group_model_sync, true>>();
}
TEST(wait_group_model, a_late_waiter_may_take_a_failure_of_the_next_round) {
  holds_in_all_models<failure_of_the_next_round<group_model_sync>>();
}
TEST(wait_group_model, a_bound_lets_one_in) { holds_in_all_models<two_start_at_a_bound_of_one<group_model_sync>>(); }
TEST(wait_group_model, an_early_end_reaches_the_waiter) {
  holds_in_all_models<a_task_ends_early<group_model_sync, false>>();
  holds_in_all_models<a_task_ends_early<group_model_sync, true>>();
}
TEST(wait_group_model, failures_reach_the_waiter) { holds_in_all_models<failures<group_model_sync>>(); }

TEST(wait_group_mutant, torn_compare_exchange_is_caught) {
  fails<two_tasks_one_waiter<torn_compare_exchange>>("", races);
}
TEST(wait_group_mutant, torn_compare_exchange_lets_two_in_at_a_bound_of_one) {
  fails<two_start_at_a_bound_of_one<torn_compare_exchange>>("", races);
}
TEST(wait_group_mutant, never_unlocked_is_caught) { fails<one_task_two_waiters<never_unlocked>>("", races); }
