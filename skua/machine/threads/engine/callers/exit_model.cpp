// SPDX-License-Identifier: MIT
// The end of the process while something may be in progress, under every schedule: the workers are not retired while a frame is parked or a
// detached call runs, whoever makes the frame ready meanwhile, and they are once all has ended (exit.md, E1). Each mutant forgets one thing.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "skua/machine/threads/engine/core/unused.hpp"
#include "skua/machine/threads/engine/sleep/sleep.hpp"
#include "skua/parts/queue/injector.hpp"
#include "tests/explorer/expect.hpp"
#include "tests/explorer/explorer.hpp"
#include "tests/explorer/model_sync.hpp"

namespace {

using namespace skua::explorer;
using skua::worker_id;
using skua::runtime::injectable;
using sleepers = skua::runtime::sleep_state<model_sync>;
using queue = skua::runtime::injector<model_sync>;

/// As stack_pool.
class stack_pool {
 public:
  struct counted {
    std::size_t live;
  };
  [[nodiscard]] counted count() {
    std::lock_guard const hold(lock_);
    return {counts_parked ? live_ : std::size_t{1}};
  }
  void add(std::size_t n) {
    std::lock_guard const hold(lock_);
    live_ += n;
  }
  bool counts_parked = true;

 private:
  model_mutex lock_;
  std::size_t live_ = 0;
};

struct detached_calls {
  [[nodiscard]] bool none_left() const { return outstanding.load(std::memory_order_acquire) == 0; }
  model_atomic<int> outstanding{0};
};

/// What a worker has beside its lanes. The stack that it runs on counts as live.
class worker {
 public:
  explicit worker(stack_pool& of) : stacks_(of) {
    stacks_.add(1);
    kept_.set(0);
  }
  void give_stacks_back() {
    if (kept_.get() == 0) return;
    stacks_.add(0 - kept_.get());
    kept_.set(0);
  }
  [[nodiscard]] bool holds_nothing() const { return tied_ready.looks_empty() && complete == nullptr; }
  /// The frame's stack, and a fresh one.
  void park() { stacks_.add(1); }
  void resume() { kept_.set(1); }

  queue& tied_ready = immortal<queue>();
  injectable* complete = nullptr;

 private:
  stack_pool& stacks_;
  model_plain<std::size_t> kept_;
};

struct region {
  [[nodiscard]] bool holds_nothing() const { return ready.looks_empty(); }
  queue ready;
};

struct pool {
  explicit pool(std::uint32_t of) : sleep(immortal<sleepers>(of, &memory())) {}
  [[nodiscard]] bool nothing_left() { return skua::runtime::nothing_in_progress(detached, stacks, workers, regions); }
  sleepers& sleep;
  stack_pool& stacks = immortal<stack_pool>();
  detached_calls& detached = immortal<detached_calls>();
  std::array<worker*, 1> workers{&immortal<worker>(stacks)};
  std::array<region*, 1> regions{&immortal<region>()};
};

enum class waits_in : std::uint8_t { worker, region };

/// A frame of the only worker is parked, and the worker's thread sleeps or is about to. Thread 1 ends the process, thread 2 makes the frame
/// ready.
template <waits_in Where, bool Asleep, bool CountsParked = true>
struct end_and_parked_frame {
  static constexpr int threads = 3;
  pool& all = immortal<pool>(1U);
  worker& only = *all.workers[0];
  region& r = *all.regions[0];
  injectable frame;
  model_atomic<int> resumed{0};

