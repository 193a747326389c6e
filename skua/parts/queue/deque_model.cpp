// SPDX-License-Identifier: MIT
// The deque under every schedule of small scripts: each entry is taken exactly once, and no request for
// attention is lost. A check that cannot fail proves nothing, so with a broken façade each script must find the
// violation. deque.md says which.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "skua/parts/queue/deque.hpp"
#include "skua/parts/queue/deque_mutants_for_test.hpp"
#include "skua/parts/queue/deque_sleepers_for_test.hpp"
#include "skua/parts/queue/moved_entries_for_test.hpp"
#include "tests/explorer/expect.hpp"
#include "tests/explorer/explorer.hpp"
#include "tests/explorer/model_sync.hpp"
#include "tests/explorer/mutants.hpp"

namespace {

using namespace skua::explorer;
using namespace skua::runtime::deque_mutants;
using namespace skua::runtime::deque_sleepers;
using skua::runtime::attention, skua::runtime::entry, skua::runtime::outcome;

constexpr std::uint64_t extra_of(std::size_t id) { return 7 * id + 1; }

/// A deque of numbered entries, and how often each was taken.
template <class Sync, int BiasAfter = 64>
class ledger {
 public:
  ledger() : queue_({.capacity = 2, .kind = Sync::kind(), .bias_after = {BiasAfter, BiasAfter}, .memory = &memory()}) {}

  void push() {
    auto const id = ++pushed_;
    if (queue_.push(reinterpret_cast<void*>(id), extra_of(id))) {
      require(queue_.poll() != attention::full, "there is memory");
    }
  }
  void pop() {
    entry e;
    if (queue_.pop(e)) {
      take_own(e);
    } else {
      gone_ = pushed_;
    }
  }
  void pop_oldest() {
    entry e;
    if (queue_.pop_oldest(e)) take_own(e);
  }
  void steal() {
    entry e;
    skua::runtime::revocation_count spent;
    if (queue_.outside().steal(e, spent) == outcome::got) take(e);
    require(spent.heavy_fences <= spent.revocations && spent.revocations <= 1, "a steal costs at most one heavy fence");
  }
  void check() {
    entry e;
    while (queue_.pop(e)) take_own(e);
    for (std::size_t id = 1; id <= pushed_; ++id) {
      require(taken_[id] >= 1, "no entry is lost");
      require(taken_[id] <= 1, "no entry is taken twice");
    }
  }

 private:
  void take_own(entry e) {
    require(reinterpret_cast<std::uintptr_t>(e.task) > gone_, "a pop fails only if thieves have all");
    take(e);
  }
  void take(entry e) {
    auto const id = reinterpret_cast<std::uintptr_t>(e.task);
    require(id >= 1 && id <= pushed_, "what is taken was pushed");
    require(e.extra == extra_of(id), "both words belong together");
    ++taken_[id % taken_.size()];
  }

