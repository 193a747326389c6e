// SPDX-License-Identifier: MIT
// The deque of joins under every schedule of small scripts: each entry is taken exactly once, by a thief or by the join that pushed it, and no
// request for attention is lost. With a broken façade each script must find the violation. fork_deque.md says which.
#include "skua/parts/queue/fork_deque.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "skua/parts/queue/deque_mutants_for_test.hpp"
#include "skua/parts/queue/fork_deque_mutants_for_test.hpp"
#include "skua/parts/queue/fork_deque_sleepers_for_test.hpp"
#include "skua/parts/queue/moved_entries_for_test.hpp"
#include "tests/explorer/expect.hpp"
#include "tests/explorer/explorer.hpp"
#include "tests/explorer/model_sync.hpp"
#include "tests/explorer/mutants.hpp"

namespace {

using namespace skua::explorer;
using namespace skua::runtime::fork_deque_mutants;
using namespace skua::runtime::fork_deque_sleepers;
using skua::runtime::attention, skua::runtime::entry, skua::runtime::fork_deque, skua::runtime::fork_slot,
    skua::runtime::outcome, skua::runtime::revocation_count;
namespace shared_mutants = skua::runtime::deque_mutants;

constexpr std::uint64_t extra_of(std::size_t id) { return 7 * id + 1; }

/// The joins of one owner, with numbered entries, and how often each was taken.
template <class Sync, int BiasAfter = 64>
class ledger {
 public:
  ledger() : joins_({.capacity = 6, .kind = Sync::kind(), .bias_after = {BiasAfter, BiasAfter}, .memory = &memory()}) {}

  void open() {
    auto const id = ++pushed_;
    fork_slot<Sync>& at = joins_.first_free();
    require(joins_.index_of(at) == static_cast<std::int64_t>(depth_), "the first free slot is behind the open joins");
    open_.at(depth_++) = {id, &at};
    if (joins_.push(at, reinterpret_cast<void*>(id), extra_of(id))) {
      require(joins_.poll() != attention::full, "there is room");
    }
  }
  void close() {
    auto const [id, at] = open_.at(--depth_);
    if (joins_.pop(*at)) {
      take({reinterpret_cast<void*>(id), extra_of(id)});
    } else {
      require(joins_.is_empty(), "a join that was taken leaves an empty deque");
    }
  }
  /// The policy wants to see the join: it goes on as another kind, unless a thief has it.
  void take_back() {
    auto const [id, at] = open_.at(depth_ - 1);
    if (!joins_.take_back(*at)) return;
    take({reinterpret_cast<void*>(id), extra_of(id)});
    --depth_;
  }
  /// As before the fiber parks: its joins stay open, and others take all entries.
  void offer() {
    entry e;
    while (!joins_.is_empty()) {
      if (joins_.pop_oldest(e)) take(e);
    }
  }
  /// As note_steals: the owner asks which of its open joins were taken.
  void note() {
    joins_.each_stolen([this](void* task, std::int64_t place) {
      auto const id = reinterpret_cast<std::uintptr_t>(task);
      require(place < static_cast<std::int64_t>(depth_) && open_.at(static_cast<std::size_t>(place)).id == id,
              "only open joins are told");
      require(!told_.at(id), "a stolen join is told once");
      told_.at(id) = true;
    });
  }
  void steal() {
    entry e;
    revocation_count spent;
    if (joins_.outside().steal(e, spent) == outcome::got) take(e);
    require(spent.heavy_fences <= spent.revocations && spent.revocations <= 1, "a steal costs at most one heavy fence");
  }
  void check() {
    while (depth_ > 0) close();
    for (std::size_t id = 1; id <= pushed_; ++id) {
      require(taken_[id] >= 1, "no entry is lost");
      require(taken_[id] <= 1, "no entry is taken twice");
    }
  }

