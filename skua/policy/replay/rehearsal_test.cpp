// SPDX-License-Identifier: MIT
#include "skua/policy/replay/rehearsal.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "skua/parts/base/dice.hpp"

namespace skua::inline v0::policies::replay {
namespace {

constexpr std::uint64_t price = rehearsal::price;

/// Pieces by hand. Groups of one parent must be added one after the other.
struct plan {
  std::vector<piece> pieces;
  std::vector<piece_group> groups;
  std::uint32_t root_groups = 0;

  /// Of the root (no_piece) or of a piece: one more group, with a piece for each (worker, ns).
  void group(std::uint32_t parent, std::vector<std::pair<std::uint32_t, std::uint64_t>> const& children,
             std::uint32_t inside = no_group) {
    if (parent == no_piece) {
      ++root_groups;
    } else {
      piece& p = pieces[parent];
      p.is = piece::state::opened;
      if (p.groups++ == 0) p.first_group = static_cast<std::uint32_t>(groups.size());
    }
    groups.push_back({.first = static_cast<std::uint32_t>(pieces.size()),
                      .pieces = static_cast<std::uint32_t>(children.size()),
                      .parent = parent,
                      .inside = inside});
    for (auto const& [worker, ns] : children) {
      pieces.push_back({.owner = worker, .ns = ns, .weight = ns, .assigned = worker, .parent = parent});
      pieces.back().group = static_cast<std::uint32_t>(groups.size() - 1);
      pieces.back().is = piece::state::whole;
    }
  }
  [[nodiscard]] std::uint64_t time(std::uint32_t workers) const {
    return rehearsal(workers, pieces.size()).time_of(pieces, groups, root_groups);
  }
};

TEST(rehearsal, pieces_of_one_worker_run_one_after_the_other_and_those_of_two_side_by_side) {
  plan alone;
  alone.group(no_piece, {{0, 1000}, {0, 2000}, {0, 3000}});
  EXPECT_EQ(alone.time(1), 6000 + 5 * price) << "the root before and after them";
  plan shared;
  shared.group(no_piece, {{0, 1000}, {1, 2000}, {0, 3000}});
  EXPECT_EQ(shared.time(2), 4000 + 4 * price);
}

TEST(rehearsal, groups_of_a_task_wait_for_each_other) {
  plan p;
  p.group(no_piece, {{0, 1000}, {1, 2000}});
  p.group(no_piece, {{0, 2000}, {1, 1000}});
  EXPECT_EQ(p.time(2), 4000 + 5 * price);
}

TEST(rehearsal, a_group_that_is_met_in_a_called_child_does_not_wait_for_the_one_around_it) {
  plan p;
  p.group(no_piece, {{1, 5000}});
  p.group(no_piece, {{0, 5000}}, 0);
  EXPECT_EQ(p.time(2), 5000 + 3 * price);
  p.group(no_piece, {{1, 1000}});  // after both
  EXPECT_EQ(p.time(2), 6000 + 5 * price);
}

TEST(rehearsal, what_a_piece_runs_itself_it_runs_after_it_has_sent_the_rest) {
  plan p;
  p.group(no_piece, {{1, 5000}});
  p.group(0, {{0, 3000}});
  EXPECT_EQ(p.time(2), 5000 + 3 * price);
}

TEST(rehearsal, what_a_piece_sends_waits_behind_what_its_worker_was_sent_before) {
  plan p;
  p.group(no_piece, {{1, 1000}, {0, 9000}});
  p.group(0, {{0, 500}, {1, 500}});
  // Worker 1 sends one of them, and waits until worker 0 has run 9000 and then that.
  EXPECT_EQ(p.time(2), (9000 + price) + (500 + price) + 3 * price);
}

TEST(rehearsal, of_random_plans_takes_as_long_as_the_busiest_worker_at_least_and_as_all_in_a_row_at_most) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    runtime::dice roll(seed);
    std::uint32_t const workers = 1 + roll.below(6);
    plan p;
    auto const some = [&] {
      std::vector<std::pair<std::uint32_t, std::uint64_t>> children(1 + roll.below(4));
      for (auto& [worker, ns] : children) {
        worker = roll.below(workers);
        ns = 12 * roll.below(1000);
      }
      return children;
    };
    for (std::uint32_t g = 0; g <= roll.below(3); ++g) p.group(no_piece, some());
    for (std::uint32_t parent = 0; parent < p.pieces.size() && p.pieces.size() < 100; ++parent) {
      for (std::uint32_t g = roll.below(3); g > 0; --g) p.group(parent, some());
    }
    std::vector<std::uint64_t> loads(workers);
    std::uint64_t all = 0;
    std::uint64_t segments = 1 + p.root_groups;
    for (piece const& each : p.pieces) {
      std::uint64_t const ns = each.groups > 0 ? each.ns / each.groups * each.groups : each.ns;
      loads[each.worker()] += ns;
      all += ns;
      segments += 1 + each.groups;
    }
    std::uint64_t const time = p.time(workers);
    EXPECT_GE(time, std::ranges::max(loads)) << "seed " << seed;
    EXPECT_LE(time, all + segments * price) << "seed " << seed;
    if (workers == 1) {
      EXPECT_EQ(time, all + segments * price) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace skua::inline v0::policies::replay
