// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <numeric>

#include "apps/uts/problem.hpp"
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

// Recursion and explicit stack are two programs: they agree on trees of every family and outline.
TEST(uts, survey_and_program_agree) {
  for (auto const kind : {family::binomial, family::geometric, family::hybrid}) {
    for (auto const shape : {outline::linear, outline::expdec, outline::cyclic, outline::fixed}) {
      for (std::int64_t seed = 0; seed < 20; ++seed) {
        tree const which{.kind = kind, .shape = shape, .depth = 5, .branching = 3, .seed = seed};
        which.validate();
        serial here;
        EXPECT_EQ(program(here, which), survey(which))
            << "family " << static_cast<int>(kind) << ", outline " << static_cast<int>(shape) << ", seed " << seed;
      }
    }
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
