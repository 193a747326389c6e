// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cmath>
#include <string_view>

#include "apps/uts/problem.hpp"
#include "apps/uts/spawned.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/program/serial.hpp"

namespace skua::apps::uts {

/// Lets GoogleTest print a set of counters.
void PrintTo(tally const& counts, std::ostream* out) { *out << in_words(counts); }
void PrintTo(published_tree const& one, std::ostream* out) { *out << one.name; }

namespace {

/// The published trees of about 4 million nodes: the larger ones take seconds to minutes.
std::vector<published_tree> small_published() {
  std::vector<published_tree> small;
  for (auto const& one : published()) {
    if (one.counts.nodes < 10'000'000) small.push_back(one);
  }
  return small;
}

class published_trees : public testing::TestWithParam<published_tree> {};

TEST_P(published_trees, have_their_published_counts) {
  serial here;
  EXPECT_EQ(program(here, GetParam().parameters), GetParam().counts);
}

INSTANTIATE_TEST_SUITE_P(uts, published_trees, testing::ValuesIn(small_published()),
                         [](auto const& tested) { return std::string(tested.param.name); });

TEST(uts, five_published_trees_are_tested) { EXPECT_EQ(small_published().size(), 5U); }

// Recursion, spawned tasks and explicit stack are three programs: they agree on trees of every family and outline.
TEST(uts, survey_and_programs_agree) {
  for (auto const kind : {family::binomial, family::geometric, family::hybrid}) {
    for (auto const shape : {outline::linear, outline::expdec, outline::cyclic, outline::fixed}) {
      for (std::int64_t seed = 0; seed < 20; ++seed) {
        tree const which{.kind = kind, .shape = shape, .depth = 5, .branching = 3, .seed = seed};
        which.validate();
        serial here;
        tally const right = survey(which);
        EXPECT_EQ(program(here, which), right)
            << "family " << static_cast<int>(kind) << ", outline " << static_cast<int>(shape) << ", seed " << seed;
        EXPECT_EQ(spawned(here, which, seed % 2 == 0 ? choice::by_depth : choice::none), right)
            << "family " << static_cast<int>(kind) << ", outline " << static_cast<int>(shape) << ", seed " << seed;
      }
    }
  }
}

tree of_published(std::string_view name) { return published(name).parameters; }

TEST(expected_sizes, fall_towards_the_leaves_of_a_geometric_tree) {
  expected_sizes const t1(of_published("T1"));  // four children each, down to depth 10
  EXPECT_EQ(t1.at(10), 1);
  EXPECT_EQ(t1.at(9), 5);
  EXPECT_EQ(t1.at(8), 21);
  EXPECT_EQ(t1.at(0), expected_sizes::most);
  expected_sizes const t5(of_published("T5"));  // 4, 3.8, 3.6, .. 0.2 children
  EXPECT_EQ(t5.at(20), 1);
  EXPECT_DOUBLE_EQ(t5.at(18), 1 + 0.4 * 1.2);
  for (std::uint32_t depth = 1; depth <= 20; ++depth) EXPECT_LE(t5.at(depth), t5.at(depth - 1)) << depth;
  EXPECT_EQ(t5.at(1'000'000), 1);
}

TEST(expected_sizes, are_equal_at_all_depths_of_a_binomial_tree) {
  expected_sizes const t3(of_published("T3"));  // 8 children with probability 0.124875
  for (std::uint32_t const depth : {1U, 2U, 1500U, 4'000'000'000U}) EXPECT_NEAR(t3.at(depth), 1000, 1e-6) << depth;
  EXPECT_EQ(t3.at(0), expected_sizes::most);
}

// The root of a small tree, over many seeds: 7 standard deviations, which are taken from the sample.
TEST(expected_sizes, are_the_mean_of_what_trees_have) {
  for (auto const shape : {outline::linear, outline::cyclic, outline::fixed}) {
    tree which{.kind = family::geometric, .shape = shape, .depth = 4, .branching = 2};
    double sum = 0;
    double squares = 0;
    constexpr int trees = 4000;
    for (which.seed = 0; which.seed < trees; ++which.seed) {
      auto const size = static_cast<double>(survey(which).nodes);
      sum += size;
      squares += size * size;
    }
    double const mean = sum / trees;
    double const deviation = std::sqrt((squares / trees - mean * mean) / trees);
    EXPECT_NEAR(expected_sizes(which).at(0), mean, 7 * deviation) << "outline " << static_cast<int>(shape);
  }
}

TEST(uts, siblings_and_seeds_have_different_random_numbers) {
  auto const root = splittable::seeded(1);
  EXPECT_EQ(root, splittable::seeded(1));
  EXPECT_NE(root, splittable::seeded(2));
  EXPECT_NE(root.child(0), root.child(1));
  EXPECT_EQ(root.child(7), root.child(7));
}

TEST(uts, random_numbers_are_uniform_enough) {
  auto const root = splittable::seeded(3);
  double sum = 0;
  std::uint32_t constexpr n = 10'000;
  for (std::uint32_t i = 0; i < n; ++i) {
    double const x = root.child(i).number();
    ASSERT_GE(x, 0);
    ASSERT_LT(x, 1);
    sum += x;
  }
  EXPECT_NEAR(sum / n, 0.5, 0.02);  // about 7 standard deviations
}

TEST(uts, a_binomial_root_has_all_its_children_and_no_other_node_more_than_100) {
  tree const wide{.kind = family::binomial, .branching = 2000, .probability = 0.5, .children = 1};
  EXPECT_EQ(wide.children_of(wide.root()), 2000U);
  tree const crowded{.kind = family::geometric, .shape = outline::fixed, .depth = 3, .branching = 100'000};
  EXPECT_EQ(crowded.children_of(crowded.root()), 100U);
}

TEST(uts, an_unknown_name_is_refused_with_the_known_ones) {
  auto const said = [](auto&& call) {
    try {
      call();
    } catch (usage_error const& refusal) {
      return std::string(refusal.what());
    }
    return std::string("accepted");
  };
  EXPECT_NE(said([] { published("T9"); }).find("T1, T2, T3, T4, T5, T1L"), std::string::npos);
  EXPECT_NE(said([] { family_named("bushy"); }).find("binomial, geometric, hybrid"), std::string::npos);
  EXPECT_NE(said([] { outline_named("round"); }).find("linear, expdec, cyclic, fixed"), std::string::npos);
}

TEST(uts, a_tree_that_is_too_large_is_noticed) {
  tree const large{.kind = family::geometric, .shape = outline::fixed, .depth = 40, .branching = 10, .seed = 1};
  EXPECT_THROW(survey(large, 100'000), usage_error);
}

}  // namespace
}  // namespace skua::apps::uts
