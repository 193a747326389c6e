// SPDX-License-Identifier: MIT
// A member that throws leaves its team, and the team learns of it; without memory for a team its task runs alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>

#include "skua/machine/threads/engine/team/gambling_for_test.hpp"
#include "skua/skua.hpp"
#include "tests/programs/wait_until.hpp"

namespace {

using skua::testing::with_teams;

struct thrown : std::runtime_error {
  thrown() : runtime_error("a member") {}
};

/// One team at a time, until `wanted` have had several members. The last member of such a team throws where before(team) ends;
/// the others call after(team) then. Returns how often what follows a team has begun.
int run_and_throw(int wanted, auto&& before, auto&& after) {
  std::atomic<int> had{0};
  std::atomic<int> followed{0};
  for (std::uint64_t seed = 1; had < wanted; ++seed) {
    with_teams(3, seed, [&](auto& here) {
      bool threw = false;
      std::atomic<bool> is_wide{false};
      try {
        here.finish([&](auto& region) {
          region.spawn_team(
              {},
              [&](auto& team) {
                if (team.width() == 1) return;
                before(team);
                if (team.member() == team.width() - 1) {
                  is_wide = true;
                  throw thrown{};
                }
                after(team);
              },
              [&](auto&) {
                if (is_wide) ++followed;
              });
        });
      } catch (thrown const&) {
        threw = true;
      }
      EXPECT_EQ(threw, is_wide.load());
      had += threw ? 1 : 0;
    });
  }
  return followed;
}

TEST(failed_teams, the_other_members_are_asked_to_stop) {
  run_and_throw(
      5, [](auto&) {},
      [](auto& team) {
        skua::testing::wait_until("a member hears of the failure", [&] { return team.here().stop_requested(); });
      });
}

TEST(failed_teams, who_has_left_takes_no_part_in_reductions) {
  std::atomic<int> wrong{0};
  run_and_throw(
      20,
      [&](auto& team) {
        if (team.reduce(1U, std::plus<>{}) != team.width()) ++wrong;
      },
      [&](auto& team) {
        team.barrier();
        if (team.reduce(1U, std::plus<>{}) != team.width() - 1) ++wrong;
      });
  EXPECT_EQ(wrong, 0);
}

TEST(failed_teams, nothing_follows_them) {
  EXPECT_EQ(run_and_throw(10, [](auto&) {}, [](auto&) {}), 0);
}

/// Atomic, so that the compiler keeps them.
using words_of_stack = std::array<std::atomic<std::uint64_t>, 1024>;

/// barrier() far from where the stack begins.
[[gnu::noinline]] void meet_far_down(auto& team) {
  words_of_stack room{};
  team.barrier();
  room.back() = 0;
}

/// Has the part of the stack where a member has met the others.
[[gnu::noinline]] bool stays_as_it_is(auto&& until) {
  std::array<words_of_stack, 2> mine{};
  until();
  return std::ranges::all_of(mine, [](auto const& half) {
    return std::ranges::all_of(half, [](auto const& word) { return word.load() == 0; });
  });
}

std::uint64_t parked(skua::pool const& pool) {
  std::uint64_t n = 0;
  for (auto const& c : pool.counters()) n += c.parked;
  return n;
}

/// Member 1 parks at a barrier, and leaves. Its worker runs another task on the same stack while member 0 passes another barrier.
TEST(failed_teams, nobody_touches_the_stack_of_who_has_left) {
  bool met = false;
  for (std::uint64_t seed = 1; !met; ++seed) {
    skua::pool pool({.workers = 2});
    auto const region = pool.open_region(skua::testing::gamble(seed));
    std::atomic<bool> has_begun{false};
    std::atomic<std::uint64_t> parked_before{~std::uint64_t{0}};
    std::atomic<bool> is_used{false};
    std::atomic<bool> has_passed{false};
    std::atomic<bool> is_left_alone{false};
    try {
      region.run([&](auto& here) {
        skua::testing::run_teams(here, 1, [&](auto& team, int) {
          if (team.width() == 1) return;
          if (team.member() == 1) {
            met = true;
            skua::testing::wait_until("the other member has begun", [&] { return has_begun.load(); });
            parked_before = parked(pool);
            meet_far_down(team);
            pool.enqueue([&] {
              is_left_alone = stays_as_it_is([&] {
                is_used = true;
                skua::testing::wait_until("the barrier is passed", [&] { return has_passed.load(); });
              });
            });
            throw thrown{};
          }
          has_begun = true;
          skua::testing::wait_until("the other member parks", [&] { return parked(pool) > parked_before.load(); });
          team.barrier();
          skua::testing::wait_until("the stack is used again", [&] { return is_used.load(); });
          team.barrier();
          has_passed = true;
        });
      });
      EXPECT_FALSE(met);
    } catch (thrown const&) {}
    pool.drain();
    EXPECT_EQ(is_left_alone.load(), met);
  }
}

}  // namespace