 private:
  void take(entry e) {
    auto const id = reinterpret_cast<std::uintptr_t>(e.task);
    require(id >= 1 && id < taken_.size(), "what is taken was pushed");
    require(e.extra == extra_of(id), "both words belong together");
    ++taken_[id];
  }
  fork_deque<Sync> joins_;
  std::size_t pushed_ = 0;
  std::array<int, 10> taken_{};
  std::array<bool, 10> told_{};
  struct open_join {
    std::size_t id;
    fork_slot<Sync>* at;
  };
  std::array<open_join, 6> open_{};
  std::size_t depth_ = 0;
};

template <class Sync>
struct moved_away : skua::runtime::moved_entries<Sync, fork_deque<Sync>> {
  moved_away() {
    for (std::uintptr_t id : {1, 2}) {
      require(!this->from.push(this->from.first_free(), reinterpret_cast<void*>(id)) ||
                  this->from.poll() != attention::full,
              "there is room");
    }
  }
};

/// The owner opens and closes joins as this text says: ( ); b: it takes the newest back; o: it offers all; n: it asks what was stolen. The thieves steal.
template <class Sync, int BiasAfter, int Steals, int Threads, char... Steps>
struct joins {
  static constexpr int threads = Threads;
  ledger<Sync, BiasAfter> l;
  void run(int me) {
    if (me == 0) {
      (step(Steps), ...);
    } else {
      for (int i = 0; i < (me == 1 ? Steals : 1); ++i) l.steal();
    }
  }
  void finish() { l.check(); }
  void step(char s) {
    if (s == '(') l.open();
    if (s == ')') l.close();
    if (s == 'b') l.take_back();
    if (s == 'o') l.offer();
    if (s == 'n') l.note();
  }
};

/// As joins, but these are open from the start.
template <class Sync, int BiasAfter, int Open, int Steals, int Threads, char... Steps>
struct open_joins : joins<Sync, BiasAfter, Steals, Threads, Steps...> {
  open_joins() {
    for (int i = 0; i < Open; ++i) this->l.open();
  }
};

// A join within a join, then two more at the same depths.
template <class Sync, int BiasAfter, int Steals = 2, int Threads = 2>
using nested = joins<Sync, BiasAfter, Steals, Threads, '(', '(', ')', '(', ')', ')', '(', ')'>;
// The same slot again and again: a thief that has read the oldest entry must not take the next one in its place.
template <class Sync, int BiasAfter, int Steals = 1, int Threads = 2>
using same_slot = joins<Sync, BiasAfter, Steals, Threads, '(', ')', '(', ')', '(', ')'>;
// The outer joins are stolen while the inner ones come and go, so that the top moves back.
template <class Sync, int BiasAfter, int Steals = 3, int Threads = 2>
using back_again = open_joins<Sync, BiasAfter, 2, Steals, Threads, 'n', ')', '(', 'n', ')', ')', '(', '(', 'n', ')'>;
template <class Sync, int BiasAfter, int Steals = 2, int Threads = 2>
using biased_again = open_joins<Sync, BiasAfter, 2, Steals, Threads, '(', ')', '(', ')', ')', '(', ')', ')'>;
template <class Sync, int BiasAfter, int Open, int Steals, int Threads>
using same_place_twice = open_joins<Sync, BiasAfter, Open, Steals, Threads, ')', ')', '('>;
template <class Sync, int BiasAfter = 64>
using two_thieves = same_place_twice<Sync, BiasAfter, 2, 1, 3>;
// All entries are offered, as before a fiber parks; then the joins end, and others begin.
template <class Sync, int Steals, int Threads>
using offered = open_joins<Sync, 1, 2, Steals, Threads, 'o', '(', ')', ')', '(', ')', 'o', ')'>;
// The owner takes joins back, and closes those that it did not get.
template <class Sync, int Steals = 2>
using taken_back = joins<Sync, 1, Steals, 2, '(', '(', 'n', 'b', 'n', '(', 'n', 'b', 'n', ')', '(', 'b', '('>;
template <class Sync>
using long_day = joins<Sync, 2, 3, 3, '(', '(', '(', ')', '(', ')', ')', '(', '(', ')', ')', ')', '(', ')'>;

std::uint64_t const schedules =
    skua::runtime::under_tsan ? 2'000 : skua::testing::full_or<std::uint64_t>(50'000, 10'000);
constexpr options pso{.model = memory_model::pso};
constexpr options weak_of_three{.model = memory_model::weak, .preemptions = 2, .stale = 1};
constexpr options pso_within(int preemptions) { return {.model = memory_model::pso, .preemptions = preemptions}; }
options random_of(memory_model m, std::uint64_t seed) { return {.model = m, .random = schedules, .seed = seed}; }

}  // namespace

