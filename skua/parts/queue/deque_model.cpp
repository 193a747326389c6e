// SPDX-License-Identifier: MIT
// The deque under every schedule of small scripts: each entry is taken exactly once, and no request for
// attention is lost. A check that cannot fail proves nothing, so with a broken façade each script must find the
// violation. deque.md says which.
#include <gtest/gtest.h>

#include <array>

#include "skua/parts/queue/deque.hpp"
#include "tests/explorer/expect.hpp"
#include "tests/explorer/explorer.hpp"
#include "tests/explorer/model_sync.hpp"

namespace {

using namespace skua::explorer;
using skua::runtime::attention, skua::runtime::entry, skua::runtime::outcome;

// Mutants, each of which breaks one thing.

/// membarrier has no effect on other threads.
struct without_heavy_fence : model_sync {
  static void heavy_fence() noexcept { full_fence(); }
};

/// No kernel support, and the owner (thread 0) forgets its fence; thieves keep theirs.
struct forgetful_owner : full_model_sync {
  static void full_fence() noexcept {
    if (current_world()->thread() != 0) model_sync::full_fence();
  }
};

/// The ring is published without waiting for the copies.
struct ring_published_early : model_sync {
  template <class T>
  struct atomic : model_atomic<T> {
    using model_atomic<T>::model_atomic;
    void store(T value, std::memory_order order) noexcept {
      model_atomic<T>::store(value, std::is_pointer_v<T> ? std::memory_order_relaxed : order);
    }
  };
};

/// The bottom is published without waiting for the slot.
struct bottom_published_early : model_sync {
  template <class T>
  struct atomic : model_atomic<T> {
    using model_atomic<T>::model_atomic;
    void store(T value, std::memory_order order) noexcept {
      model_atomic<T>::store(value, std::is_same_v<T, std::int64_t> ? std::memory_order_relaxed : order);
    }
  };
};

/// Exchange is a load and a store: it overwrites what comes between.
struct torn_exchange : model_sync {
  template <class T>
  struct atomic : model_atomic<T> {
    using model_atomic<T>::model_atomic;
    T exchange(T value, std::memory_order order) noexcept {
      auto const old = this->load(order);
      model_atomic<T>::store(value, order);
      return old;
    }
  };
};

/// Thieves and the owner's last pop move the top without looking whether it has moved.
struct torn_compare_exchange : model_sync {
  template <class T>
  struct atomic : model_atomic<T> {
    using model_atomic<T>::model_atomic;
    bool compare_exchange_strong(T& expected, T desired, std::memory_order order, std::memory_order) noexcept {
      auto const old = this->load(order);
      if (old != expected) return false;
      model_atomic<T>::store(desired, std::memory_order_seq_cst);
      return true;
    }
  };
};

constexpr std::uint64_t extra_of(std::size_t id) { return 7 * id + 1; }

/// A deque of numbered entries, and how often each was taken.
template <class Sync>
class ledger {
 public:
  ledger() : queue_({.capacity = 2, .kind = Sync::kind(), .memory = &memory()}) {}

  void push() {
    auto const id = ++pushed_;
    if (queue_.push(reinterpret_cast<void*>(id), extra_of(id))) {
      require(queue_.poll() != attention::full, "there is memory");
    }
  }
  void pop() {
    entry e;
    if (queue_.pop(e)) take(e);
  }
  void steal() {
    entry e;
    if (queue_.outside().steal(e) == outcome::got) take(e);
  }
  void check() {
    entry e;
    while (queue_.pop(e)) take(e);
    for (std::size_t id = 1; id <= pushed_; ++id) {
      require(taken_[id] >= 1, "no entry is lost");
      require(taken_[id] <= 1, "no entry is taken twice");
    }
  }

 private:
  void take(entry e) {
    auto const id = reinterpret_cast<std::uintptr_t>(e.task);
    require(id >= 1 && id <= pushed_, "what is taken was pushed");
    require(e.extra == extra_of(id), "both words belong together");
    ++taken_[id % taken_.size()];
  }

