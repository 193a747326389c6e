// SPDX-License-Identifier: MIT
// Workers that fall asleep rely on the last searcher, which alone looks at all lanes (sleep.md, "Why only the last searcher looks"): under every
// schedule an entry is found, also if a caller takes the last searcher's place before it has looked.
#include <gtest/gtest.h>

#include "skua/machine/threads/engine/sleep/sleep.hpp"
#include "skua/parts/queue/deque.hpp"
#include "skua/parts/queue/injector.hpp"
#include "tests/explorer/expect.hpp"
#include "tests/explorer/explorer.hpp"
#include "tests/explorer/model_sync.hpp"
#include "tests/explorer/mutants.hpp"

namespace {

using namespace skua::explorer;
using skua::worker_id;
using skua::runtime::reach;

/// Worker 0 pushes an entry and waits until it is taken; workers 1 and 2 fall asleep. Only the last searcher looks at the lane. With a caller,
/// thread 3 takes the place of worker 1 for a moment, perhaps while its thread is about to look again.
template <class Sync, bool Caller = false>
struct owner_and_sleepers {
  static constexpr int threads = Caller ? 4 : 3;
  using deque = skua::runtime::deque<Sync>;
  deque& lane = immortal<deque>(skua::runtime::deque_options{.capacity = 8, .kind = Sync::kind(), .memory = &memory()});
  skua::runtime::sleep_state<Sync>& sleep = immortal<skua::runtime::sleep_state<Sync>>(3U, &memory());
  typename Sync::template atomic<int> taken{0};
  int job = 0;

  owner_and_sleepers() {
    sleep.start_search();
    sleep.start_search();
  }
  void run(int me) {
    if (me == 0) return push_and_wait();
    if (me == 3) return come_and_go();
    current_world()->may_rest();
    while (!take()) {
      sleep.fall_asleep(
          worker_id{static_cast<unsigned>(me)}, [this] { lane.outside().request_attention(); },
          [this](reach r) { return r == reach::all && !lane.outside().looks_empty(); });
    }
    sleep.found();
    taken.store(1, std::memory_order_seq_cst);
    taken.notify_all();
  }
  void push_and_wait() {
    if (lane.push(&job)) {
      lane.poll();
      sleep.notify();
    }
    if (taken.load(std::memory_order_acquire) == 0) taken.wait(0, std::memory_order_acquire);
  }
  void come_and_go() {
    if (sleep.lend(worker_id{1}, [] { return true; }, [] {}) != skua::runtime::loan::given) return;
    if (sleep.take_back(worker_id{1}, [] { return false; })) lane.outside().request_attention();
  }
  bool take() {
    skua::runtime::entry got;
    skua::runtime::outcome const how = lane.outside().steal(got);
    if (how == skua::runtime::outcome::lost) current_world()->step([this] { return lane.outside().looks_empty(); });
    return how == skua::runtime::outcome::got;
  }
  void finish() { require(taken.load(std::memory_order_relaxed) == 1, "the entry is taken"); }
};

/// The same with work from outside, whose pusher finds a searcher.
template <class Sync>
struct outside_and_sleepers {
  static constexpr int threads = 3;
  skua::runtime::sleep_state<Sync>& sleep = immortal<skua::runtime::sleep_state<Sync>>(2U, &memory());
  skua::runtime::injector<Sync>& injected = immortal<skua::runtime::injector<Sync>>();
  skua::runtime::injectable item;
  int taken = 0;

  outside_and_sleepers() {
    sleep.start_search();
    sleep.start_search();
  }
  void run(int me) {
    if (me == 2) {
      injected.push(item);
      sleep.notify();
      return;
    }
    current_world()->may_rest();
    while (injected.pop() == nullptr) {
      sleep.fall_asleep(
          worker_id{static_cast<unsigned>(me)}, [] {},
          [this](reach r) { return r == reach::all && !injected.looks_empty(); });
    }
    sleep.found();
    ++taken;
  }
  void finish() { require(taken == 1, "the item is taken"); }
};

/// Only worker 1 may take what comes into its inbox. It falls asleep while worker 0 still searches, so it looks once, and nobody looks in its stead.
template <class Sync>
struct inbox_of_one_that_relies {
  static constexpr int threads = 3;
  skua::runtime::sleep_state<Sync>& sleep = immortal<skua::runtime::sleep_state<Sync>>(2U, &memory());
  typename Sync::template atomic<int> inbox{0};
  int taken = 0;

  inbox_of_one_that_relies() {
    sleep.start_search();
    sleep.start_search();
  }
  void run(int me) {
    if (me == 2) {
      inbox.store(1, std::memory_order_release);
      sleep.notify_worker(worker_id{1}, [] {});
      return;
    }
    current_world()->may_rest();
    if (me == 0) {
      sleep.fall_asleep(worker_id{0}, [] {}, [](reach) { return false; });
      return;
    }
    auto const is_something = [this](reach) { return inbox.load(std::memory_order_acquire) != 0; };
    while (!is_something(reach::own)) sleep.fall_asleep(worker_id{1}, [] {}, is_something);
    sleep.found();
    ++taken;
  }
  void finish() { require(taken == 1, "the item is taken"); }
};

}  // namespace

TEST(last_searcher_model, one_that_relies_on_it_finds_what_only_itself_may_take) {
  holds<inbox_of_one_that_relies<model_sync>>({.preemptions = 2});
  holds<inbox_of_one_that_relies<model_sync>>({.model = memory_model::weak, .preemptions = 1, .stale = 1});
}
TEST(last_searcher_model, finds_what_an_owner_pushes) {
  holds<owner_and_sleepers<model_sync>>({.preemptions = 2});
  holds<owner_and_sleepers<full_model_sync>>({.preemptions = 2});
  holds<owner_and_sleepers<model_sync>>({.model = memory_model::weak, .preemptions = 1, .stale = 1});
}
TEST(last_searcher_model, finds_what_comes_from_outside) {
  holds<outside_and_sleepers<model_sync>>({.preemptions = 2});
  holds<outside_and_sleepers<model_sync>>({.model = memory_model::weak, .preemptions = 1, .stale = 1});
}
TEST(last_searcher_model, hands_over_when_a_caller_takes_its_place) {
  holds<owner_and_sleepers<model_sync, true>>({.preemptions = 1});
  holds<owner_and_sleepers<model_sync, true>>({.random = skua::testing::full_or(200'000U, 20'000U), .seed = 1});
}
