// SPDX-License-Identifier: MIT
#include "skua/machine/ranks/communicator/communicator.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <numeric>
#include <vector>

#include "skua/machine/ranks/communicator/collectives.hpp"
#include "skua/machine/ranks/transport/ranks_for_test.hpp"

namespace skua::inline v0::ranks {
namespace {

class communicators : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(communicators, sum_over_all_ranks_with_the_same_result_everywhere) {
  std::uint64_t const n = GetParam();
  std::vector<double> results(n);
  on_ranks(GetParam(), [&](communicator& world) {
    for (int round = 0; round < 20; ++round) {
      EXPECT_EQ(world.sum(std::uint64_t{world.rank()}), n * (n - 1) / 2);
      EXPECT_EQ(world.max(static_cast<double>(world.rank())), static_cast<double>(n - 1));
      std::array<double, 3> v{1, 0.1 * world.rank(), -1};
      world.sum(v);
      EXPECT_EQ(v[0], static_cast<double>(n));
      results[world.rank()] = v[1];
    }
  });
  for (double r : results) EXPECT_EQ(r, results[0]);
}

TEST_P(communicators, wait_for_each_other_at_a_barrier) {
  std::atomic<std::uint32_t> came{0};
  on_ranks(GetParam(), [&](communicator& world) {
    for (std::uint32_t round = 1; round <= 10; ++round) {
      came.fetch_add(1);
      world.barrier();
      EXPECT_GE(came.load(), round * world.size());
      world.barrier();
    }
  });
}

INSTANTIATE_TEST_SUITE_P(of_ranks, communicators, ::testing::Values(1, 2, 3, 5, 8, 13));

}  // namespace
}  // namespace skua::inline v0::ranks
