// SPDX-License-Identifier: MIT
// "The rank is quiet" under every schedule: a server with a queue and two workers with one each, who start each other. When the server
// finds the rank quiet, every task has run once, and the counts of all are complete. Each mutant breaks one step.
#include "skua/machine/ranks/collection/worker_roster.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "tests/explorer/expect.hpp"
#include "tests/explorer/explorer.hpp"
#include "tests/explorer/model_sync.hpp"
#include "tests/explorer/mutants.hpp"

namespace {

using namespace skua::explorer;
using skua::ranks::worker_roster;
using std::memory_order_acq_rel, std::memory_order_acquire, std::memory_order_relaxed, std::memory_order_release;

constexpr int workers = 2;

/// A queue that thieves and its owner take from; what is in it does not matter.
class heap_of_tasks {
 public:
  void put(int tasks) noexcept { tasks_.fetch_add(tasks, memory_order_acq_rel); }
  bool take() noexcept {
    int seen = tasks_.load(memory_order_relaxed);
    while (seen > 0) {
      if (tasks_.compare_exchange_strong(seen, seen - 1, memory_order_acq_rel, memory_order_relaxed)) return true;
    }
    return false;
  }
  bool empty() const noexcept { return tasks_.load(memory_order_relaxed) == 0; }

 private:
  model_atomic<int> tasks_{0};
};

/// Thread 0 is the server, which is given `Seeds` tasks; each of them spawns one that spawns none.
template <class Sync, int Seeds>
struct rank_of_two_workers {
  static constexpr int threads = 1 + workers;
  struct worker {
    worker() {
      added.set(0);
      executed.set(0);
    }
    heap_of_tasks queue;
    model_atomic<int> called{0};
    typename Sync::template plain<int> added;
    typename Sync::template plain<int> executed;
  };

  worker_roster<Sync> roster{workers, &memory()};
  heap_of_tasks arrivals;
  std::array<worker, workers> all;
  model_atomic<int> seeds_left{Seeds};
  model_atomic<int> ended{0};
  static constexpr int closed = 1000;

  void run(int me) {
    if (me == 0) return serve();
    work(static_cast<std::uint32_t>(me - 1));
  }

  void serve() {
    arrivals.put(Seeds);
    while (true) {
      int const seen = ended.load(memory_order_acquire);  // who sees that a worker ended sees that it is idle
      if (roster.all_idle() && arrivals.empty()) break;
      if (!arrivals.empty() && start()) continue;
      Sync::pause(ended, seen, 0);
    }
    int added = Seeds;
    int executed = 0;
    for (worker& w : all) {
      added += w.added.get();
      executed += w.executed.get();
      require(w.queue.empty(), "no task is left");
      w.called.fetch_add(closed, memory_order_release);
      w.called.notify_all();
    }
    require(executed == 2 * Seeds && added == executed, "the rank is quiet when every task has run");
  }

  bool start() {
    auto const w = roster.start();
    if (!w) return false;
    all[*w].called.fetch_add(1, memory_order_release);
    all[*w].called.notify_all();
    return true;
  }

  void work(std::uint32_t me) {
    worker& mine = all[me];
    for (int calls = 0;; ++calls) {
      mine.called.wait(calls, memory_order_acquire);
      if (mine.called.load(memory_order_acquire) >= closed) return;
      while (mine.queue.take() || arrivals.take() || all[1 - me].queue.take()) execute(mine);
      roster.end(me);
      ended.fetch_add(1, memory_order_release);
      ended.notify_all();
    }
  }

  void execute(worker& mine) {
    mine.executed.set(mine.executed.get() + 1);
    if (seeds_left.load(memory_order_relaxed) == 0 || seeds_left.fetch_sub(1, memory_order_relaxed) <= 0) return;
    mine.added.set(mine.added.get() + 1);
    mine.queue.put(1);
    if (roster.some_idle()) static_cast<void>(start());
  }

  void finish() {}
};

/// Who starts a worker counts it only after it may have ended.
struct late_count : model_sync {
  template <class T>
  struct atomic : model_atomic<T> {
    using model_atomic<T>::model_atomic;
    T fetch_add(T, std::memory_order order) noexcept { return model_atomic<T>::fetch_add(0, order); }
    T fetch_sub(T, std::memory_order order) noexcept { return model_atomic<T>::fetch_sub(0, order); }
  };
};

constexpr options bounded{.preemptions = 2, .races = true};

}  // namespace

TEST(worker_roster_model, a_quiet_rank_has_run_every_task) {
  holds<rank_of_two_workers<model_sync, 1>>(bounded);
  holds<rank_of_two_workers<model_sync, 2>>(bounded);
}
TEST(worker_roster_model, a_quiet_rank_has_run_every_task_in_weak_memory) {
  holds<rank_of_two_workers<model_sync, 1>>({.model = memory_model::weak, .preemptions = 1, .stale = 2, .races = true});
}
TEST(worker_roster_mutant, relaxed_end_is_caught) {
  fails<rank_of_two_workers<ordered_fetch_sub<memory_order_relaxed>, 1>>("race", bounded);
}
TEST(worker_roster_mutant, relaxed_look_is_caught) {
  fails<rank_of_two_workers<ordered_load<memory_order_relaxed>, 1>>("race", bounded);
}
TEST(worker_roster_mutant, workers_that_nobody_counts_are_caught) {
  fails<rank_of_two_workers<late_count, 1>>("", bounded);
}