TEST(fork_deque_model, nested_joins_take_nothing_twice) {
  holds<nested<model_sync, 64>>({.preemptions = 3});
  holds<nested<model_sync, 1>>({.preemptions = 3});
  holds<nested<model_sync, 1>>(pso_within(2));
  holds<nested<full_model_sync, 64>>({.preemptions = 3});
  holds<nested<model_sync, 1, 2, 3>>(random_of(memory_model::pso, 10));
}
TEST(fork_deque_model, the_next_entry_in_a_slot_is_not_taken_for_the_last) {
  holds<same_slot<model_sync, 1>>();
  holds<same_slot<model_sync, 1>>(pso_within(4));
  holds<same_slot<model_sync, 64, 2>>({.preemptions = 4});
  holds<same_slot<full_model_sync, 64>>();
  holds<same_slot<model_sync, 1, 2, 3>>(random_of(memory_model::pso, 11));
}
TEST(fork_deque_model, joins_that_end_move_the_top_back) {
  holds<back_again<model_sync, 1>>({.preemptions = 3});
  holds<back_again<model_sync, 64>>({.preemptions = 3});
  holds<back_again<model_sync, 1>>(pso_within(2));
  holds<back_again<full_model_sync, 64>>(pso_within(2));
  holds<back_again<model_sync, 1, 2, 3>>(random_of(memory_model::pso, 12));
}
TEST(fork_deque_model, two_thieves_take_nothing_twice) {
  holds<two_thieves<model_sync>>();
  holds<two_thieves<full_model_sync>>();
}
TEST(fork_deque_model, a_bias_that_is_revoked_and_taken_back_takes_nothing_twice) {
  holds<biased_again<model_sync, 1>>({.preemptions = 3});
  holds<biased_again<model_sync, 1>>(pso_within(2));
  holds<biased_again<model_sync, 1, 3>>(random_of(memory_model::pso, 3));
  holds<biased_again<model_sync, 1, 2, 3>>(random_of(memory_model::pso, 4));
}
TEST(fork_deque_model, three_threads_revoke_and_take_back) {
  holds<same_place_twice<model_sync, 1, 2, 2, 3>>({.preemptions = 3});
  holds<same_place_twice<model_sync, 1, 3, 2, 3>>({.preemptions = 2});
  holds<same_place_twice<model_sync, 1, 4, 3, 2>>(pso_within(4));
  holds<same_place_twice<model_sync, 1, 3, 2, 3>>(random_of(memory_model::pso, 5));
}
TEST(fork_deque_model, an_owner_offers_its_entries_and_goes_on) {
  holds<offered<model_sync, 2, 2>>({.preemptions = 3});
  holds<offered<model_sync, 2, 2>>(pso_within(2));
  holds<offered<full_model_sync, 2, 2>>(pso_within(2));
  holds<offered<model_sync, 2, 3>>(random_of(memory_model::pso, 6));
}
TEST(fork_deque_model, a_thief_that_finds_entries_gone_finds_where_they_went) {
  holds<moved_away<model_sync>>({.model = memory_model::weak, .stale = 1});
  holds<moved_away<full_model_sync>>({.model = memory_model::weak, .stale = 1});
}
TEST(fork_deque_model, an_owner_takes_joins_back) {
  holds<taken_back<model_sync>>({.preemptions = 3});
  holds<taken_back<model_sync>>(pso_within(2));
  holds<taken_back<full_model_sync>>(pso_within(2));
  holds<taken_back<model_sync, 1>>({.model = memory_model::weak, .preemptions = 2, .stale = 1});
}
TEST(fork_deque_model, a_sleeper_misses_no_entry) {
  holds<sleeper<model_sync, 3>>();
  holds<sleeper<model_sync, 3>>(pso);
  holds<sleeper<full_model_sync, 3>>(pso);
  holds<sleeper<model_sync, 1>>(weak);
  holds<sleeper<model_sync, 3>>(weak);
  holds<sleeper<full_model_sync, 3>>(weak);
}
TEST(fork_deque_model, a_sleeper_misses_no_entry_where_the_top_moves_back) {
  holds<sleeper_and_ended_joins<model_sync>>(pso);
  holds<sleeper_and_ended_joins<full_model_sync>>(pso);
  holds<sleeper_and_ended_joins<model_sync>>(weak);
}
TEST(fork_deque_model, a_sleeper_misses_no_entry_of_an_owner_that_hears_of_every_push) {
  holds<sleeper_and_counter<model_sync, 3>>(pso);
  holds<sleeper_and_counter<full_model_sync, 3>>(pso);
  holds<sleeper_and_counter<model_sync, 3>>(weak);
}
TEST(fork_deque_model, a_sleeper_misses_no_entry_of_an_owner_that_asks_itself) {
  holds<sleeper_and_keeper<model_sync>>(pso);
  holds<sleeper_and_keeper<full_model_sync>>(pso);
  holds<sleeper_and_keeper<model_sync>>(weak);
}
TEST(fork_deque_model, long_random_runs_take_every_entry_once) {
  holds<long_day<model_sync>>(random_of(memory_model::pso, 1));
  holds<long_day<full_model_sync>>(random_of(memory_model::pso, 2));
  holds<long_day<model_sync>>(random_of(memory_model::weak, 8));
  holds<long_day<full_model_sync>>(random_of(memory_model::weak, 9));
}

