// SPDX-License-Identifier: MIT
// Finish regions under every schedule: a region ends once, not before its last task has, and the worker that ends it sees what all
// tasks did (finish.md). Each mutant breaks one step.
#include "skua/machine/threads/fork/finish/finish_count.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "tests/explorer/expect.hpp"
#include "tests/explorer/explorer.hpp"
#include "tests/explorer/model_sync.hpp"

namespace {

using namespace skua::explorer;
using skua::runtime::finish_count, skua::runtime::finish_share;
using std::memory_order, std::memory_order_acquire, std::memory_order_relaxed, std::memory_order_release;

/// A region whose tasks each write down that they ran.
template <class Sync, int Tasks>
struct region {
  finish_count<Sync> counted;
  std::array<typename Sync::template plain<int>, Tasks> ran;
  model_atomic<int> ends{0};

  finish_count<Sync>& count() noexcept { return counted; }
  bool ended() noexcept {
    for (auto& r : ran) require(r.get() == 1, "the region ends after its last task");
    require(ends.fetch_add(1, memory_order_relaxed) == 0, "the region ends once");
    return true;
  }
};

/// A task in a lane: the first to take it has it.
template <class Sync>
struct lane {
  model_atomic<bool> waiting{false};
  void put() { waiting.store(true, memory_order_release); }
  bool take() { return waiting.exchange(false, memory_order_acquire); }
};

/// The body runs on worker 0 and spawns tasks; task 1 spawns task 2. The other workers steal.
template <class Sync, int Workers>
struct body_and_thieves {
  static constexpr int threads = Workers;
  static constexpr int tasks = 3;
  using tested = region<Sync, tasks>;
  tested all;
  std::array<lane<Sync>, tasks> each;  ///< task i may be taken once it is there
  std::array<finish_share<tested>, Workers> shares;

  body_and_thieves() {
    for (auto& r : all.ran) r.set(0);
  }
  void run(int me) {
    finish_share<tested>& mine = shares.at(static_cast<std::size_t>(me));
    if (me == 0) {
      spawn(mine, 0);
      spawn(mine, 1);
      static_cast<void>(mine.add(all, -1));  // the body ends
      if (Workers == 2) run_one(mine, 0);
    } else {
      run_one(mine, 1);
      run_one(mine, 2);
      run_one(mine, 0);
    }
    static_cast<void>(mine.leave());
  }
  void spawn(finish_share<tested>& mine, int task) {
    static_cast<void>(mine.add(all, 1));
    each.at(static_cast<std::size_t>(task)).put();
  }
  void run_one(finish_share<tested>& mine, int task) {
    if (!each.at(static_cast<std::size_t>(task)).take()) return;
    if (task == 1) spawn(mine, 2);
    auto& ran = all.ran.at(static_cast<std::size_t>(task));
    ran.set(ran.get() + 1);
    static_cast<void>(mine.add(all, -1));
  }
  void finish() {
    finish_share<tested> last;
    for (int task = 0; task < tasks; ++task) run_one(last, task);
    static_cast<void>(last.leave());
    require(all.ends.load(memory_order_relaxed) == 1, "the region ends");
  }
};

/// Worker 1 turns from a task of the inner region to one of the outer region; worker 0 waits for neither.
template <class Sync>
struct two_regions {
  static constexpr int threads = 2;
  using tested = region<Sync, 1>;
  tested outer;
  tested inner;
  lane<Sync> of_outer;
  lane<Sync> of_inner;
  std::array<finish_share<tested>, 2> shares;

  two_regions() {
    outer.ran[0].set(0);
    inner.ran[0].set(0);
  }
  void run(int me) {
    finish_share<tested>& mine = shares.at(static_cast<std::size_t>(me));
    if (me == 0) {
      spawn(mine, outer, of_outer);
      spawn(mine, inner, of_inner);
      static_cast<void>(mine.add(inner, -1));
      static_cast<void>(mine.add(outer, -1));
    } else {
      run_one(mine, inner, of_inner);
      run_one(mine, outer, of_outer);
    }
    static_cast<void>(mine.leave());
  }
  void spawn(finish_share<tested>& mine, tested& all, lane<Sync>& to) {
    static_cast<void>(mine.add(all, 1));
    to.put();
  }
  void run_one(finish_share<tested>& mine, tested& all, lane<Sync>& from) {
    if (!from.take()) return;
    all.ran[0].set(1);
    static_cast<void>(mine.add(all, -1));
  }
  void finish() {
    finish_share<tested> last;
    run_one(last, inner, of_inner);
    run_one(last, outer, of_outer);
    static_cast<void>(last.leave());
    require(inner.ends.load(memory_order_relaxed) == 1 && outer.ends.load(memory_order_relaxed) == 1,
            "both regions end");
  }
};

// Mutants of the atomics façade. Each breaks one thing.

/// Workers inside are not counted.
struct uncounted_workers : model_sync {
  template <class T>
  struct atomic : model_atomic<T> {
    using model_atomic<T>::model_atomic;
    T fetch_add(T by, memory_order order) noexcept {
      T const one_worker = T{1} << 40;
      T const counted = by == one_worker ? 0 : by + one_worker;
      return model_atomic<T>::fetch_add(counted, order) + counted - by;  // as if the change had been the whole one
    }
  };
};

/// Leaving orders nothing.
struct relaxed_leave : model_sync {
  template <class T>
  struct atomic : model_atomic<T> {
    using model_atomic<T>::model_atomic;
    T fetch_add(T by, memory_order) noexcept { return model_atomic<T>::fetch_add(by, memory_order_relaxed); }
  };
};

constexpr options exact{.races = true};
constexpr options bounded{.preemptions = 3, .races = true};
constexpr options one_each{.model = memory_model::weak, .preemptions = 1, .stale = 1, .races = true};

}  // namespace

TEST(finish_count_model, region_ends_once_after_its_last_task) {
  holds<body_and_thieves<model_sync, 2>>(exact);
  holds<body_and_thieves<model_sync, 2>>(weak_races);
}
TEST(finish_count_model, three_workers_end_a_region_once) {
  holds<body_and_thieves<model_sync, 3>>(bounded);
  holds<body_and_thieves<model_sync, 3>>(one_each);
}
TEST(finish_count_model, worker_that_turns_to_another_region_leaves_the_first) {
  holds<two_regions<model_sync>>(exact);
  holds<two_regions<model_sync>>(weak_races);
}

TEST(finish_count_mutant, uncounted_workers_are_caught) {
  fails<body_and_thieves<uncounted_workers, 2>>("race", exact);  // it ends before a task has written down that it ran
}
TEST(finish_count_mutant, relaxed_leave_is_caught) { fails<body_and_thieves<relaxed_leave, 2>>("race", exact); }
