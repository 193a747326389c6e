// SPDX-License-Identifier: MIT
// Weak memory on litmus tests whose answers are known: what C++ and AArch64 allow, and what no order as written may
// allow. Each line that holds has a neighbour that fails with one order less. (weak_memory.md)
#include <gtest/gtest.h>

#include "tests/explorer/expect.hpp"
#include "tests/explorer/explorer.hpp"
#include "tests/explorer/model_sync.hpp"

namespace {

using namespace skua::explorer;
using std::memory_order, std::memory_order_acq_rel, std::memory_order_acquire, std::memory_order_relaxed,
    std::memory_order_release, std::memory_order_seq_cst;

enum class fence { none, light, full, heavy };

void fence_of(fence f) {
  if (f == fence::light) model_sync::light_fence();
  if (f == fence::full) model_sync::full_fence();
  if (f == fence::heavy) model_sync::heavy_fence();
}

/// The flag says that the data are there.
template <memory_order Publication, memory_order Look, fence Between_loads = fence::none,
          fence Between_stores = fence::none>
struct message_passing {
  static constexpr int threads = 2;
  model_atomic<int> data, flag;

  void run(int me) {
    if (me == 0) {
      data.store(42, memory_order_relaxed);
      fence_of(Between_stores);
      flag.store(1, Publication);
    } else if (flag.load(Look) == 1) {
      fence_of(Between_loads);
      require(data.load(memory_order_relaxed) == 42, "the flag publishes the data");
    }
  }
  void finish() {}
};

/// Each thread writes its word and reads the other's.
template <memory_order Write, memory_order Read, fence A = fence::none, fence B = fence::none>
struct store_buffering {
  static constexpr int threads = 2;
  model_atomic<int> x, y;
  int saw[2] = {};

  void run(int me) {
    auto& mine = me == 0 ? x : y;
    auto& other = me == 0 ? y : x;
    mine.store(1, Write);
    fence_of(me == 0 ? A : B);
    saw[me] = other.load(Read);
  }
  void finish() { require(saw[0] == 1 || saw[1] == 1, "one saw the other"); }
};

/// The same with a read-modify-write instead of the store: it is no fence.
template <memory_order Update>
struct buffered_update {
  static constexpr int threads = 2;
  model_atomic<int> x, y;
  int saw[2] = {};

  void run(int me) {
    (me == 0 ? x : y).exchange(1, Update);
    saw[me] = (me == 0 ? y : x).load(memory_order_relaxed);
  }
  void finish() { require(saw[0] == 1 || saw[1] == 1, "one saw the other"); }
};

/// Two threads store to both words, in opposite orders.
template <memory_order Order>
struct stores_crossed {
  static constexpr int threads = 2;
  model_atomic<int> x, y;

  void run(int me) {
    (me == 0 ? x : y).store(1, Order);
    (me == 0 ? y : x).store(2, Order);
  }
  void finish() {
    require(x.load(memory_order_relaxed) != 1 || y.load(memory_order_relaxed) != 1, "one of the later stores stays");
  }
};

/// Two readers see two independent writes in opposite orders.
template <memory_order Read, fence Between>
struct independent_writes {
  static constexpr int threads = 4;
  model_atomic<int> x, y;
  bool only_first[2] = {};

  void run(int me) {
    if (me < 2) return (me == 0 ? x : y).store(1, Read == memory_order_seq_cst ? Read : memory_order_release);
    bool const first = (me == 2 ? x : y).load(Read) == 1;
    fence_of(Between);
    only_first[me - 2] = first && (me == 2 ? y : x).load(Read) == 0;
  }
  void finish() { require(!only_first[0] || !only_first[1], "all see one order"); }
};

/// Thread 1 passes on what it has seen.
template <memory_order Pass>
struct write_to_read_causality {
  static constexpr int threads = 3;
  model_atomic<int> x, y;

