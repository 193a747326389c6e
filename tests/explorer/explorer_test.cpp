// SPDX-License-Identifier: MIT
// The explorer on litmus tests whose answers are known: what x86 and weaker store orders allow and forbid.
#include "tests/explorer/explorer.hpp"
#include "tests/explorer/expect.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <iostream>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/explorer/model_sync.hpp"

namespace {

using namespace skua::explorer;
using std::memory_order_acquire, std::memory_order_relaxed, std::memory_order_release, std::memory_order_seq_cst;

enum class fence { none, light, full, heavy };

void fence_of(fence f) {
  if (f == fence::light) model_sync::light_fence();
  if (f == fence::full) model_sync::full_fence();
  if (f == fence::heavy) model_sync::heavy_fence();
}

template <fence A, fence B>
struct store_buffering {
  static constexpr int threads = 2;
  model_atomic<int> x, y;
  int saw[2] = {};

  void run(int me) {
    auto& mine = me == 0 ? x : y;
    auto& other = me == 0 ? y : x;
    mine.store(1, memory_order_relaxed);
    fence_of(me == 0 ? A : B);
    saw[me] = other.load(memory_order_relaxed);
  }
  void finish() { require(saw[0] == 1 || saw[1] == 1, "one saw the other"); }
};

template <std::memory_order Publication>
struct message_passing {
  static constexpr int threads = 2;
  model_atomic<int> data, flag;

  void run(int me) {
    if (me == 0) {
      data.store(42, memory_order_relaxed);
      flag.store(1, Publication);
    } else if (flag.load(memory_order_acquire) == 1) {
      require(data.load(memory_order_relaxed) == 42, "the flag publishes the data");
    }
  }
  void finish() {}
};

/// The same by a read-modify-write, which empties the buffer whatever its order is; the data are not atomic. Thread 2
/// continues the release sequence, or breaks it.
template <std::memory_order Publication, std::memory_order Look, bool Breaks = false>
struct plain_message {
  static constexpr int threads = 3;
  model_plain<int> data;
  model_atomic<int> flag;

  void run(int me) {
    if (me == 0) {
      data.set(42);
      flag.fetch_or(1, Publication);
    } else if (me == 1) {
      if ((flag.load(Look) & 1) == 1) require(data.get() == 42, "the flag publishes the data");
    } else if (Breaks) {
      if (flag.load(memory_order_relaxed) == 1) flag.store(1, memory_order_relaxed);
    } else {
      flag.fetch_or(2, memory_order_relaxed);
    }
  }
  void finish() {}
};

/// Thread 1 destroys what thread 0 has used. Thread 0 announced the end of its use, or uses the object again after it.
template <std::memory_order Leave, bool Comes_back>
struct end_of_life {
  static constexpr int threads = 2;
  model_atomic<int>& word = immortal<model_atomic<int>>();
  model_atomic<int> left;

  void run(int me) {
    if (me == 0) {
      word.store(1, memory_order_relaxed);
      left.exchange(1, Leave);
      if (Comes_back) static_cast<void>(word.load(memory_order_relaxed));
    } else if (left.load(memory_order_acquire) == 1) {
      std::destroy_at(&word);
    }
  }
  void finish() {}
};

struct increments {
  static constexpr int threads = 3;
  model_atomic<int> atomic_sum;
  model_sync::mutex lock;
  int locked_sum = 0;

  void run(int) {
    atomic_sum.fetch_add(1, memory_order_relaxed);
    std::lock_guard const held(lock);
    ++locked_sum;
  }
  void finish() { require(locked_sum == 3 && atomic_sum.load(memory_order_relaxed) == 3, "no increment is lost"); }
};

struct torn_increments {
  static constexpr int threads = 2;
  model_atomic<int> sum;

  void run(int) { sum.store(sum.load(memory_order_relaxed) + 1, memory_order_seq_cst); }
  void finish() { require(sum.load(memory_order_relaxed) == 2, "no increment is lost"); }
};

struct locks_crossed {
  static constexpr int threads = 2;
  model_sync::mutex a, b;

  void run(int me) {
    std::lock_guard const first(me == 0 ? a : b);
    std::lock_guard const second(me == 0 ? b : a);
  }
  void finish() {}
};

template <bool Rechecks>
struct bell {
  static constexpr int threads = 2;
  model_sync::mutex lock;
  model_sync::condition rung;
  model_atomic<int> ready;