  skua::runtime::deque<Sync> queue_;
  std::size_t pushed_ = 0;
  std::array<int, 8> taken_{};
};

template <class Sync>
struct one_thief_two_steals {
  static constexpr int threads = 2;
  ledger<Sync> l;
  void run(int me) {
    if (me == 0) {
      l.push();
      l.push();
      l.pop();
      l.pop();
      l.push();
    } else {
      l.steal();
      l.steal();
    }
  }
  void finish() { l.check(); }
};

/// Two entries are there before anybody looks; then three threads take.
template <class Sync>
struct two_thieves {
  static constexpr int threads = 3;
  ledger<Sync> l;
  two_thieves() {
    l.push();
    l.push();
  }
  void run(int me) {
    if (me == 0) {
      l.pop();
      l.pop();
      l.push();
    } else {
      l.steal();
    }
  }
  void finish() { l.check(); }
};

/// The first entry is there before anybody looks; the second push fills the ring, so that it grows under the thief.
template <class Sync>
struct growth {
  static constexpr int threads = 2;
  ledger<Sync> l;
  growth() { l.push(); }
  void run(int me) {
    if (me == 0) {
      l.push();
      l.push();
      l.pop();
    } else {
      l.steal();
      l.steal();
    }
  }
  void finish() { l.check(); }
};

/// Too large for all schedules: two thieves, two growths, an owner that pushes and pops in turn.
template <class Sync>
struct long_day {
  static constexpr int threads = 3;
  ledger<Sync> l;
  void run(int me) {
    for (int i = 0; i < 3; ++i) {
      if (me == 0) {
        l.push();
        l.push();
        l.pop();
      } else {
        l.steal();
      }
    }
    if (me == 0) l.pop();
  }
  void finish() { l.check(); }
};

/// A thread that requests attention, fences, sees nothing and sleeps is woken by the owner of the next entry
/// (deque.md). With two or more pushes the owner refreshes the limit, which races with the request.
template <class Sync, int Pushes>
struct sleeper {
  static constexpr int threads = 2;
  skua::runtime::deque<Sync> queue{{.capacity = 2, .kind = Sync::kind(), .memory = &memory()}};
  typename Sync::template atomic<int> asleep{0};

  void run(int me) {
    if (me == 0) {
      for (int i = 0; i < Pushes; ++i) {
        if (queue.push(this) && queue.poll() == attention::requested) wake();
      }
      return;
    }
    auto const victim = queue.outside();
    asleep.store(1, std::memory_order_seq_cst);
    victim.request_attention();
    Sync::heavy_fence();
    if (victim.looks_empty()) asleep.wait(1, std::memory_order_acquire);
  }
  void wake() {
    if (asleep.load(std::memory_order_relaxed) == 0)
      require(false, "a request for attention shows what was announced before it");
    if (asleep.exchange(0, std::memory_order_acq_rel) == 1) asleep.notify_all();
  }
  void finish() {}
};

constexpr std::uint64_t schedules = skua::runtime::under_tsan ? 2'000 : 50'000;
constexpr options pso{.model = memory_model::pso};

}  // namespace

TEST(deque_model, one_thief_that_steals_twice_takes_nothing_twice) {
  holds<one_thief_two_steals<model_sync>>();
  holds<one_thief_two_steals<model_sync>>(pso);
}
TEST(deque_model, one_thief_that_steals_twice_takes_nothing_twice_with_full_fences) {
  holds<one_thief_two_steals<full_model_sync>>();
}
TEST(deque_model, two_thieves_take_nothing_twice) { holds<two_thieves<model_sync>>(); }
TEST(deque_model, two_thieves_take_nothing_twice_with_full_fences) { holds<two_thieves<full_model_sync>>(); }
TEST(deque_model, growth_loses_nothing_and_doubles_nothing) {
  holds<growth<model_sync>>();
  holds<growth<model_sync>>(pso);
}
TEST(deque_model, growth_loses_nothing_and_doubles_nothing_with_full_fences) { holds<growth<full_model_sync>>(pso); }
TEST(deque_model, long_random_runs_take_every_entry_once) {
  holds<long_day<model_sync>>({.model = memory_model::pso, .random = schedules, .seed = 1});
  holds<long_day<full_model_sync>>({.model = memory_model::pso, .random = schedules, .seed = 2});
}
TEST(deque_model, a_sleeper_misses_no_entry) {
  holds<sleeper<model_sync, 3>>();
  holds<sleeper<model_sync, 3>>(pso);
}
TEST(deque_model, a_sleeper_misses_no_entry_with_full_fences) { holds<sleeper<full_model_sync, 3>>(pso); }

TEST(deque_mutant, without_heavy_fence_is_caught) {
  fails<one_thief_two_steals<without_heavy_fence>>("taken twice");
  fails<two_thieves<without_heavy_fence>>("taken twice");
  fails<sleeper<without_heavy_fence, 1>>("deadlock");
}
TEST(deque_mutant, owner_without_its_fence_in_full_mode_is_caught) {
  fails<one_thief_two_steals<forgetful_owner>>("taken twice");
  fails<two_thieves<forgetful_owner>>("taken twice");
  fails<sleeper<forgetful_owner, 1>>("deadlock");
}
TEST(deque_mutant, ring_published_early_is_caught) { fails<growth<ring_published_early>>("", pso); }
TEST(deque_mutant, bottom_published_early_is_caught) { fails<one_thief_two_steals<bottom_published_early>>("", pso); }
TEST(deque_mutant, torn_exchange_is_caught) { fails<sleeper<torn_exchange, 3>>("deadlock"); }
TEST(deque_mutant, torn_compare_exchange_is_caught) { fails<two_thieves<torn_compare_exchange>>("taken twice"); }
