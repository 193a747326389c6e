// SPDX-License-Identifier: MIT
// The ordered store under many schedules: each task comes out once, thieves see slots that are filled, a compaction
// leaves neither a task behind nor a reader with what it moved, and no task that another thread has taken is asked whether it is
// dead (ordered_store.md). Each mutant breaks one step.
#include "skua/parts/ordered/ordered_store.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "tests/explorer/expect.hpp"
#include "tests/explorer/explorer.hpp"
#include "tests/explorer/model_sync.hpp"
#include "tests/explorer/mutants.hpp"

namespace {

using namespace skua::explorer;
using skua::worker_id;
using skua::runtime::ordered_store, skua::runtime::outcome, skua::runtime::requester, skua::runtime::strategy_kind,
    skua::runtime::taken_task;
using std::memory_order, std::memory_order_relaxed;

/// The owner takes the smallest number, thieves the largest.
bool smaller(void const* a, void const* b, requester const& by) {
  int const x = *static_cast<int const*>(a);
  int const y = *static_cast<int const*>(b);
  return by.steals ? x > y : x < y;
}
constexpr strategy_kind by_number{.prioritize = smaller};

/// A store of blocks of one slot, so that few pushes compact it; tasks are numbers.
template <class Sync>
class stage {
 public:
  using store = ordered_store<Sync, 1>;

  void push(int number) {
    require(tasks_.push({.task = &taken_.at(static_cast<std::size_t>(number)),
                         .kind = &by_number,
                         .value = &number,
                         .value_size = sizeof(number)}),
            "there is memory");
  }
  /// The number of the task that the owner got, or -1.
  int pop() {
    taken_task t;
    return tasks_.pop(t) == outcome::got ? note(t) : -1;
  }
  int steal(typename store::reader& by) {
    taken_task t;
    return tasks_.steal(by, t) == outcome::got ? note(t) : -1;
  }
  int steal_half(typename store::reader& by, store& into) {
    taken_task t;
    return tasks_.steal_half(by, into, t) == outcome::got ? note(t) : -1;
  }
  int pop_of(store& own) {
    taken_task t;
    return own.pop(t) == outcome::got ? note(t) : -1;
  }
  int take_of(void const* group) {
    taken_task t;
    return tasks_.take_of(group, t) == outcome::got ? note(t) : -1;
  }
  void expect_once(int tasks) {
    for (int i = 0; i < tasks; ++i) require(taken_.at(static_cast<std::size_t>(i)) == 1, "each task comes out once");
    require(tasks_.size() == 0, "the store counts right");
  }

 private:
  int note(taken_task const& t) {
    int& times = *static_cast<int*>(t.task);
    ++times;
    return static_cast<int>(&times - taken_.data());
  }

  store tasks_{requester{.worker = worker_id{0}}, memory()};
  std::array<int, 16> taken_{};
};

constexpr requester thief(unsigned n) { return {.worker = worker_id{n}, .steals = true}; }

/// The owner pushes and pops, and a thief steals meanwhile.
template <class Sync>
struct owner_and_thief {
  static constexpr int threads = 2;
  stage<Sync> on;
  typename stage<Sync>::store::reader reader{thief(1)};

  owner_and_thief() { on.push(0); }
  void run(int me) {
    if (me == 1) {
      int const first = on.steal(reader);
      int const second = on.steal(reader);
      require(first == -1 || second != first, "a task is stolen once");
      return;
    }
    on.push(1);
    static_cast<void>(on.pop());
    on.push(2);
  }
  void finish() {
    while (on.pop() >= 0) {}
    on.expect_once(3);
  }
};

/// Two thieves, of which one takes half, and an owner that pops.
template <class Sync>
struct two_thieves {
  static constexpr int threads = 3;
  stage<Sync> on;
  typename stage<Sync>::store::reader first{thief(1)};
  typename stage<Sync>::store::reader second{thief(2)};
  typename stage<Sync>::store own{requester{.worker = worker_id{2}}, memory()};

