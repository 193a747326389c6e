// SPDX-License-Identifier: MIT
// A team's barrier under every schedule: no member passes before all are there or have left, every member passes, one is the last
// (team.md). Each mutant breaks one step.
#include "skua/machine/threads/engine/team/team_barrier.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "tests/explorer/expect.hpp"
#include "tests/explorer/explorer.hpp"
#include "tests/explorer/model_sync.hpp"

namespace {

using namespace skua::explorer;
using skua::runtime::team_barrier;
using std::memory_order, std::memory_order_acquire, std::memory_order_relaxed, std::memory_order_release;

/// Three members; each writes, passes the barrier twice, and reads what the others wrote. Member `Leaver` leaves after its
/// first write instead.
template <class Sync, int Leaver, int Members = 3, int Rounds = 2>
struct members_that_meet {
  static constexpr int threads = Members;
  struct member {
    typename Sync::template plain<int> rounds;
    typename Sync::template plain<bool> waits;
    model_atomic<int> let_go{0};
    int passed = 0;
  };
  team_barrier<Sync> counts{Members};
  std::array<member, Members> all;
  model_atomic<int> lasts{0};

  members_that_meet() {
    for (member& m : all) {
      m.rounds.set(0);
      m.waits.set(false);
    }
  }
  void run(int me) {
    member& mine = all[static_cast<std::size_t>(me)];
    for (int round = 1; round <= Rounds; ++round) {
      mine.rounds.set(round);
      if (me == Leaver) break;
      pass(mine);
      for (int other = 0; other < Members; ++other) {
        int const seen = all[static_cast<std::size_t>(other)].rounds.get();
        require(other == Leaver || seen >= round, "nobody passes before all are there");
      }
      pass(mine);  // so that no member writes while others read
    }
    switch (counts.depart()) {
      case team_barrier<Sync>::departure::opens: open(); break;
      case team_barrier<Sync>::departure::last:
        require(lasts.fetch_add(1, memory_order_relaxed) == 0, "one member is the last");
        for (member& m : all) require(m.rounds.get() >= 1, "the last sees what all did");
        break;
      default: break;
    }
  }
  void pass(member& mine) {
    mine.waits.set(true);
    if (counts.arrive()) {
      mine.waits.set(false);
      open();
    } else {
      ++mine.passed;
      while (mine.let_go.load(memory_order_acquire) < mine.passed) Sync::pause(mine.let_go, mine.passed - 1, 0);
    }
  }
  void open() {
    counts.open();
    for (member& m : all) {
      if (!m.waits.get()) continue;
      m.waits.set(false);
      m.let_go.fetch_add(1, memory_order_release);
    }
  }
  void finish() { require(lasts.load(memory_order_relaxed) == 1, "somebody is the last"); }
};

// Mutants of the atomics façade. Each breaks one thing.

struct relaxed_counts : model_sync {
  template <class T>
  struct atomic : model_atomic<T> {
    using model_atomic<T>::model_atomic;
    T fetch_add(T by, memory_order) noexcept { return model_atomic<T>::fetch_add(by, memory_order_relaxed); }
    T fetch_sub(T by, memory_order) noexcept { return model_atomic<T>::fetch_sub(by, memory_order_relaxed); }
  };
};
/// A leaving member does not see that the others wait for it alone.
struct silent_departure : model_sync {
  template <class T>
  struct atomic : model_atomic<T> {
    using model_atomic<T>::model_atomic;
    T fetch_sub(T by, memory_order order) noexcept {
      T const before = model_atomic<T>::fetch_sub(by, order);
      return before == 1 ? before : (before | (T{1} << 63));
    }
  };
};

constexpr options bounded{.preemptions = 2, .races = true};

}  // namespace

TEST(team_barrier_model, nobody_passes_before_all_are_there) {
  holds<members_that_meet<model_sync, -1>>(bounded);
  holds<members_that_meet<model_sync, -1, 2>>(weak_races);
}
TEST(team_barrier_model, member_that_leaves_is_not_waited_for) {
  holds<members_that_meet<model_sync, 0>>(bounded);
  holds<members_that_meet<model_sync, 1, 2>>(weak_races);
}
TEST(team_barrier_mutant, relaxed_counts_are_caught) {
  fails<members_that_meet<relaxed_counts, -1, 2>>("race", bounded);
}
TEST(team_barrier_mutant, silent_departure_is_caught) { fails<members_that_meet<silent_departure, 0>>("", bounded); }