  void run(int me) {
    if (me == 0) {
      ready.store(1, memory_order_seq_cst);
      if (Rechecks) lock.lock();
      if (Rechecks) lock.unlock();
      rung.notify_one();
      return;
    }
    std::unique_lock held(lock);
    while (ready.load(memory_order_seq_cst) == 0) rung.wait(held);
  }
  void finish() {}
};

struct sleeper_on_a_word {
  static constexpr int threads = 3;
  model_atomic<int> word;

  void run(int me) {
    if (me == 0) {
      word.store(1, memory_order_release);
      model_sync::full_fence();
      word.notify_all();
    } else {
      word.wait(0, memory_order_acquire);
      require(word.load(memory_order_relaxed) == 1, "wait returns when the word differs");
    }
  }
  void finish() {}
};

/// Of two threads that wait for a word that nobody sets, the one that may rest is no deadlock.
template <int Impatient>
struct rest {
  static constexpr int threads = 2;
  model_atomic<int> word;

  void run(int me) {
    if (me >= Impatient) current_world()->may_rest();
    word.wait(0, memory_order_acquire);
  }
  void finish() {}
};

struct spinner {
  static constexpr int threads = 2;
  model_atomic<int> flag;

  void run(int me) {
    if (me == 0) {
      while (flag.load(memory_order_relaxed) == 0) {}
    }
  }
  void finish() {}
};

/// Counts its executions' steps where no snapshot sees it.
struct hides_state {
  static constexpr int threads = 2;
  static inline int hidden;
  model_atomic<int> word;
  hides_state() { hidden = 0; }

  void run(int) {
    for (int i = 0; i < 3; ++i) word.store(++hidden, memory_order_seq_cst);
  }
  void finish() {}
};

/// The same on the heap, with memory that threads allocate and release.
struct shows_state {
  static constexpr int threads = 2;
  model_atomic<int> word;
  std::vector<int> seen;

  void run(int me) {
    for (int i = 0; i < 3; ++i) {
      seen.push_back(10 * me + i);
      word.store(static_cast<int>(seen.size()), memory_order_seq_cst);
    }
  }
  void finish() {
    require(std::set<int>(seen.begin(), seen.end()) == std::set<int>{0, 1, 2, 10, 11, 12}, "nothing is left over");
  }
};

// Collects every result that an exhaustive search meets.
struct interleavings {
  static constexpr int threads = 2;
  static inline std::set<int> results;
  model_atomic<int> word;

  void run(int me) {
    for (int i = 0; i < 2; ++i) word.store(10 * me + i, memory_order_seq_cst);
  }
  void finish() { results.insert(word.load(memory_order_relaxed)); }
};

// A bit of everything; the result is one number. Only plain data show the order of the locks.
struct medley {
  static constexpr int threads = 3;
  static inline std::set<int> results;
  model_sync::mutex lock;
  model_atomic<int> x, y, z;
  int order = 0;
  int saw[3] = {};

  void run(int me) {
    lock.lock();
    order = 3 * order + me;
    lock.unlock();
    if (me == 0) {
      x.store(1, memory_order_relaxed);
      y.store(1, memory_order_release);
      saw[0] = z.fetch_add(1, memory_order_relaxed);
    } else if (me == 1) {
      z.store(2, memory_order_relaxed);
      saw[1] = y.load(memory_order_acquire) + 2 * x.load(memory_order_relaxed);
    } else {
      model_sync::heavy_fence();
      saw[2] = x.load(memory_order_relaxed) + 2 * z.load(memory_order_relaxed);
    }
  }
  void finish() {
    results.insert((((order * 8 + saw[0]) * 8 + saw[1]) * 8 + saw[2]) * 8 + z.load(memory_order_relaxed));
  }
};

constexpr options pso{.model = memory_model::pso};

}  // namespace

TEST(explorer, store_buffering_needs_a_fence_on_both_sides) {
  fails<store_buffering<fence::none, fence::none>>("one saw the other");
  fails<store_buffering<fence::full, fence::none>>("one saw the other");
  fails<store_buffering<fence::light, fence::full>>("one saw the other");
  holds<store_buffering<fence::full, fence::full>>();
  holds<store_buffering<fence::light, fence::heavy>>();
  holds<store_buffering<fence::heavy, fence::heavy>>();
  holds<store_buffering<fence::full, fence::heavy>>();
}