  skua::runtime::deque<Sync> queue_;
  std::size_t pushed_ = 0;
  std::size_t gone_ = 0;  // entries that are gone, as a pop has told the owner
  std::array<int, 8> taken_{};
};

template <class Sync, int BiasAfter = 64>
struct one_thief_two_steals {
  static constexpr int threads = 2;
  ledger<Sync, BiasAfter> l;
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

/// The owner pops without a fence, answers, fences, and takes the bias back after one pop, at the same oldest entry and
/// at a later one, while a thief steals again and again.
template <class Sync, int Steals, int Threads = 2>
struct biased_again {
  static constexpr int threads = Threads;
  ledger<Sync, 1> l;
  biased_again() {
    l.push();
    l.push();
  }
  void run(int me) {
    if (me == 0) {
      l.push();
      l.pop();
      l.push();
      l.pop();
      l.pop();
      l.push();
      l.pop();
      l.pop();
    } else {
      for (int i = 0; i < Steals; ++i) l.steal();
    }
  }
  void finish() { l.check(); }
};

/// The owner answers before the thief has written its infinity, and takes the bias back afterwards: its position must
/// not be older than that infinity.
template <class Sync>
struct answered_early {
  static constexpr int threads = 2;
  ledger<Sync, 1> l;
  answered_early() { l.push(); }
  void run(int me) {
    if (me == 1) return l.steal();
    l.pop();
    l.pop();
    l.push();
    l.push();
    l.pop();
    l.push();
    l.pop();
  }
  void finish() { l.check(); }
};

/// Entries that are there from the start; the owner pops two and pushes one. Thieves that have read the same oldest
/// entry in two eras would take it twice if it could leave between them without moving the top.
template <class Sync, int Entries, int Steals, int Threads, int BiasAfter = 1>
struct same_place_twice {
  static constexpr int threads = Threads;
  ledger<Sync, BiasAfter> l;
  same_place_twice() {
    for (int i = 0; i < Entries; ++i) l.push();
  }
  void run(int me) {
    if (me == 0) {
      l.pop();
      l.pop();
      l.push();
    } else {
      for (int i = 0; i < (me == 1 ? Steals : 1); ++i) l.steal();
    }
  }
  void finish() { l.check(); }
};

/// The same while the bias does not come back.
template <class Sync>
using two_thieves = same_place_twice<Sync, 2, 1, 3, 64>;

/// The owner takes its own oldest entries, as it does before it parks, and then continues.
template <class Sync, int Threads>
struct oldest_of_its_own {
  static constexpr int threads = Threads;
  ledger<Sync, 1> l;
  oldest_of_its_own() {
    l.push();
    l.push();
    l.push();
  }
  void run(int me) {
    if (me == 0) {
      l.pop_oldest();
      l.pop();
      l.push();
      l.pop();
      l.pop_oldest();
    } else {
      l.steal();
    }
  }
  void finish() { l.check(); }
};

template <class Sync>
struct moved_away : skua::runtime::moved_entries<Sync, skua::runtime::deque<Sync>> {
  moved_away() {
    for (std::uintptr_t id : {1, 2}) {
      require(!this->from.push(reinterpret_cast<void*>(id)) || this->from.poll() != attention::full, "there is memory");
    }
  }
};

/// The first entry is there from the start; the second push fills the ring, so that it grows under the thief.
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

std::uint64_t const schedules =
    skua::runtime::under_tsan ? 2'000 : skua::testing::full_or<std::uint64_t>(50'000, 10'000);
constexpr options pso{.model = memory_model::pso};
constexpr options weak_of_three{.model = memory_model::weak, .preemptions = 2, .stale = 1};

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
TEST(deque_model, a_bias_that_is_revoked_and_taken_back_takes_nothing_twice) {
  holds<one_thief_two_steals<model_sync, 1>>({.preemptions = 5});
  holds<biased_again<model_sync, 2>>({.preemptions = 3});
  holds<biased_again<model_sync, 2>>({.model = memory_model::pso, .preemptions = 2});
  holds<biased_again<model_sync, 3>>({.model = memory_model::pso, .random = schedules, .seed = 3});
  holds<biased_again<model_sync, 2, 3>>({.model = memory_model::pso, .random = schedules, .seed = 4});
}
TEST(deque_model, three_threads_revoke_and_take_back) {
  holds<same_place_twice<model_sync, 2, 2, 3>>({.preemptions = 3});
  holds<same_place_twice<model_sync, 3, 2, 3>>({.preemptions = 2});
  holds<same_place_twice<model_sync, 4, 3, 2>>({.model = memory_model::pso, .preemptions = 4});
  holds<same_place_twice<model_sync, 3, 2, 3>>({.model = memory_model::pso, .random = schedules, .seed = 5});
}
TEST(deque_model, an_owner_that_takes_its_oldest_entries_keeps_the_bias_or_loses_it) {
  holds<oldest_of_its_own<model_sync, 2>>();
  holds<oldest_of_its_own<model_sync, 2>>({.model = memory_model::pso, .preemptions = 4});
  holds<oldest_of_its_own<full_model_sync, 2>>({.model = memory_model::pso, .preemptions = 4});
  holds<oldest_of_its_own<model_sync, 3>>({.model = memory_model::pso, .random = schedules, .seed = 6});
}
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

// On weak memory: all executions with at most two preemptions and two stale loads, or one where three threads run.
TEST(deque_model, one_thief_takes_nothing_twice_on_weak_memory) {
  holds<one_thief_two_steals<model_sync>>(weak);
  holds<one_thief_two_steals<model_sync, 1>>(weak);
  holds<one_thief_two_steals<full_model_sync>>(weak);
}
TEST(deque_model, two_thieves_take_nothing_twice_on_weak_memory) {
  holds<two_thieves<model_sync>>(weak_of_three);
  holds<two_thieves<full_model_sync>>(weak);
}
TEST(deque_model, a_bias_is_revoked_and_taken_back_on_weak_memory) {
  holds<biased_again<model_sync, 2>>({.model = memory_model::weak, .preemptions = 2, .stale = 1});
  holds<answered_early<model_sync>>({.model = memory_model::weak, .preemptions = 3, .stale = 1});
  holds<same_place_twice<model_sync, 2, 2, 3>>(weak_of_three);
  holds<same_place_twice<model_sync, 4, 3, 2>>(weak);
  holds<same_place_twice<model_sync, 3, 2, 3>>({.model = memory_model::weak, .random = schedules, .seed = 7});
}
TEST(deque_model, an_owner_takes_its_oldest_entries_on_weak_memory) {
  holds<oldest_of_its_own<model_sync, 2>>(weak);
  holds<oldest_of_its_own<full_model_sync, 2>>(weak);
}
TEST(deque_model, a_thief_that_finds_entries_gone_finds_where_they_went) {
  holds<moved_away<model_sync>>({.model = memory_model::weak, .stale = 1});
  holds<moved_away<full_model_sync>>({.model = memory_model::weak, .stale = 1});
}
TEST(deque_model, growth_loses_nothing_on_weak_memory) {
  holds<growth<model_sync>>(weak);
  holds<growth<full_model_sync>>(weak);
}
TEST(deque_model, long_random_runs_take_every_entry_once_on_weak_memory) {
  holds<long_day<model_sync>>({.model = memory_model::weak, .random = schedules, .seed = 8});
  holds<long_day<full_model_sync>>({.model = memory_model::weak, .random = schedules, .seed = 9});
}
TEST(deque_model, a_sleeper_misses_no_entry_on_weak_memory) {
  holds<sleeper<model_sync, 1>>(weak);
  holds<sleeper<model_sync, 3>>(weak);
  holds<sleeper<full_model_sync, 3>>(weak);
}

TEST(deque_mutant, without_heavy_fence_is_caught) {
  fails<one_thief_two_steals<without_heavy_fence>>("taken twice");
  fails<two_thieves<without_heavy_fence>>("taken twice");
}
TEST(deque_mutant, owner_without_its_fence_in_full_mode_is_caught) {
  fails<one_thief_two_steals<forgetful_owner<full_model_sync>>>("taken twice");
  fails<two_thieves<forgetful_owner<full_model_sync>>>("taken twice");
}
TEST(deque_mutant, a_short_wait_in_which_no_time_passes_is_caught) { fails<sleeper<no_time, 1>>("deadlock"); }
TEST(deque_mutant, owner_without_its_fence_while_it_has_no_bias_is_caught) {
  fails<biased_again<forgetful_owner<model_sync>, 2>>("taken twice");
}
TEST(deque_mutant, a_thief_that_answers_itself_is_caught) { fails<biased_again<answered_by_itself, 2>>("taken twice"); }
TEST(deque_mutant, answer_without_guard_is_caught) {
  fails<same_place_twice<answer_without_guard, 2, 2, 3>>("taken twice", {.preemptions = 3});
}
TEST(deque_mutant, bias_taken_early_is_caught) {
  fails<same_place_twice<bias_taken_early, 4, 3, 3>>("taken twice", {.preemptions = 2});
}
TEST(deque_mutant, guard_after_bias_is_caught) { fails<same_place_twice<guard_after_bias, 4, 3, 2>>("taken twice"); }
TEST(deque_mutant, guard_too_low_is_caught) {
  fails<same_place_twice<guard_too_low, 3, 2, 3>>("taken twice", {.preemptions = 3});
}
TEST(deque_mutant, ring_published_early_is_caught) { fails<growth<ring_published_early>>("", pso); }
TEST(deque_mutant, bottom_published_early_is_caught) { fails<one_thief_two_steals<bottom_published_early>>("", pso); }
TEST(deque_mutant, torn_exchange_is_caught) { fails<sleeper<torn_exchange, 3>>("deadlock"); }
TEST(deque_mutant, torn_compare_exchange_is_caught) { fails<two_thieves<torn_compare_exchange>>("taken twice"); }