  two_thieves() {
    for (int i = 0; i < 3; ++i) on.push(i);
  }
  void run(int me) {
    if (me == 0) static_cast<void>(on.pop());
    if (me == 1) static_cast<void>(on.steal(first));
    if (me == 2) static_cast<void>(on.steal_half(second, own));
  }
  void finish() {
    while (on.pop_of(own) >= 0) {}
    while (on.pop() >= 0) {}
    on.expect_once(3);
  }
};

/// The owner's next push compacts the store, in which one task moves, while a thief that has read it steals.
template <class Sync>
struct compaction {
  static constexpr int threads = 2;
  stage<Sync> on;
  typename stage<Sync>::store::reader reader{thief(1)};

  compaction() {
    push_and_pop(0);
    on.push(9);
    on.push(10);
    for (int i = 1; i < 7; ++i) push_and_pop(i);
    require(on.steal(reader) == 10, "the largest is stolen first");  // the reader holds the slot of task 9
  }
  void push_and_pop(int i) {
    on.push(i);
    require(on.pop() == i, "the smallest goes first");
  }
  void run(int me) {
    if (me == 0) {
      on.push(7);  // compacts, unless the thief is there
      on.push(8);
      static_cast<void>(on.pop());
    } else {
      static_cast<void>(on.steal(reader));
      static_cast<void>(on.steal(reader));
    }
  }
  void finish() {
    while (on.pop() >= 0) {}
    on.expect_once(11);
  }
};

/// What a task owns, and what `is_dead` of its strategy reads. Who takes the task destroys it.
template <class Sync>
struct owned {
  typename Sync::template plain<bool> is_dead;
  int times_taken = 0;
};
template <class Sync>
struct mortal {
  owned<Sync>* task;
  int number;
  static mortal const& of(void const* v) { return *static_cast<mortal const*>(v); }
  static bool prioritize(void const* a, void const* b, requester const&) { return of(a).number < of(b).number; }
  static bool is_dead(void const* v) { return of(v).task->is_dead.get(); }
  static constexpr strategy_kind kind{.prioritize = prioritize, .is_dead = is_dead};
};

/// The owner pops, and sweeps each time; a thief steals one task, then half.
template <class Sync>
struct sweep {
  static constexpr int threads = 2;
  using store = ordered_store<Sync, 1>;
  std::array<owned<Sync>, 5> tasks;
  store mine{requester{.worker = worker_id{0}}, memory()};
  store theirs{requester{.worker = worker_id{1}}, memory()};
  typename store::reader reader{thief(1)};
  int next = 0;

  sweep() {
    for (bool const dead : {true, false, true, true}) push(dead);
  }
  void push(bool dead) {
    auto& t = tasks.at(static_cast<std::size_t>(next));
    t.is_dead.set(dead);
    mortal<Sync> const value{&t, next++};
    require(mine.push({.task = &t, .kind = &mortal<Sync>::kind, .value = &value, .value_size = sizeof(value)}),
            "there is memory");
  }
  static void end(void* task, bool is_dead) {
    auto& t = *static_cast<owned<Sync>*>(task);
    require(t.is_dead.get() == is_dead, "dead tasks are found dead, and no others");
    t.is_dead.set(!is_dead);
    ++t.times_taken;
  }
  static void drop_swept(store& of) {
    while (void* const t = of.pop_swept()) end(t, true);
  }
  static bool pop(store& of) {
    taken_task t;
    if (of.pop(t) != outcome::got) return false;
    end(t.task, t.is_dead);
    drop_swept(of);
    return true;
  }
  void run(int me) {
    if (me == 0) {
      static_cast<void>(pop(mine));
      push(true);
      static_cast<void>(pop(mine));
      return;
    }
    taken_task t;
    if (mine.steal(reader, t) == outcome::got) end(t.task, t.is_dead);
    if (mine.steal_half(reader, theirs, t) == outcome::got) end(t.task, t.is_dead);
    drop_swept(theirs);
    require(theirs.size() <= 1, "only the task that lives may have moved");
  }
  void finish() {
    while (pop(theirs)) {}
    while (pop(mine)) {}
    for (auto const& t : tasks) require(t.times_taken == 1, "each task comes out once");
    require(mine.size() == 0 && mine.weight() == 0, "the store counts right");
  }
};

/// The owner pushes, pops and compacts beside a thief with an order and one without.
template <class Sync>
struct without_an_order {
  static constexpr int threads = 3;
  stage<Sync> on;
  typename stage<Sync>::store::reader reader{thief(1)};

