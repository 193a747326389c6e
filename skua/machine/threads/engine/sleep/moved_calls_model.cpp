// SPDX-License-Identifier: MIT
// A task from outside that a worker moves to its lane `ordered`, beside a worker that falls asleep, under many schedules: the other worker finds
// it, or is woken. Without the notification after the move it sleeps for ever.
#include <gtest/gtest.h>

#include <atomic>

#include "skua/machine/threads/engine/sleep/sleep.hpp"
#include "skua/machine/threads/lane/ordered_calls.hpp"
#include "tests/explorer/expect.hpp"
#include "tests/explorer/explorer.hpp"
#include "tests/explorer/model_sync.hpp"

namespace {

using namespace skua::explorer;
using skua::worker_id;
using skua::runtime::handed, skua::runtime::task_kind;

constexpr task_kind of_a_call{.run = nullptr};

/// Thread 0 submits a task, and is then the worker that moves it to its lane and runs another one first, which waits for it. Worker 1 has
/// nothing to do, and falls asleep meanwhile.
template <class Sync, bool Notifies = true>
struct mover_and_sleeper {
  static constexpr int threads = 2;
  skua::runtime::ordered_calls<Sync>& calls = immortal<skua::runtime::ordered_calls<Sync>>();
  skua::runtime::sleep_state<Sync>& sleep = immortal<skua::runtime::sleep_state<Sync>>(2U, &memory());
  handed call{of_a_call};
  typename Sync::template atomic<int> in_lane{0};
  typename Sync::template atomic<int> taken{0};

  void run(int me) {
    if (me == 0) {
      calls.push(call);
      sleep.notify();
      auto const put = [this](handed&) {
        in_lane.fetch_add(1, std::memory_order_release);
        return true;
      };
      auto const notify = [this] {
        if (Notifies) sleep.notify();
      };
      require(skua::runtime::move_calls(calls, put, notify) == nullptr, "there is memory");
      if (taken.load(std::memory_order_acquire) == 0) taken.wait(0, std::memory_order_acquire);
      return;
    }
    sleep.start_search();
    while (calls.pop() == nullptr && !take()) {
      sleep.fall_asleep(
          worker_id{1}, [] {},
          [this](skua::runtime::reach) { return !calls.looks_empty() || in_lane.load(std::memory_order_acquire) > 0; });
    }
    sleep.found();
    taken.fetch_add(1, std::memory_order_seq_cst);
    taken.notify_all();
  }
  bool take() {
    int seen = in_lane.load(std::memory_order_acquire);
    while (seen > 0) {
      if (in_lane.compare_exchange_strong(seen, seen - 1, std::memory_order_seq_cst, std::memory_order_relaxed))
        return true;
    }
    return false;
  }
  void finish() { require(taken.load(std::memory_order_relaxed) == 1, "the other worker gets the task"); }
};

template <class Sync>
using without_a_notification = mover_and_sleeper<Sync, false>;

}  // namespace

TEST(moved_calls_model, who_falls_asleep_finds_it_or_is_woken) {
  holds<mover_and_sleeper<model_sync>>({.preemptions = 2});
  holds<mover_and_sleeper<model_sync>>({.model = memory_model::weak, .preemptions = 1, .stale = 1});
}
TEST(moved_calls_mutant, a_missing_notification_is_caught) {
  fails<without_a_notification<model_sync>>("deadlock", {.preemptions = 2});
}
