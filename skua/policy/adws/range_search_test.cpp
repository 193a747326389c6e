// SPDX-License-Identifier: MIT
#include "skua/policy/adws/range_search.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "skua/parts/base/dice.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace adws { namespace {

TEST(range_search, a_worker_between_two_ranges_takes_either_by_chance) {
  tree<> two(4);
  group_id const right = two.open(worker_id{0}, {.right = 0, .left = 2.5}, {});
  group_id const left = two.open(worker_id{2}, {.right = 2.5, .left = 4}, {});
  two.activate(right);
  two.activate(left);
  runtime::dice roll(5);
  range_search<> between(worker_id{2});
  between.was_in(right.node);
  std::uint32_t rights = 0;
  for (int i = 0; i < 1000; ++i) {
    auto const f = between.find(two, roll, 0);
    ASSERT_TRUE(f && (f->id == right.node || f->id == left.node));
    rights += f->id == right.node ? 1U : 0U;
  }
  EXPECT_GT(rights, 400U);
  EXPECT_LT(rights, 600U);
}

TEST(range_search, climbs_from_the_group_of_the_last_task_though_that_has_ended) {
  tree<> ranges(64);
  group_id const all = ranges.open(worker_id{0}, {.right = 0, .left = 64}, {});
  group_id const inner = ranges.open(worker_id{40}, {.right = 40, .left = 64}, all);
  ranges.activate(all);
  ranges.close(inner);
  runtime::dice roll(5);
  range_search<> search(worker_id{63});
  EXPECT_FALSE(search.find(ranges, roll, 0)) << "it has been in none, and worker 0 is far away";
  search.was_in(inner.node);
  auto const f = search.find(ranges, roll, 0);
  ASSERT_TRUE(f);
  EXPECT_EQ(f->id, all.node);
}

TEST(range_search, widens_to_groups_with_more_workers_active_or_not) {
  tree<> ranges(64);
  group_id const root = ranges.open(worker_id{0}, {.right = 0, .left = 64}, {});
  group_id const all = ranges.open(worker_id{0}, {.right = 0, .left = 64}, root);
  group_id const half = ranges.open(worker_id{32}, {.right = 32, .left = 64}, all);
  group_id const quarter = ranges.open(worker_id{48}, {.right = 48, .left = 64}, half);
  runtime::dice roll(5);
  range_search<> search(worker_id{63});
  search.was_in(quarter.node);
  EXPECT_FALSE(search.find(ranges, roll, 5)) << "nothing is active";
  ranges.activate(quarter);
  for (auto const& [wider, expected] : {std::pair{0U, quarter}, {1U, half}, {2U, all}, {3U, all}, {60U, all}}) {
    auto const f = search.find(ranges, roll, wider);
    ASSERT_TRUE(f);
    EXPECT_EQ(f->id, expected.node) << wider;
  }
}

TEST(range_search, reads_few_lines_however_many_workers_there_are) {
  // Halves of halves: every owner's group is open.
  constexpr std::uint32_t workers = 4096;
  tree<> ranges(workers);
  std::vector<group_id> above(workers + 1);
  for (std::uint32_t width = workers; width >= 2; width /= 2) {
    for (std::uint32_t right = 0; right < workers; right += width) {
      std::uint32_t const parent = right & ~(2 * width - 1);
      above[right] =
          ranges.open(worker_id{right}, {.right = double(right), .left = double(right + width)}, above[parent]);
    }
  }
  ranges.activate({.node = 0});
  runtime::dice roll(5);
  range_search<> search(worker_id{workers - 1});
  auto const f = search.find(ranges, roll, 0);
  ASSERT_TRUE(f);
  EXPECT_EQ(f->id, 0U);
  EXPECT_LE(search.lines_read().size(), 24U) << "12 nodes, and as many again by the look at a neighbour";
  for (worker_id const w : search.lines_read()) EXPECT_NE(w, worker_id{workers - 1});
  EXPECT_TRUE(search.find(ranges, roll, 0));
  EXPECT_LE(search.lines_read().size(), 12U) << "it has those that have not changed";
  search.forget_lines();
  EXPECT_TRUE(search.lines_read().empty());
}

/// Groups inside each other as a search makes them: some are active, some have been closed.
class random_groups {
 public:
  random_groups(std::uint32_t workers, std::uint64_t seed) : roll_(seed), ranges_(workers) {
    divide({.right = 0, .left = double(workers)}, {});
    for (node_id const id : open_)
      if (roll_.below(4) == 0) ranges_.activate({.node = id});
  }
  [[nodiscard]] tree<> const& ranges() const { return ranges_; }

  /// By looking at all groups: the topmost active ones whose ranges cover w.
  [[nodiscard]] std::set<node_id> topmost(std::uint32_t w) const {
    std::set<node_id> covering;
    for (node_id const id : open_) {
      auto const f = ranges_.topmost_around(id, worker_id{w}, [](node_id) {});
      if (f) covering.insert(f->id);
    }
    return covering;
  }

 private:
  /// A group with this range, on its owner; then its children, from left to right.
  void divide(range const& r, group_id parent) {
    group_id const opened = ranges_.open(worker_id{r.owner()}, r, parent);
    open_.push_back(opened.node);
    range rest = r;
    double remaining = 1 + roll_.below(4);
    while (rest.spans() && remaining > 0) {
      double const mine = std::min<double>(remaining, 0.25 * (1 + roll_.below(8)));
      range child = rest;
      child.right = rest.left = cut(rest, mine, remaining);
      remaining -= mine;
      // Its task may not have begun, or have met no group yet. The owner goes on inside the child that it keeps.
      if (child.spans() && roll_.below(4) > 0) divide(child, opened);
      if (child.owner() == r.owner()) return;
    }
  }

  runtime::dice roll_;
  tree<> ranges_;
  std::vector<node_id> open_;
};

TEST(range_search, finds_the_topmost_active_ranges_of_a_worker_and_no_others) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    std::uint32_t const workers = 2 + static_cast<std::uint32_t>(seed % 37);
    random_groups const groups(workers, seed);
    for (std::uint32_t w = 0; w < workers; ++w) {
      std::set<node_id> const expected = groups.topmost(w);
      runtime::dice roll(seed);
      range_search<> search(worker_id{w});  // knows nothing
      bool has_range = false;
      for (std::uint32_t calls = 0; calls <= w; ++calls) {
        auto const f = search.find(groups.ranges(), roll, 0);
        has_range = has_range || f.has_value();
        if (!f) continue;
        EXPECT_TRUE(expected.contains(f->id)) << f->id << ", worker " << w << ", seed " << seed;
      }
      EXPECT_EQ(has_range, !expected.empty()) << "worker " << w << ", seed " << seed;
    }
  }
}

}}}}}  // namespace skua::v0::policies::adws