  without_an_order() {
    on.push(8);
    for (int i = 0; i < 6; ++i) {
      on.push(i);
      require(on.pop() == i, "the smallest goes first");
    }
    on.push(6);
  }
  void run(int me) {
    if (me == 0) {
      on.push(7);  // compacts, unless a thief is there
      static_cast<void>(on.pop());
    }
    if (me == 1) static_cast<void>(on.take_of(nullptr));
    if (me == 2) static_cast<void>(on.steal(reader));
  }
  void finish() {
    while (on.pop() >= 0) {}
    on.expect_once(9);
  }
};

// Mutants of the atomics façade. Each breaks one thing.

/// The lock excludes nobody: the owner sweeps while a thief takes.
struct open_lock : model_sync {
  template <class T>
  struct atomic : model_atomic<T> {
    using model_atomic<T>::model_atomic;
    T exchange(T value, memory_order order) noexcept {
      T const old = model_atomic<T>::exchange(value, order);
      return order == memory_order_relaxed ? old : T{};
    }
  };
};

/// A filled slot is not published with its content.
struct unpublished_slots : model_sync {
  template <class T>
  struct atomic : model_atomic<T> {
    using model_atomic<T>::model_atomic;
    void store(T value, memory_order order) noexcept {
      model_atomic<T>::store(value, std::is_same_v<T, std::uint64_t> ? memory_order_relaxed : order);
    }
  };
};

/// Taking is a look and a store.
struct torn_exchange : model_sync {
  template <class T>
  struct atomic : model_atomic<T> {
    using model_atomic<T>::model_atomic;
    T exchange(T value, memory_order order) noexcept {
      if (order != memory_order_relaxed) return model_atomic<T>::exchange(value, order);  // the lock's
      T const old = model_atomic<T>::load(memory_order_relaxed);
      model_atomic<T>::store(value, memory_order_relaxed);
      return old;
    }
  };
};

constexpr options bounded{.preemptions = 3, .races = true};

}  // namespace

TEST(ordered_store_model, each_task_comes_out_once) {
  holds<owner_and_thief<model_sync>>(bounded);
  holds<owner_and_thief<model_sync>>(weak_races);
}
TEST(ordered_store_model, thieves_take_turns) {
  holds<two_thieves<model_sync>>(bounded);
  holds<two_thieves<model_sync>>({.model = memory_model::weak, .preemptions = 1, .stale = 1, .races = true});
}
TEST(ordered_store_model, compaction_loses_nothing) {
  holds<compaction<model_sync>>(bounded);
  holds<compaction<model_sync>>(weak_races);
}
TEST(ordered_store_model, a_thief_without_an_order_takes_what_no_other_has) {
  holds<without_an_order<model_sync>>({.preemptions = 2, .races = true});
  holds<without_an_order<model_sync>>({.model = memory_model::weak, .preemptions = 1, .stale = 1, .races = true});
}
TEST(ordered_store_model, sweep_asks_no_task_that_a_thief_has) {
  holds<sweep<model_sync>>(bounded);
  holds<sweep<model_sync>>(weak_races);
}

TEST(ordered_store_mutant, open_lock_is_caught) { fails<sweep<open_lock>>("race", bounded); }
TEST(ordered_store_mutant, unpublished_slots_are_caught) { fails<owner_and_thief<unpublished_slots>>("race", bounded); }
TEST(ordered_store_mutant, torn_exchange_is_caught_without_an_order) {
  fails<without_an_order<torn_exchange>>("each task comes out once", {.preemptions = 2, .races = true});
}
TEST(ordered_store_mutant, torn_exchange_is_caught) {
  fails<owner_and_thief<torn_exchange>>("each task comes out once", bounded);
}
