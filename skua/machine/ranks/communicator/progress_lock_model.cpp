// SPDX-License-Identifier: MIT
// The rank's thread and the progress thread never hold the progress lock at once, and each sees what the other wrote, under every schedule. Each
// mutant breaks one order or fence.
#include "skua/machine/ranks/communicator/progress_lock.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <type_traits>

#include "tests/explorer/expect.hpp"
#include "tests/explorer/explorer.hpp"
#include "tests/explorer/model_sync.hpp"
#include "tests/explorer/mutants.hpp"

namespace {

using namespace skua::explorer;
using skua::ranks::progress_lock, skua::ranks::held_in_task, skua::ranks::lent_in_task;
using std::memory_order_acquire, std::memory_order_relaxed, std::memory_order_release;

/// Thread 0 owns the lock and runs `Tasks` tasks, each of which calls the library once; thread 1 polls when it can.
template <class Sync, int Tasks>
struct a_rank_and_its_progress_thread {
  static constexpr int threads = 2;
  progress_lock<Sync> lock;
  typename Sync::template plain<int> messages;
  typename Sync::template plain<int> polled;

  a_rank_and_its_progress_thread() {
    messages.set(0);
    polled.set(0);
  }

  void run(int me) { me == 0 ? own() : help(); }

  void touch() { messages.set(messages.get() + 1); }

  void own() {
    for (int task = 0; task < Tasks; ++task) {
      touch();
      lent_in_task const lent(&lock);
      held_in_task const held(&lock);
      touch();
    }
    touch();
  }

  void help() {
    for (int tries = 0; tries < 2; ++tries) {
      std::uint64_t const task = lock.lent_in();
      if (task == 0 || !lock.borrow(task)) continue;
      touch();
      polled.set(polled.get() + 1);
      lock.give_back();
    }
  }

  void finish() { require(messages.get() == 2 * Tasks + 1 + polled.get(), "no message is lost"); }
};

struct without_light_fence : model_sync {
  static void light_fence() noexcept {}
};
struct without_heavy_fence : model_sync {
  static void heavy_fence() noexcept {}
};
/// Only the loads of `borrowed_`, which is a word of 32 bits, or only those of `lent_`, of 64.
template <class Word>
struct relaxed_load_of : model_sync {
  template <class T>
  struct atomic : model_atomic<T> {
    using model_atomic<T>::model_atomic;
    T load(std::memory_order order) const noexcept {
      return model_atomic<T>::load(std::is_same_v<T, Word> ? memory_order_relaxed : order);
    }
  };
};

constexpr options bounded{.model = memory_model::weak, .preemptions = 3, .stale = 2, .races = true};

}  // namespace

TEST(progress_lock_model, one_of_the_two_polls) {
  holds<a_rank_and_its_progress_thread<model_sync, 1>>(weak_races);
  holds<a_rank_and_its_progress_thread<model_sync, 2>>(bounded);
  holds<a_rank_and_its_progress_thread<model_sync, 2>>({.model = memory_model::pso, .races = true});
}
TEST(progress_lock_model, one_of_the_two_polls_without_membarrier) {
  holds<a_rank_and_its_progress_thread<full_model_sync, 2>>(bounded);
}
TEST(progress_lock_mutant, missing_light_fence_is_caught) {
  fails<a_rank_and_its_progress_thread<without_light_fence, 1>>("", bounded);
}
TEST(progress_lock_mutant, missing_heavy_fence_is_caught) {
  fails<a_rank_and_its_progress_thread<without_heavy_fence, 1>>("", bounded);
}
TEST(progress_lock_mutant, relaxed_lend_is_caught) {
  fails<a_rank_and_its_progress_thread<ordered_store_of<std::uint64_t, memory_order_relaxed>, 1>>("race", bounded);
}
TEST(progress_lock_mutant, relaxed_give_back_is_caught) {
  fails<a_rank_and_its_progress_thread<ordered_store_of<std::uint32_t, memory_order_relaxed>, 1>>("race", bounded);
}
TEST(progress_lock_mutant, relaxed_borrow_is_caught) {
  fails<a_rank_and_its_progress_thread<relaxed_load_of<std::uint64_t>, 1>>("race", bounded);
}
TEST(progress_lock_mutant, relaxed_take_back_is_caught) {
  fails<a_rank_and_its_progress_thread<relaxed_load_of<std::uint32_t>, 1>>("race", bounded);
}