// On weak memory: all executions with at most two preemptions and two stale loads, or one where three threads run.
TEST(fork_deque_model, nothing_is_taken_twice_on_weak_memory) {
  holds<nested<model_sync, 1>>({.model = memory_model::weak, .preemptions = 2, .stale = 1});
  holds<nested<full_model_sync, 64>>({.model = memory_model::weak, .preemptions = 2, .stale = 1});
  holds<same_slot<model_sync, 1>>(weak);
  holds<same_slot<full_model_sync, 64>>(weak);
  holds<back_again<model_sync, 1>>({.model = memory_model::weak, .preemptions = 2, .stale = 1});
  holds<two_thieves<model_sync>>(weak_of_three);
  holds<two_thieves<full_model_sync>>(weak);
  holds<biased_again<model_sync, 1>>({.model = memory_model::weak, .preemptions = 2, .stale = 1});
  holds<same_place_twice<model_sync, 1, 2, 2, 3>>(weak_of_three);
  holds<same_place_twice<model_sync, 1, 4, 3, 2>>(weak);
  holds<same_place_twice<model_sync, 1, 3, 2, 3>>(random_of(memory_model::weak, 7));
  holds<offered<model_sync, 1, 2>>({.model = memory_model::weak, .preemptions = 2, .stale = 1});
}

TEST(fork_deque_mutant, without_heavy_fence_is_caught) {
  fails<nested<shared_mutants::without_heavy_fence, 64>>("taken twice");
  fails<two_thieves<shared_mutants::without_heavy_fence>>("taken twice");
}
TEST(fork_deque_mutant, owner_without_its_fence_is_caught) {
  fails<nested<shared_mutants::forgetful_owner<full_model_sync>, 64>>("taken twice", {.preemptions = 3});
  fails<biased_again<shared_mutants::forgetful_owner<model_sync>, 1>>("taken twice", {.preemptions = 3});
}
TEST(fork_deque_mutant, a_thief_that_answers_itself_is_caught) {
  fails<biased_again<shared_mutants::answered_by_itself, 1>>("taken twice");
}
TEST(fork_deque_mutant, answer_without_guard_is_caught) {
  fails<same_place_twice<answer_without_guard, 1, 2, 2, 3>>("taken twice", {.preemptions = 3});
}
TEST(fork_deque_mutant, bias_taken_early_is_caught) {
  fails<same_place_twice<bias_taken_early, 1, 4, 3, 3>>("taken twice", {.preemptions = 2});
}
TEST(fork_deque_mutant, guard_too_low_is_caught) {
  fails<same_place_twice<guard_too_low, 1, 3, 2, 3>>("taken twice", {.preemptions = 3});
}
TEST(fork_deque_mutant, a_top_that_moves_back_with_the_same_stamp_is_caught) { fails<same_slot<same_stamp, 64>>(""); }
TEST(fork_deque_mutant, published_early_is_caught) { fails<nested<published_early, 64>>("", pso); }
TEST(fork_deque_mutant, a_short_wait_in_which_no_time_passes_is_caught) { fails<sleeper<no_time, 1>>("deadlock"); }
TEST(fork_deque_mutant, torn_exchange_is_caught) { fails<sleeper<shared_mutants::torn_exchange, 3>>("deadlock"); }
TEST(fork_deque_mutant, torn_compare_exchange_is_caught) {
  fails<two_thieves<shared_mutants::torn_compare_exchange>>("taken twice");
}
