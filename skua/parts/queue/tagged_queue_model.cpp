// SPDX-License-Identifier: MIT
// The tagged queue and its lock under every schedule: one holder at a time, which sees what the last one did; each
// entry comes out once, the oldest or newest that is wanted; a mailbox holds one entry; and the count that is read
// without the lock never keeps a worker asleep (injector.md; sleep.md). Each mutant breaks one step.
#include "skua/parts/queue/tagged_queue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "skua/parts/base/brief_lock.hpp"
#include "skua/parts/base/outcome.hpp"
#include "tests/explorer/expect.hpp"
#include "tests/explorer/explorer.hpp"
#include "tests/explorer/model_sync.hpp"
#include "tests/explorer/mutants.hpp"

namespace {

using namespace skua::explorer;
using skua::runtime::outcome;
using std::memory_order, std::memory_order_acquire, std::memory_order_relaxed, std::memory_order_release,
    std::memory_order_seq_cst;

/// A lock that tells the explorer who held it, because the explorer does not see what it guards here; and a plain
/// variable that only holders touch.
template <class Sync>
class told_lock {
 public:
  void lock() noexcept {
    lock_.lock();
    auto& w = *current_world();
    w.note("story", this, story_.value);
    guarded_.set(guarded_.get() + 1);
  }
  void unlock() noexcept {
    auto& w = *current_world();
    guarded_.set(guarded_.get() + 1);
    w.write(story_, mix(story_.value, w.history()));
    lock_.unlock();
  }

 private:
  skua::runtime::brief_lock<Sync> lock_;
  cell story_;
  typename Sync::template plain<int> guarded_{0};
};

template <class Sync>
using lane = skua::runtime::tagged_queue<int, Sync, told_lock<Sync>>;

/// Three threads hold the lock one after the other.
template <class Sync>
struct holders {
  static constexpr int threads = 3;
  skua::runtime::brief_lock<Sync> lock;
  typename Sync::template plain<int> count{0};

  void run(int me) {
    for (int times = me == 0 ? 2 : 1; times > 0; --times) {
      lock.lock();
      count.set(count.get() + 1);
      lock.unlock();
    }
  }
  void finish() { require(count.get() == 4, "nobody's turn is lost"); }
};

/// The same, and a thread that does not get the lock at once gives up.
template <class Sync>
struct holders_who_try {
  static constexpr int threads = 3;
  skua::runtime::brief_lock<Sync> lock;
  typename Sync::template plain<int> count{0};
  std::array<int, 3> turns{};

  void run(int me) {
    if (!lock.try_lock()) return;
    count.set(count.get() + 1);
    turns.at(static_cast<std::size_t>(me)) = 1;
    lock.unlock();
  }
  void finish() { require(count.get() == turns[0] + turns[1] + turns[2], "nobody's turn is lost"); }
};

/// Counts what was taken, each item once. Threads write different elements.
class takings {
 public:
  void take(int item) {
    require(count_.at(static_cast<std::size_t>(item)) == 0, "what is put in comes out once");
    ++count_.at(static_cast<std::size_t>(item));
  }
  void check(int items) { require(std::ranges::count(count_, 1) == items, "what is put in comes out"); }

 private:
  std::array<int, 5> count_{};
};

/// The owner puts in 1, 2 and 3 and takes its newest even entry; a thief takes the oldest odd ones; a neighbour puts in
/// 4 and takes the oldest that is left.
template <class Sync>
struct owner_thief_and_neighbour {
  static constexpr int threads = 3;
  lane<Sync> l;
  takings taken;

  void run(int me) {
    if (me == 0) {
      put(1);
      put(2);
      take(l, [](int i) { return i % 2 == 0; }, true);
      put(3);
      return;
    }
    if (me == 1) {
      int last = 0;
      auto const odd = [&last](int i) {
        require(i == 4 || i > last, "a thief looks at the oldest first");
        if (i != 4) last = i;
        return i % 2 != 0;
      };
      take(l, odd, false);
      return;
    }
    put(4);
    take(l, [](int) { return true; }, false);
  }
  void put(int i) { require(l.push(i), "there is memory"); }
  template <class Wanted>
  bool take(lane<Sync>& from, Wanted wanted, bool newest) {
    int got = 0;
    outcome const how = newest ? from.take_newest(got, wanted) : from.take_oldest(got, wanted);
    if (how != outcome::got) return false;
    require(!newest || wanted(got), "what was wanted");
    taken.take(got);
    return true;
  }
  void finish() {
    while (take(l, [](int) { return true; }, false)) {}
    require(l.looks_empty(), "empty is empty");
    taken.check(4);
  }
};

/// Two threads put one entry each into a mailbox, and the refused one keeps its entry; the owner empties the mailbox.
template <class Sync>
struct slot {
  static constexpr int threads = 3;
  lane<Sync> its{1};
  takings taken;

  void run(int me) {
    if (me > 0) {
      if (!its.push_if_empty(me)) taken.take(me);
      return;
    }
    empty();
    empty();
  }
  bool empty() {
    int got = 0;
    int seen = 0;
    if (its.take_oldest(got, [&seen](int) { return ++seen == 1; }) != outcome::got) return false;
    taken.take(got);
    return true;
  }
  void finish() {
    if (empty()) require(!empty(), "a slot holds one");
    taken.check(2);
  }
};

/// A worker that wants even entries announces itself, looks, and sleeps; the producer puts something in, looks at the
/// announcements and wakes the worker. Before that, the producer takes back its first entry.
template <class Sync>
struct sleeper {
  static constexpr int threads = 2;
  lane<Sync> l;
  typename Sync::template atomic<int> asleep{0};
  takings taken;