TEST(explorer, random_schedules_find_it_too_and_name_their_seed) {
  fails<store_buffering<fence::none, fence::full>>("(seed ", {.random = 1000, .seed = 7});
  holds<store_buffering<fence::light, fence::heavy>>({.random = 1000});
}

TEST(explorer, stores_stay_in_order_under_tso_but_need_release_under_pso) {
  holds<message_passing<memory_order_relaxed>>();
  fails<message_passing<memory_order_relaxed>>("publishes", pso);
  holds<message_passing<memory_order_release>>(pso);
}

TEST(explorer, races_are_found_by_the_orders_as_written) {
  constexpr options races{.races = true};
  holds<plain_message<memory_order_release, memory_order_acquire>>(races);
  fails<plain_message<memory_order_relaxed, memory_order_acquire>>("race: read", races);
  fails<plain_message<memory_order_release, memory_order_relaxed>>("race: read", races);
  fails<plain_message<memory_order_release, memory_order_acquire, true>>("race: read", races);
  fails<plain_message<memory_order_release, memory_order_acquire>>("sets options::races");
}

TEST(explorer, an_end_comes_after_every_use) {
  constexpr options races{.races = true};
  holds<end_of_life<memory_order_release, false>>(races);
  fails<end_of_life<memory_order_relaxed, false>>("race: destroyed", races);
  fails<end_of_life<memory_order_release, true>>("destroyed", races);
}

TEST(explorer, read_modify_writes_and_locks_are_atomic_but_a_load_and_a_store_are_not) {
  holds<increments>();
  fails<torn_increments>("no increment is lost");
}

TEST(explorer, a_bound_on_preemptions_bounds) {
  holds<torn_increments>({.preemptions = 0});
  fails<torn_increments>("no increment is lost", {.preemptions = 1});
}

TEST(explorer, deadlocks_and_lost_wakeups_are_found) {
  fails<locks_crossed>("deadlock: T0, T1 can never go on");
  fails<bell<false>>("deadlock: T1 can never go on");
  holds<bell<true>>();
  holds<sleeper_on_a_word>();
  holds<rest<0>>();
  fails<rest<1>>("deadlock: T0 can never go on");
}

TEST(explorer, a_spinning_thread_is_reported) { fails<spinner>("no end in sight"); }

TEST(explorer, what_a_script_allocates_is_as_it_was_when_the_search_comes_back) { holds<shows_state>(); }

TEST(explorer, state_that_a_snapshot_does_not_see_is_reported) {
  if (!heap_is_in_image() || !skua::runtime::checked) {
    holds<hides_state>();  // every execution has a script of its own
  } else {
    EXPECT_DEATH(holds<hides_state>(), "a script keeps no state where a snapshot does not see it");
  }
}

TEST(explorer, memory_is_aligned_as_types_ask) {
  static piece<std::size_t{1} << 16> memory;
  for (std::size_t alignment = 1; alignment <= 4096; alignment *= 2) {
    for (int i = 0; i < 2; ++i) {
      void const* const p = memory.take(1, alignment);
      ASSERT_NE(p, nullptr) << alignment;
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % alignment, 0U) << alignment;
    }
  }
  EXPECT_EQ(memory.take(1, 8192), nullptr);
}

TEST(explorer, every_outcome_is_met) {
  holds<interleavings>();
  EXPECT_EQ(interleavings::results, (std::set<int>{1, 11}));
}

TEST(explorer, random_schedules_meet_nothing_that_the_search_misses) {
  for (auto const model : {memory_model::tso, memory_model::pso}) {
    medley::results.clear();
    holds<medley>({.model = model});
    auto const searched = std::exchange(medley::results, {});
    std::uint64_t const seed = 1;
    holds<medley>({.model = model, .random = skua::runtime::under_tsan ? 20'000U : 200'000U, .seed = seed});
    for (int const drawn : medley::results) EXPECT_TRUE(searched.contains(drawn)) << drawn << ", seed " << seed;
    EXPECT_GT(2 * medley::results.size(), searched.size()) << "the comparison is worth something";
    std::cout << searched.size() << " outcomes, of which " << medley::results.size() << " were drawn\n";
  }
}
