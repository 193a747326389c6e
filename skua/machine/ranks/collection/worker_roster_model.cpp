// SPDX-License-Identifier: MIT
// "The rank is quiet" under every schedule: a server with a queue and two workers with one each, who start each other, and whose tasks
// spawn others or add them, which only the server finds. When the server
// finds the rank quiet, every task has run once, the counts of all are complete, and a failure of the last one is seen. Each mutant breaks one step.
#include "skua/machine/ranks/collection/worker_roster.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "skua/machine/ranks/collection/added_tasks.hpp"
#include "skua/machine/ranks/collection/rank_failure.hpp"
#include "tests/explorer/expect.hpp"
#include "tests/explorer/explorer.hpp"
#include "tests/explorer/model_sync.hpp"
#include "tests/explorer/mutants.hpp"

namespace {

using namespace skua::explorer;
using skua::ranks::added_tasks, skua::ranks::rank_failure, skua::ranks::worker_roster;
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

/// Tasks that were added; all are alike.
template <class Sync>
class list_of_tasks {
 public:
  list_of_tasks() { tasks_.set(0); }
  list_of_tasks(list_of_tasks const& other) { tasks_.set(other.size()); }
  list_of_tasks& operator=(list_of_tasks const& other) {
    tasks_.set(other.size());
    return *this;
  }
  void put() { tasks_.set(tasks_.get() + 1); }
  [[nodiscard]] std::size_t size() const { return tasks_.get(); }

 private:
  typename Sync::template plain<std::size_t> tasks_;
};

/// What the server looks at.
enum class look : std::uint8_t { as_it_is, forgets_added, added_first };

/// Thread 0 is the server, which is given `Seeds` tasks; each of them spawns one that spawns none, or adds it.
template <class Sync, int Seeds, bool Adds = false, look Look = look::as_it_is>
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
  added_tasks<list_of_tasks<Sync>, Sync> brought;
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
    int added = Seeds;
    while (true) {
      int const seen = ended.load(memory_order_acquire);  // who sees that a worker ended sees that it is idle
      if (Adds && !brought.looks_empty()) {
        int const tasks = static_cast<int>(brought.take().size());
        arrivals.put(tasks);
        added += tasks;
      }
      if (is_quiet()) break;
      if (!arrivals.empty() && start()) continue;
      Sync::pause(ended, seen, 0);
    }
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

  [[nodiscard]] bool is_quiet() const {
    switch (Look) {
      case look::forgets_added: return roster.all_idle() && arrivals.empty();
      case look::added_first: return brought.looks_empty() && roster.all_idle() && arrivals.empty();
      case look::as_it_is: break;
    }
    return skua::ranks::is_quiet(roster, brought, arrivals);
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
    if (Adds) return brought.change([](list_of_tasks<Sync>& tasks) { tasks.put(); });
    mine.added.set(mine.added.get() + 1);
    mine.queue.put(1);
    if (roster.some_idle()) static_cast<void>(start());
  }

  void finish() {}
};

/// Two workers whose last tasks fail. The server looks meanwhile, and once more when nobody runs, before it votes
/// (collection_core::pass_on_failures).
template <class Sync>
struct failing_tasks {
  static constexpr int threads = 1 + workers;
  worker_roster<Sync> roster{workers, &memory()};
  rank_failure<int, Sync> failure;
  model_atomic<int> ended{0};

  failing_tasks() {
    failure.clear();
    for (int w = 0; w < workers; ++w) static_cast<void>(roster.start());
  }
  void run(int me) {
    if (me == 0) return serve();
    failure.fail(me);
    roster.end(static_cast<std::uint32_t>(me - 1));
    ended.fetch_add(1, memory_order_release);
    ended.notify_all();
  }
  void serve() {
    bool const early = failure.is_cancelled();
    int const first = early ? failure.first() : 0;
    require(!early || first != 0, "who sees that a task has failed finds the failure");
    for (int seen = ended.load(memory_order_acquire); !roster.all_idle(); seen = ended.load(memory_order_acquire))
      Sync::pause(ended, seen, 0);
    require(failure.is_cancelled() && failure.first() != 0, "the failure of the last task is seen");
    require(!early || failure.first() == first, "the first failure counts");
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
TEST(worker_roster_model, a_quiet_rank_has_run_what_its_tasks_added) {
  holds<rank_of_two_workers<model_sync, 1, true>>(bounded);
  holds<rank_of_two_workers<model_sync, 2, true>>(bounded);
  holds<rank_of_two_workers<model_sync, 1, true>>(
      {.model = memory_model::weak, .preemptions = 1, .stale = 2, .races = true});
}
TEST(worker_roster_model, a_quiet_rank_knows_what_has_failed) {
  holds<failing_tasks<model_sync>>({.model = memory_model::pso});
  holds<failing_tasks<model_sync>>(weak);
}
TEST(worker_roster_mutant, a_server_that_forgets_added_tasks_is_caught) {
  fails<rank_of_two_workers<model_sync, 1, true, look::forgets_added>>("the rank is quiet when", bounded);
}
TEST(worker_roster_mutant, a_server_that_looks_at_added_tasks_first_is_caught) {
  fails<rank_of_two_workers<model_sync, 1, true, look::added_first>>("the rank is quiet when", bounded);
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