  void run(int me) {
    if (me == 0) {
      put(1);
      take([](int i) { return i == 1; });
      put(2);
      return;
    }
    for (int times = 0; times < 3; ++times) {
      asleep.store(1, memory_order_seq_cst);
      if (l.looks_empty()) asleep.wait(1, memory_order_acquire);
      if (take([](int i) { return i % 2 == 0; })) return;
    }
  }
  void put(int i) {
    require(l.push(i), "there is memory");
    if (asleep.load(memory_order_seq_cst) == 0) return;
    asleep.store(0, memory_order_seq_cst);
    asleep.notify_all();
  }
  template <class Wanted>
  bool take(Wanted wanted) {
    int got = 0;
    if (l.take_oldest(got, wanted) != outcome::got) return false;
    taken.take(got);
    return true;
  }
  void finish() {
    while (take([](int) { return true; })) {}
    taken.check(2);
  }
};

// Mutants, each of which breaks one thing.

template <memory_order Taking, memory_order Giving>
struct ordered_lock : model_sync {
  template <class T>
  struct atomic : model_atomic<T> {
    using model_atomic<T>::model_atomic;
    T exchange(T value, memory_order) noexcept { return model_atomic<T>::exchange(value, Taking); }
    void store(T value, memory_order) noexcept { model_atomic<T>::store(value, Giving); }
  };
};
using taken_without_acquire = ordered_lock<memory_order_relaxed, memory_order_release>;
using given_without_release = ordered_lock<memory_order_acquire, memory_order_relaxed>;

/// The lock first looks, and then takes: not one step.
struct torn_lock : model_sync {
  template <class T>
  struct atomic : model_atomic<T> {
    using model_atomic<T>::model_atomic;
    T exchange(T value, memory_order order) noexcept {
      T const old = model_atomic<T>::load(memory_order_acquire);
      if (old != value) model_atomic<T>::exchange(value, order);
      return old;
    }
  };
};

/// The count is a plain store, which may stay in the store buffer.
using count_stored_late = buffered_fetch_add;

/// The slot is claimed by a look and a store.
using torn_claim = torn_compare_exchange;

/// A taken entry is counted twice, as if two threads took without a lock.
struct miscounted : model_sync {
  template <class T>
  struct atomic : model_atomic<T> {
    using model_atomic<T>::model_atomic;
    T fetch_sub(T by, memory_order order) noexcept {
      T const old = model_atomic<T>::fetch_sub(by, order);
      if (old > by) model_atomic<T>::fetch_sub(by, order);
      return old;
    }
  };
};

/// All executions; for the large scripts with three threads, those with at most two preemptions. (Without a bound there
/// are 2*10^7, and none of them is wrong.)
constexpr options unbounded{.model = memory_model::pso, .races = true};

}  // namespace

TEST(tagged_queue_model, one_holder_at_a_time) {
  holds<holders<model_sync>>(unbounded);
  holds<holders_who_try<model_sync>>(unbounded);
}
TEST(tagged_queue_model, owner_thief_and_neighbour_take_every_entry_once) {
  holds<owner_thief_and_neighbour<model_sync>>({.model = memory_model::pso, .preemptions = 2, .races = true});
}
TEST(tagged_queue_model, a_slot_holds_one) {
  holds<slot<model_sync>>({.model = memory_model::pso, .preemptions = 3, .races = true});
}
TEST(tagged_queue_model, a_sleeper_misses_no_entry) { holds<sleeper<model_sync>>(unbounded); }

TEST(tagged_queue_model, holds_on_weak_memory) {
  holds<holders<model_sync>>(weak_races);
  holds<holders_who_try<model_sync>>(weak_races);
  holds<owner_thief_and_neighbour<model_sync>>(weak_races);
  holds<slot<model_sync>>(weak_races);
  holds<sleeper<model_sync>>(weak_races);
}

TEST(tagged_queue_mutant, lock_taken_without_acquire_is_caught) {
  fails<holders<taken_without_acquire>>("race", unbounded);
  fails<owner_thief_and_neighbour<taken_without_acquire>>("race", unbounded);
}
TEST(tagged_queue_mutant, lock_given_without_release_is_caught) {
  fails<holders<given_without_release>>("race", unbounded);
  fails<slot<given_without_release>>("race", unbounded);
}
TEST(tagged_queue_mutant, lock_that_looks_and_then_takes_is_caught) { fails<holders<torn_lock>>("race", unbounded); }
TEST(tagged_queue_mutant, count_stored_late_is_caught) { fails<sleeper<count_stored_late>>("deadlock", unbounded); }
TEST(tagged_queue_mutant, slot_claimed_in_two_steps_is_caught) { fails<slot<torn_claim>>("race", unbounded); }
TEST(tagged_queue_mutant, miscounted_is_caught) {
  fails<owner_thief_and_neighbour<miscounted>>("what is put in comes out", unbounded);
}
