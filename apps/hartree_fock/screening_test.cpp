// SPDX-License-Identifier: MIT
// The counts are those of the paper's inputs; small chains are counted again by enumeration.
#include "apps/hartree_fock/screening.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "skua/parts/base/error.hpp"

namespace skua::apps::hartree_fock {
namespace {

struct published {
  std::uint32_t atoms;
  std::uint32_t tile;
  std::uint64_t tasks;
  std::uint64_t non_null;
  std::uint64_t integrals;
};

// Non-null tasks of Be256 and Be512: Table 1 of the paper, which rounds them (213K, 862K, 9.10M).
constexpr published inputs[]{
    {4, 20, 81, 81, 4'845'492},
    {16, 20, 20'736, 6'404, 117'869'876},
    {32, 20, 331'776, 30'580, 501'006'004},
    {64, 20, 5'308'416, 132'788, 2'064'193'460},
    {256, 40, 84'934'656, 213'144, 33'756'943'796},
    {512, 40, 1'358'954'496, 862'488, 0},
    {512, 20, 21'743'271'936, 9'103'540, 0},
};

TEST(screening, has_the_tasks_and_integrals_of_the_paper) {
  for (published const& in : inputs) {
    SCOPED_TRACE(testing::Message() << "Be" << in.atoms << "/" << in.tile);
    screening const s({.atoms = in.atoms}, in.tile);
    EXPECT_EQ(s.tiles().tasks(), in.tasks);
    EXPECT_EQ(s.non_null(), in.non_null);
    if (in.integrals != 0) {
      EXPECT_EQ(s.integrals(), in.integrals);
    }
    EXPECT_NEAR(s.largest(), 6.861629, 5e-7);
  }
}

TEST(screening, lists_the_integrals_of_each_task_of_be256) {
  std::vector<std::uint64_t> const all = task_integrals(256, 40);
  EXPECT_EQ(all.size(), 213'144U);
  EXPECT_EQ(std::accumulate(all.begin(), all.end(), std::uint64_t{0}), 33'756'943'796U);
  EXPECT_EQ(std::ranges::max(all), 1'626'072U);
}

TEST(screening, lists_the_ids_of_be512) {
  screening const s({.atoms = 512}, 20);
  std::vector<std::uint64_t> const ids = s.non_null_ids();
  EXPECT_EQ(ids.size(), 9'103'540U);
  EXPECT_TRUE(std::ranges::is_sorted(ids));
}

/// The integrals of a task, by enumeration.
std::uint64_t enumerated(screening const& s, quartet const& q) {
  tiling const& t = s.tiles();
  std::vector<double> ij(std::size_t{t.size(q.i)} * t.size(q.j));
  std::vector<double> kl(std::size_t{t.size(q.k)} * t.size(q.l));
  s.block(q.i, q.j, ij.data());
  s.block(q.k, q.l, kl.data());
  std::uint64_t found = 0;
  for (double const a : ij)
    found += static_cast<std::uint64_t>(std::ranges::count_if(kl, [&](double b) { return a * b >= s.threshold(); }));
  return found;
}

TEST(screening, counts_what_enumeration_finds_whatever_the_tile) {
  struct input {
    std::uint32_t atoms;
    std::uint32_t tile;
  };
  for (input const in : {input{1, 1}, {1, 4}, {1, 15}, {1, 100}, {2, 7}, {3, 20}, {5, 20}, {13, 40}, {6, 11}}) {
    screening const s({.atoms = in.atoms}, in.tile);
    SCOPED_TRACE(testing::Message() << "Be" << in.atoms << "/" << in.tile);
    std::vector<std::uint64_t> integrals;
    std::vector<std::uint64_t> ids;
    for (std::uint64_t id = 0; id < s.tiles().tasks(); ++id) {
      quartet const q = s.tiles().quartet_of(id);
      ASSERT_EQ(s.tiles().id_of(q), id);
      std::uint64_t const found = enumerated(s, q);
      ASSERT_EQ(s.integrals_of(q), found);
      if (found == 0) continue;
      ids.push_back(id);
      integrals.push_back(found);
    }
    EXPECT_EQ(s.non_null_ids(), ids);
    EXPECT_EQ(s.non_null(), ids.size());
    EXPECT_EQ(s.integrals_per_task(), integrals);
    EXPECT_EQ(s.integrals(), std::accumulate(integrals.begin(), integrals.end(), std::uint64_t{0}));
  }
}

TEST(screening, the_number_of_integrals_does_not_depend_on_the_tile) {
  for (std::uint32_t const tile : {1U, 3U, 15U, 17U, 40U, 1000U}) {
    EXPECT_EQ(screening({.atoms = 16}, tile).integrals(), 117'869'876U) << "tile " << tile;
  }
}

TEST(screening, ranges_of_ids_join_to_all_ids) {
  screening const s({.atoms = 16}, 20);
  std::vector<std::uint64_t> joined;
  for (std::uint64_t rank = 0; rank < 7; ++rank) {
    auto const some = s.non_null_ids(rank * s.tiles().tasks() / 7, (rank + 1) * s.tiles().tasks() / 7);
    joined.insert(joined.end(), some.begin(), some.end());
  }
  EXPECT_EQ(joined, s.non_null_ids());
  EXPECT_TRUE(s.non_null_ids(5, 5).empty());
  EXPECT_TRUE(s.non_null_ids(s.tiles().tasks(), s.tiles().tasks() + 1).empty());
}

TEST(screening, without_a_threshold_every_integral_counts) {
  screening const s({.atoms = 5}, 20, 0);
  EXPECT_EQ(s.integrals(), std::uint64_t{75} * 75 * 75 * 75);
  EXPECT_EQ(s.non_null(), s.tiles().tasks());
}

TEST(screening, refuses_senseless_input) {
  EXPECT_THROW(screening({.atoms = 0}, 20), usage_error);
  EXPECT_THROW(screening({.atoms = 4097}, 20), usage_error);
  EXPECT_THROW(screening({.atoms = 4}, 0), usage_error);
  EXPECT_THROW(screening({.atoms = 4}, 20, -1), usage_error);
}

}  // namespace
}  // namespace skua::apps::hartree_fock