  end_and_parked_frame() {
    all.stacks.counts_parked = CountsParked;
    only.park();
    Asleep ? all.sleep.begin_asleep() : all.sleep.start_search();
  }
  void run(int me) {
    if (me == 1) {
      if (all.sleep.retire([this] { return all.nothing_left(); }))
        require(resumed.load(std::memory_order_acquire) == 1, "who is retired has no parked frame");
    } else if (me == 2) {
      lane().push(frame);
      static_cast<void>(Where == waits_in::worker ? all.sleep.wake(worker_id{0}) : all.sleep.notify());
    } else {
      own_thread();
    }
  }
  void own_thread() {
    if (Asleep) all.sleep.sleep_until_woken(worker_id{0});
    while (lane().pop() == nullptr) fall_asleep();
    all.sleep.found();
    only.resume();
    resumed.store(1, std::memory_order_release);
    current_world()->may_rest();
    all.sleep.start_search();
    fall_asleep();
  }
  void fall_asleep() {
    all.sleep.fall_asleep(worker_id{0}, [] {}, [this](skua::runtime::reach) { return !lane().looks_empty(); });
  }
  queue& lane() { return Where == waits_in::worker ? only.tied_ready : r.ready; }
  void finish() {
    require(resumed.load(std::memory_order_relaxed) == 1, "the frame goes on");
    require(all.nothing_left(), "nothing is left of a frame that has gone on");
  }
};

/// Thread 1 runs a detached call that it has announced; thread 0 ends the process. The worker sleeps.
struct end_and_detached_call {
  static constexpr int threads = 2;
  pool& all = immortal<pool>(1U);
  model_atomic<int> stage{0};

  end_and_detached_call() { all.sleep.begin_asleep(); }
  void run(int me) {
    if (me == 1) {
      all.detached.outstanding.fetch_add(1, std::memory_order_relaxed);
      stage.store(1, std::memory_order_release);
      stage.store(2, std::memory_order_release);
      all.detached.outstanding.fetch_sub(1, std::memory_order_release);
      return;
    }
    bool const had_begun = stage.load(std::memory_order_acquire) == 1;
    bool const ends = all.sleep.retire([this] { return all.nothing_left(); });
    require(!ends || !had_begun || stage.load(std::memory_order_acquire) == 2, "a call that was announced has ended");
  }
  void finish() { require(all.nothing_left(), "nothing is left of a call that has ended"); }
};

/// Each thing that can be in progress, alone.
struct one_thing_at_a_time {
  static constexpr int threads = 1;
  pool& all = immortal<pool>(1U);
  injectable frame;

  void run(int) {
    worker& only = *all.workers[0];
    require(all.nothing_left(), "at first nothing is in progress");
    all.detached.outstanding.fetch_add(1, std::memory_order_relaxed);
    require(!all.nothing_left(), "a detached call is in progress");
    all.detached.outstanding.fetch_sub(1, std::memory_order_relaxed);
    only.park();
    require(!all.nothing_left(), "a frame is parked");
    only.resume();
    require(all.nothing_left(), "a worker keeps the stack of a frame that has gone on");
    only.tied_ready.push(frame);
    require(!all.nothing_left(), "a frame is ready that is tied to a worker");
    static_cast<void>(only.tied_ready.pop());
    only.complete = &frame;
    require(!all.nothing_left(), "a frame was complete when it parked");
    only.complete = nullptr;
    all.regions[0]->ready.push(frame);
    require(!all.nothing_left(), "something lies in a region");
    static_cast<void>(all.regions[0]->ready.pop());
    require(all.nothing_left(), "nothing is in progress any more");
  }
  void finish() {}
};

constexpr options of_three{.preemptions = 2, .races = true};
constexpr options on_weak{.model = memory_model::weak, .preemptions = 1, .stale = 1, .races = true};

template <waits_in Where, bool Asleep>
void a_parked_frame_goes_on() {
  holds<end_and_parked_frame<Where, Asleep>>(of_three);
  holds<end_and_parked_frame<Where, Asleep>>(on_weak);
}

}  // namespace

TEST(exit_model, a_frame_that_is_parked_goes_on) {
  a_parked_frame_goes_on<waits_in::worker, true>();
  a_parked_frame_goes_on<waits_in::worker, false>();
  a_parked_frame_goes_on<waits_in::region, true>();
  a_parked_frame_goes_on<waits_in::region, false>();
}
TEST(exit_model, a_detached_call_is_in_progress_until_it_has_ended) {
  holds<end_and_detached_call>({.races = true});
  holds<end_and_detached_call>(weak_races);
}
TEST(exit_model, each_thing_counts) { holds<one_thing_at_a_time>({.races = true}); }

TEST(exit_mutant, a_parked_frame_that_does_not_count_is_caught) {
  fails<end_and_parked_frame<waits_in::worker, true, false>>("no parked frame", of_three);
  fails<end_and_parked_frame<waits_in::region, false, false>>("no parked frame", of_three);
}
