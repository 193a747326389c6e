// SPDX-License-Identifier: MIT
#include "skua/machine/ranks/communicator/communicator.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <numeric>
#include <vector>

#include "skua/machine/ranks/transport/ranks_for_test.hpp"

namespace skua { inline namespace v0 { namespace ranks { namespace {

class communicators : public on_each_number_of_ranks {};

TEST_P(communicators, sum_over_all_ranks_with_the_same_result_everywhere) {
  std::uint64_t const n = GetParam();
  on_ranks(GetParam(), [&](communicator& world) {
    for (int round = 0; round < 20; ++round) {
      EXPECT_EQ(world.sum(std::uint64_t{world.rank()}), n * (n - 1) / 2);
      EXPECT_EQ(world.max(static_cast<double>(world.rank())), static_cast<double>(n - 1));
      std::array<double, 3> v{1, 0.1 * world.rank(), -1};
      world.sum(v);
      EXPECT_EQ(v[0], static_cast<double>(n));
      EXPECT_EQ(world.max(v[1]), v[1]);
      EXPECT_EQ(-world.max(-v[1]), v[1]);
    }
  });
}

TEST_P(communicators, sum_long_vectors) {
  std::uint64_t const n = GetParam();
  on_ranks(GetParam(), [&](communicator& world) {
    std::vector<double> v(100'000);
    std::iota(v.begin(), v.end(), static_cast<double>(world.rank()));
    world.sum(v);
    for (std::size_t i = 0; i < v.size(); i += 999) {
      EXPECT_EQ(v[i], static_cast<double>(n * i + n * (n - 1) / 2));
    }
  });
}

TEST_P(communicators, pass_a_barrier_again_and_again) {
  on_ranks(GetParam(), [&](communicator& world) {
    for (int round = 0; round < 50; ++round) world.barrier();
  });
}

INSTANTIATE_TEST_SUITE_P(of_ranks, communicators, ::testing::ValuesIn(numbers_of_ranks()));

}}}}  // namespace skua::v0::ranks
