// SPDX-License-Identifier: MIT
// A member that throws leaves its team, which hears of it; without memory for a team its task runs alone.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <stdexcept>

#include "skua/machine/threads/team/gambling_for_test.hpp"
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

}  // namespace
