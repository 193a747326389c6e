// SPDX-License-Identifier: MIT
// The waits of teams under every schedule: a bell, an eventcount, and a member that is docked, away or called, each as compiled into the library. Each
// mutant removes an order or a step, and the explorer must find what breaks.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>

#include "skua/openmp/bell.hpp"
#include "skua/openmp/eventcount.hpp"
#include "skua/openmp/seat_word.hpp"
#include "tests/explorer/expect.hpp"
#include "tests/explorer/explorer.hpp"
#include "tests/explorer/model_sync.hpp"
#include "tests/explorer/mutants.hpp"

namespace {

using namespace skua::explorer;
using skua::openmp::basic_bell, skua::openmp::basic_eventcount, skua::openmp::seat_word;
using std::memory_order_acquire, std::memory_order_relaxed, std::memory_order_release, std::memory_order_seq_cst;

/// The kernel: looks at the newest value, and wakes nobody who has not been told to.
struct model_kernel {
  template <class Word>
  static void wait(Word& word, std::uint32_t value) noexcept {
    word.wait(value, memory_order_relaxed);
  }
  template <class Word>
  static void wake_all(Word& word) noexcept {
    word.notify_all();
  }
};

/// One thread makes a condition true and rings; the other one waits for it.
template <class Sync>
struct ringing {
  static constexpr int threads = 2;
  basic_bell<model_kernel, Sync> bell;
  model_atomic<int> condition{0};
  typename Sync::template plain<int>& data = immortal<typename Sync::template plain<int>>();
  void run(int me) {
    if (me == 0) {
      data.set(7);
      condition.store(1, memory_order_release);
      Sync::full_fence();
      bell.ring_after_fence();
      return;
    }
    bell.wait([this] { return condition.load(memory_order_acquire) == 1; });
    require(data.get() == 7, "the waiter sees what the ringer did");
  }
  void finish() {}
};

/// A sleep of the model: its word lives as long as the world.
struct model_sleep {
  model_atomic<int>& word = immortal<model_atomic<int>>();
  void wait() { word.wait(0, memory_order_acquire); }
  void set() {
    word.exchange(1, memory_order_release);
    word.notify_all();
  }
};

template <class Sync, int Waiters>
struct counting {
  static constexpr int threads = 1 + Waiters;
  basic_eventcount<model_sleep, Sync> events;
  model_atomic<int> condition{0};
  void run(int me) {
    if (me == 0) {
      condition.exchange(1, memory_order_relaxed);
      events.notify_all();
    } else {
      events.wait([this] { return condition.load(memory_order_relaxed) == 1; });
    }
  }
  void finish() {}
};

/// A caller runs regions with other members, whose threads leave when they have looked once in vain.
template <class Sync, int Regions, int Members = 1>
struct seated {
  static constexpr int threads = 1 + Members;
  struct member {
    seat_word<Sync> seat;
    typename Sync::template plain<int>& done = immortal<typename Sync::template plain<int>>();
    model_atomic<int> sent{0};
    int ran = 0;
    int sends = 0;
  };
  std::array<member, Members> all;
  basic_bell<model_kernel, Sync> bell;
  typename Sync::template plain<int>& region = immortal<typename Sync::template plain<int>>();

  bool have_arrived() const {
    return std::ranges::all_of(all, [](member const& m) { return m.seat.has_arrived(); });
  }
  void run(int me) {
    if (me != 0) return run_member(all[static_cast<std::size_t>(me - 1)]);
    for (int r = 1; r <= Regions; ++r) {
      region.set(r);
      for (member& m : all) {
        if (m.seat.call()) send(m, m.sends + 1);
      }
      bell.wait([this] { return have_arrived(); });
      for (member& m : all) require(m.done.get() == r, "a region has ended when its members have run");
    }
    for (member& m : all) send(m, -1);
  }
  void finish() {
    for (member const& m : all) require(m.ran == Regions, "each region runs once");
  }

 private:
  void run_member(member& m) {
    for (int seen = 0; receive(m, seen);) {
      do {
        ++m.ran;
        require(region.get() == m.ran, "the member runs the region that it was called to");
        m.done.set(m.ran);
        m.seat.arrive();
        if (bell.is_waited_for() && have_arrived()) bell.ring_after_fence();
      } while (m.seat.is_called() || !m.seat.leave());
    }
  }
  static void send(member& m, int what) {
    m.sends = what;
    m.sent.exchange(what, memory_order_release);
    m.sent.notify_all();
  }
  static bool receive(member& m, int& seen) {
    m.sent.wait(seen, memory_order_acquire);
    seen = m.sent.load(memory_order_acquire);
    return seen > 0;
  }
};

// The mutants.

/// A fence that orders nothing.
struct without_fence : model_sync {
  static void full_fence() noexcept {}
};
/// A call, and an arrival, that order nothing.
struct relaxed_exchange : model_sync {
  template <class T>
  struct atomic : model_atomic<T> {
    using model_atomic<T>::model_atomic;
    T exchange(T value, std::memory_order) noexcept { return model_atomic<T>::exchange(value, memory_order_relaxed); }
  };
};

/// An arrival that a member may look past: it does not see that the caller blocks.
struct buffered_exchange : model_sync {
  template <class T>
  struct atomic : model_atomic<T> {
    using model_atomic<T>::model_atomic;
    T exchange(T value, std::memory_order) noexcept {
      T const old = model_atomic<T>::load(memory_order_relaxed);
      model_atomic<T>::store(value, memory_order_release);
      return old;
    }
  };
  static void full_fence_after_rmw() noexcept {}
};

constexpr options races{.races = true};

template <class Script>
void holds_in_all_models() {
  for (auto const model : {memory_model::tso, memory_model::pso}) holds<Script>({.model = model, .races = true});
  holds<Script>(weak_races);
}

}  // namespace

TEST(waits_model, a_ring_ends_the_wait) { holds_in_all_models<ringing<model_sync>>(); }
TEST(waits_model, all_waiters_are_notified) {
  holds_in_all_models<counting<model_sync, 1>>();
  holds<counting<model_sync, 2>>({.preemptions = 3});
}
TEST(waits_model, each_region_runs_once) {
  holds_in_all_models<seated<model_sync, 3>>();
  holds<seated<model_sync, 2, 2>>({.preemptions = 2, .races = true});
}

TEST(waits_mutant, a_ring_without_a_fence_is_caught) { fails<ringing<without_fence>>("deadlock", races); }
TEST(waits_mutant, a_waiter_that_counts_itself_too_late_is_caught) {
  fails<ringing<buffered_fetch_add>>("deadlock", races);
}
TEST(waits_mutant, an_eventcount_without_fences_is_caught) { fails<counting<without_fence, 1>>("deadlock"); }
TEST(waits_mutant, a_call_without_release_is_caught) { fails<seated<relaxed_exchange, 2>>("race", races); }
TEST(waits_mutant, a_look_without_acquire_is_caught) {
  fails<seated<ordered_load<memory_order_relaxed>, 2>>("race", races);
}
TEST(waits_mutant, an_arrival_that_is_buffered_is_caught) { fails<seated<buffered_exchange, 1>>("deadlock", races); }
TEST(waits_mutant, leaving_in_two_steps_is_caught) { fails<seated<torn_compare_exchange, 2>>("", races); }
