// SPDX-License-Identifier: MIT
#include "skua/machine/ranks/communicator/processors.hpp"

#include <gtest/gtest.h>

#include <initializer_list>

#include "skua/machine/ranks/transport/ranks_for_test.hpp"

namespace skua { inline namespace v0 { namespace ranks { namespace {

bytes may_use(std::initializer_list<std::uint32_t> processors, std::uint32_t node = 0, std::uint32_t quota = 0) {
  allowed_processors a{.node = node, .quota = quota};
  for (std::uint32_t const p : processors) a.mask.insert(p);
  return encode(a);
}

using shares = std::vector<std::uint32_t>;

TEST(processors_of_ranks, that_all_may_use_are_shared_out) {
  EXPECT_EQ(shares_of(std::vector{may_use({0, 1, 2, 3}), may_use({0, 1, 2, 3})}), (shares{2, 2}));
  EXPECT_EQ(shares_of(std::vector{may_use({0, 1, 2}), may_use({0, 1, 2}), may_use({0, 1, 2})}), (shares{1, 1, 1}));
}
TEST(processors_of_ranks, that_a_rank_is_bound_to_are_its_own) {
  EXPECT_EQ(shares_of(std::vector{may_use({0}), may_use({1})}), (shares{1, 1}));
  EXPECT_EQ(
      shares_of(std::vector{may_use({0, 1, 64, 65}), may_use({2, 3}), may_use({4, 5, 6, 7}), may_use({4, 5, 6, 7})}),
      (shares{4, 2, 2, 2}));
}
TEST(processors_of_ranks, of_different_nodes_are_different) {
  EXPECT_EQ(shares_of(std::vector{may_use({0, 1}, 0), may_use({0, 1}, 1)}), (shares{2, 2}));
}
TEST(processors_of_ranks, are_no_more_than_the_quota_allows_and_at_least_one) {
  EXPECT_EQ(shares_of(std::vector{may_use({0, 1, 2, 3}, 0, 2), may_use({4, 5, 6, 7}, 0, 2)}), (shares{1, 1}));
  EXPECT_EQ(shares_of(std::vector{may_use({0, 1}), may_use({0, 1}), may_use({0, 1})}), (shares{1, 1, 1}));
  EXPECT_EQ(shares_of(std::vector<bytes>(1, may_use({}))), (shares{1}));
}

TEST(processors_of_ranks, of_dead_ranks_belong_to_the_others) {
  EXPECT_EQ(shares_of(std::vector<bytes>{bytes{}, may_use({0, 1}), bytes{}}), (shares{1, 2, 1}));
}

class processors : public on_each_number_of_ranks {};

TEST_P(processors, are_shared_out_between_these_ranks) {
  on_ranks(GetParam(), [](communicator& world) {
    std::uint32_t const mine = world.processors();
    EXPECT_GE(mine, 1U);
    EXPECT_LE(mine, std::max(1U, processors_here(0).mask.size()));
  });
}

INSTANTIATE_TEST_SUITE_P(of_ranks, processors, ::testing::ValuesIn(numbers_of_ranks()));

}}}}  // namespace skua::v0::ranks
