// SPDX-License-Identifier: MIT
// wait_group under every schedule of small scripts: each enrolled waiter is woken exactly once and not too early, and
// nobody touches the group once its waiters have left. With a broken façade the scripts find the violation.
#include <gtest/gtest.h>

#include "skua/program/wait_group.hpp"
#include "tests/explorer/expect.hpp"
#include "tests/explorer/explorer.hpp"
#include "tests/explorer/model_sync.hpp"

namespace {

using namespace skua::explorer;
using skua::runtime::basic_wait_group, skua::runtime::group_waiter;

/// Set once the last waiter has left: from then on the group's memory belongs to somebody else.
bool gone = false;

/// Knows its value in memory, so that `pause` can wait for another value instead of
/// spinning; and knows when it is dead.
template <class T>
class watched_atomic : public model_atomic<T> {
 public:
  watched_atomic(T value) noexcept : model_atomic<T>(value), now_(value) {}  // NOLINT: implicit, as std::atomic

  T load(std::memory_order order) const noexcept { return alive(model_atomic<T>::load(order)); }
  void store(T value, std::memory_order order) noexcept { exchange(value, order); }
  T exchange(T value, std::memory_order order) noexcept {
    T const old = alive(model_atomic<T>::exchange(value, order));
    now_ = value;
    return old;
  }
  T fetch_add(T by, std::memory_order order) noexcept {
    T const old = alive(model_atomic<T>::fetch_add(by, order));
    now_ = old + by;
    return old;
  }
  T fetch_and(T bits, std::memory_order order) noexcept {
    T const old = alive(model_atomic<T>::fetch_and(bits, order));
    now_ = old & bits;
    return old;
  }
  bool compare_exchange_weak(T& expected, T desired, std::memory_order yes, std::memory_order no) noexcept {
    T seen = expected;
    bool const won = model_atomic<T>::compare_exchange_strong(seen, desired, yes, no);
    alive(won);
    if (won) now_ = desired;
    expected = seen;
    return won;
  }
  bool compare_exchange_strong(T& expected, T desired, std::memory_order yes, std::memory_order no) noexcept {
    return compare_exchange_weak(expected, desired, yes, no);
  }
  [[nodiscard]] T now() const noexcept { return now_; }

 private:
  // The operation was just performed, and nobody else has run since.
  template <class V>
  static V alive(V value) noexcept {
    require(!gone, "the group is not touched after its last waiter has left");
    return value;
  }
  T now_;
};

struct watched_sync : model_sync {
  template <class T>
  using atomic = watched_atomic<T>;
  template <class T>
  static void pause(watched_atomic<T> const& word, T seen) noexcept {
    current_world()->step([&word, seen] { return word.now() != seen; });
  }
};

/// The group, its waiters, and the conditions that every script checks in the end.
template <class Sync>
class scene {
 public:
  /// `waiters`: once so many have left, the group is gone; 0: the group outlives the script.
  scene(int tasks, int waiters) : expected_(waiters) {
    gone = false;
    for (int i = 0; i < tasks; ++i) group_.add();
  }

  void finish_task() {
    ++effects_;
    group_.finish();
  }
  void add_and_finish_task() {
    group_.add();
    finish_task();
  }

  /// `tasks`: at least so many tasks have ended when this returns.
  void wait(int number, int tasks) {
    sleeper& me = sleepers_[number];
    me.enrolled = group_.enroll(me);
    if (me.enrolled) me.woken.wait(0, std::memory_order_acquire);
    require(effects_ >= tasks, "nobody is woken too early");
    if (++through_ == expected_) gone = true;
  }

  void finish() {
    gone = false;
    for (sleeper& s : sleepers_) {
      require(s.calls == (s.enrolled ? 1 : 0), "an enrolled waiter is woken once, others never");
    }
    require(group_.done(), "in the end the group is at rest");
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
  sleeper sleepers_[2];
  int expected_;
  int through_ = 0;
  int effects_ = 0;
};

template <class Sync>
struct one_task_one_waiter {
  static constexpr int threads = 2;
  scene<Sync> s{1, 1};
  void run(int me) { me == 0 ? s.finish_task() : s.wait(0, 1); }
  void finish() { s.finish(); }
};

template <class Sync>
struct two_tasks_one_waiter {
  static constexpr int threads = 3;
  scene<Sync> s{2, 1};
  void run(int me) { me < 2 ? s.finish_task() : s.wait(0, 2); }
  void finish() { s.finish(); }
};

template <class Sync>
struct one_task_two_waiters {
  static constexpr int threads = 3;
  scene<Sync> s{1, 2};
  void run(int me) { me == 0 ? s.finish_task() : s.wait(me - 1, 1); }
  void finish() { s.finish(); }
};

template <class Sync>
struct two_tasks_two_waiters {
  static constexpr int threads = 3;
  scene<Sync> s{2, 2};
  void run(int me) {
    if (me == 0) {
      s.finish_task();
      s.finish_task();
    } else {
      s.wait(me - 1, 2);
    }
  }
  void finish() { s.finish(); }
};

/// A task from outside is added while others finish and wait: the count may fall to zero twice.
template <class Sync>
struct a_task_is_added_meanwhile {
  static constexpr int threads = 3;
  scene<Sync> s{1, 0};
  void run(int me) {
    if (me == 0) s.finish_task();
    if (me == 1) s.add_and_finish_task();
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
      s.finish_task();
      s.add_and_finish_task();
    } else {
      s.wait(me - 1, 1);
    }
  }
  void finish() { s.finish(); }
};

/// Compare-exchange is a load and a store: it overwrites what comes between.
struct torn_compare_exchange : watched_sync {
  template <class T>
  struct atomic : watched_atomic<T> {
    using watched_atomic<T>::watched_atomic;
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
struct never_unlocked : watched_sync {
  template <class T>
  struct atomic : watched_atomic<T> {
    using watched_atomic<T>::watched_atomic;
    T fetch_and(T bits, std::memory_order order) noexcept { return watched_atomic<T>::fetch_and(bits | T{1}, order); }
  };
};

}  // namespace

TEST(wait_group_model, one_task_wakes_one_waiter) { holds<one_task_one_waiter<watched_sync>>(); }
TEST(wait_group_model, two_tasks_wake_one_waiter) { holds<two_tasks_one_waiter<watched_sync>>(); }
TEST(wait_group_model, one_task_wakes_two_waiters) { holds<one_task_two_waiters<watched_sync>>(); }
TEST(wait_group_model, two_tasks_wake_two_waiters) { holds<two_tasks_two_waiters<watched_sync>>(); }
TEST(wait_group_model, a_task_is_added_meanwhile) { holds<a_task_is_added_meanwhile<watched_sync>>(); }
TEST(wait_group_model, the_count_falls_twice) { holds<the_count_falls_twice<watched_sync>>(); }

TEST(wait_group_mutant, torn_compare_exchange_is_caught) { fails<two_tasks_one_waiter<torn_compare_exchange>>(""); }
TEST(wait_group_mutant, never_unlocked_is_caught) { fails<one_task_two_waiters<never_unlocked>>(""); }