  void run(int me) {
    if (me == 0) x.store(1, memory_order_release);
    if (me == 1 && x.load(Pass == memory_order_relaxed ? Pass : memory_order_acquire) == 1)
      y.store(1, Pass == memory_order_relaxed ? Pass : memory_order_release);
    if (me == 2 && y.load(memory_order_acquire) == 1) require(x.load(memory_order_relaxed) == 1, "causes are seen");
  }
  void finish() {}
};

/// A read-modify-write of another thread continues a release sequence; a store ends it.
template <bool Updates>
struct release_sequence {
  static constexpr int threads = 3;
  model_atomic<int> data, flag;

  void run(int me) {
    if (me == 0) {
      data.store(42, memory_order_relaxed);
      flag.store(1, memory_order_release);
    } else if (me == 1) {
      int seen = 1;
      if (Updates) {
        flag.compare_exchange_strong(seen, 2, memory_order_relaxed, memory_order_relaxed);
      } else if (flag.load(memory_order_relaxed) == 1) {
        flag.store(2, memory_order_relaxed);
      }
    } else if (flag.load(memory_order_acquire) == 2) {
      require(data.load(memory_order_relaxed) == 42, "the sequence publishes the data");
    }
  }
  void finish() {}
};

/// What one thread reads of one word never goes back; nobody's update is lost.
struct coherence {
  static constexpr int threads = 3;
  model_atomic<int> x, sum;

  void run(int me) {
    sum.fetch_add(1, memory_order_relaxed);
    if (me < 2) return x.store(me + 1, memory_order_relaxed);
    int const first = x.load(memory_order_relaxed);
    int const second = x.load(memory_order_relaxed);
    int const third = x.load(memory_order_relaxed);
    require(first != third || first == second, "a word does not go back");
  }
  void finish() { require(sum.load(memory_order_relaxed) == 3, "no increment is lost"); }
};

/// A lock orders what its holders do.
struct locked_words {
  static constexpr int threads = 3;
  model_mutex lock;
  model_atomic<int> x, y;

  void run(int) {
    std::lock_guard const hold(lock);
    int const seen = x.load(memory_order_relaxed);
    require(y.load(memory_order_relaxed) == seen, "both words change under the lock");
    x.store(seen + 1, memory_order_relaxed);
    y.store(seen + 1, memory_order_relaxed);
  }
  void finish() { require(x.load(memory_order_relaxed) == 3, "each holder adds one"); }
};

/// An owner stores and looks without a fence; two others do so with a heavy one.
template <fence Owners>
struct one_light_two_heavy {
  static constexpr int threads = 3;
  model_atomic<int> x, y, z;
  int saw[3] = {};

  void run(int me) {
    if (me == 0) {
      x.store(1, memory_order_relaxed);
      fence_of(Owners);
      saw[0] = y.load(memory_order_relaxed) + 2 * z.load(memory_order_relaxed);
    } else {
      (me == 1 ? y : z).store(1, memory_order_relaxed);
      model_sync::heavy_fence();
      saw[me] = x.load(memory_order_relaxed);
    }
  }
  void finish() {
    require(saw[1] == 1 || (saw[0] & 1) != 0, "one saw the other");
    require(saw[2] == 1 || (saw[0] & 2) != 0, "one saw the other");
  }
};

constexpr options without_bound{.model = memory_model::weak, .stale = 4};

constexpr char const* published = "publishes the data";
constexpr char const* dekker = "one saw the other";

}  // namespace

