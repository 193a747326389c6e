// SPDX-License-Identifier: MIT
// Tasks from outside come, change the scheduler, and leave, under every schedule: at no time are two schedulers in force, and who
// is alone owns what such tasks write.
#include "skua/policy/automatic/in_force.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "tests/explorer/expect.hpp"
#include "tests/explorer/explorer.hpp"
#include "tests/explorer/model_sync.hpp"
#include "tests/explorer/mutants.hpp"

namespace {

using namespace skua::explorer;
using skua::policies::automatic::in_force;

/// Three workers bring a task each; the first one brings two, one after the other. Each wants a scheduler of its own; a task that is
/// alone changes the scheduler while it runs, and writes what only such a task may write.
template <class Sync>
struct they_come_and_go {
  static constexpr int threads = 3;
  in_force<Sync>& word = immortal<in_force<Sync>>(std::size_t{0});
  model_plain<int> of_alone{0};  ///< call sites, and the task that is alone
  int alive = 0;                 ///< between arrive and leave
  std::size_t now = 0;           ///< under this scheduler
  int changes = 0;

  void run(int me) {
    auto const wanted = static_cast<std::size_t>(me + 1);
    for (int i = 0; i < (me == 0 ? 2 : 1); ++i) {
      auto const came = word.arrive(wanted);
      // No other thread runs between the operations on `word` and this.
      require(!came.is_alone || alive == 0, "alone: no other task is alive");
      if (came.is_alone) now = wanted;
      require(came.scheduler == now, "every task that is alive runs under one scheduler");
      ++alive;
      if (came.is_alone) {
        of_alone.set(of_alone.get() + 1);
        if (word.change(wanted + 10)) {
          require(alive == 1, "it changes while one task is alive");
          now = wanted + 10;
          ++changes;
        }
        if (word.is_alone()) of_alone.set(of_alone.get() + 1);
      }
      --alive;
      word.leave();
    }
  }
  void finish() { require(word.arrive(7).is_alone, "all have left"); }
};

/// Beside such tasks a reader looks at what they write.
template <class Sync>
struct one_reads {
  static constexpr int threads = 3;
  they_come_and_go<Sync> tasks;

  void run(int me) {
    if (me > 0) return tasks.run(me);
    for (int i = 0; i < 2; ++i) {
      if (!tasks.word.enter()) continue;
      require(tasks.alive == 0, "a reader comes while no task is alive");
      static_cast<void>(tasks.of_alone.get());
      static_cast<void>(tasks.of_alone.get());
      tasks.word.leave();
    }
  }
  void finish() { tasks.finish(); }
};

/// A task takes another one's arrival for none: the exchange is a load and a store.
struct torn_compare : model_sync {
  template <class T>
  struct atomic : model_atomic<T> {
    using model_atomic<T>::model_atomic;
    bool compare_exchange_weak(T& expected, T desired, std::memory_order order, std::memory_order) noexcept {
      T const seen = model_atomic<T>::load(order == std::memory_order_acq_rel ? std::memory_order_acquire : order);
      if (seen != expected) {
        expected = seen;
        return false;
      }
      this->store(desired, std::memory_order_release);
      return true;
    }
  };
};

constexpr options two_switches{.preemptions = 2, .races = true};

}  // namespace

TEST(in_force_model, one_scheduler_at_a_time_and_one_task_that_is_alone) {
  holds<they_come_and_go<model_sync>>(two_switches);
  holds<they_come_and_go<model_sync>>(weak_races);
}

TEST(in_force_model, nobody_writes_while_a_reader_is_there) {
  holds<one_reads<model_sync>>(two_switches);
  holds<one_reads<model_sync>>(weak_races);
}

TEST(in_force_mutant, a_torn_exchange_is_caught) { fails<they_come_and_go<torn_compare>>("", two_switches); }