TEST(weak_memory, a_message_takes_a_release_and_an_acquire) {
  holds<message_passing<memory_order_release, memory_order_acquire>>(without_bound);
  fails<message_passing<memory_order_relaxed, memory_order_acquire>>(published, without_bound);
  fails<message_passing<memory_order_release, memory_order_relaxed>>(published, without_bound);
  fails<message_passing<memory_order_seq_cst, memory_order_relaxed>>(published, without_bound);
}
TEST(weak_memory, fences_carry_a_message) {
  holds<message_passing<memory_order_relaxed, memory_order_relaxed, fence::full, fence::full>>(without_bound);
  holds<message_passing<memory_order_release, memory_order_relaxed, fence::full>>(without_bound);
  holds<message_passing<memory_order_relaxed, memory_order_acquire, fence::none, fence::full>>(without_bound);
  fails<message_passing<memory_order_relaxed, memory_order_relaxed, fence::full>>(published, without_bound);
  fails<message_passing<memory_order_release, memory_order_relaxed, fence::light>>(published, without_bound);
}
TEST(weak_memory, store_buffering_takes_a_fence_on_both_sides_or_seq_cst) {
  using enum fence;
  fails<store_buffering<memory_order_release, memory_order_acquire>>(dekker, without_bound);
  fails<store_buffering<memory_order_relaxed, memory_order_relaxed, full>>(dekker, without_bound);
  holds<store_buffering<memory_order_relaxed, memory_order_relaxed, full, full>>(without_bound);
  holds<store_buffering<memory_order_seq_cst, memory_order_seq_cst>>(without_bound);
  fails<store_buffering<memory_order_seq_cst, memory_order_acquire>>(dekker, without_bound);
  fails<store_buffering<memory_order_release, memory_order_seq_cst>>(dekker, without_bound);
}
TEST(weak_memory, a_light_fence_orders_only_against_a_heavy_one) {
  using enum fence;
  holds<store_buffering<memory_order_relaxed, memory_order_relaxed, light, heavy>>(without_bound);
  holds<store_buffering<memory_order_relaxed, memory_order_relaxed, full, heavy>>(without_bound);
  holds<store_buffering<memory_order_relaxed, memory_order_relaxed, heavy, heavy>>(without_bound);
  fails<store_buffering<memory_order_relaxed, memory_order_relaxed, none, heavy>>(dekker, without_bound);
  fails<store_buffering<memory_order_relaxed, memory_order_relaxed, light, full>>(dekker, without_bound);
  fails<store_buffering<memory_order_relaxed, memory_order_relaxed, light, light>>(dekker, without_bound);
  holds<one_light_two_heavy<light>>(without_bound);
  fails<one_light_two_heavy<none>>(dekker, without_bound);
}
TEST(weak_memory, a_read_modify_write_is_no_fence) {
  fails<buffered_update<memory_order_seq_cst>>(dekker, without_bound);
}
TEST(weak_memory, stores_pass_each_other_unless_they_release) {
  fails<stores_crossed<memory_order_relaxed>>("later stores", without_bound);
  holds<stores_crossed<memory_order_seq_cst>>(without_bound);
}
TEST(weak_memory, independent_writes_have_one_order_only_if_that_is_asked_for) {
  fails<independent_writes<memory_order_acquire, fence::none>>("one order", without_bound);
  holds<independent_writes<memory_order_relaxed, fence::full>>({.model = memory_model::weak, .stale = 2});
  holds<independent_writes<memory_order_seq_cst, fence::none>>({.model = memory_model::weak, .stale = 2});
}
TEST(weak_memory, causes_are_seen_with_their_effects) {
  holds<write_to_read_causality<memory_order_acq_rel>>(without_bound);
  fails<write_to_read_causality<memory_order_relaxed>>("causes", without_bound);
}
TEST(weak_memory, a_release_sequence_goes_on_with_read_modify_writes) {
  holds<release_sequence<true>>(without_bound);
  fails<release_sequence<false>>("the sequence", without_bound);
}
TEST(weak_memory, a_word_is_coherent) { holds<coherence>(without_bound); }
TEST(weak_memory, a_lock_orders_its_holders) { holds<locked_words>(without_bound); }
TEST(weak_memory, without_stale_loads_it_is_sequentially_consistent) {
  holds<message_passing<memory_order_relaxed, memory_order_relaxed>>({.model = memory_model::weak, .stale = 0});
  holds<stores_crossed<memory_order_relaxed>>({.model = memory_model::weak, .stale = 0});
}
