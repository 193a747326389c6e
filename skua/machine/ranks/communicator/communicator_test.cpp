// SPDX-License-Identifier: MIT
#include "skua/machine/ranks/communicator/communicator.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "skua/machine/ranks/transport/ranks_for_test.hpp"
#include "skua/parts/base/checksum.hpp"
#include "skua/parts/base/dice.hpp"

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

// Any order of additions gives another result here; all ranks must get that of one order.
TEST_P(communicators, sum_to_the_same_bits_everywhere) {
  constexpr std::uint64_t seed = 20261129;
  on_ranks(GetParam(), [&](communicator& world) {
    runtime::dice draws(seed + world.rank());
    for (std::size_t const n : {1, 1000, 3072, 8192, 50'000}) {
      std::vector<double> v(n);
      for (double& x : v)
        x = std::ldexp(static_cast<double>(draws.below(1U << 30)) - (1 << 29), static_cast<int>(draws.below(40)));
      world.sum(std::span<double>(v));
      runtime::checksum bits;
      bits.add(std::as_bytes(std::span(v)));
      EXPECT_EQ(world.max(bits.value()), bits.value()) << n << " doubles, seed " << seed;
      EXPECT_EQ(world.min(bits.value()), bits.value()) << n << " doubles, seed " << seed;
    }
  });
}

TEST_P(communicators, find_a_nan_and_a_signed_zero_on_whichever_rank_they_are) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  on_ranks(GetParam(), [&](communicator& world) {
    for (std::uint32_t odd = 0; odd < world.size(); ++odd) {
      bool const here = world.rank() == odd;
      EXPECT_TRUE(std::isnan(world.max(here ? nan : 1e-9))) << odd;
      EXPECT_TRUE(std::isnan(world.max(here ? -nan : 1e-9))) << odd;
      EXPECT_TRUE(std::isnan(world.min(here ? nan : -1e-9))) << odd;
      EXPECT_TRUE(std::isnan(world.sum(here ? nan : 1.0))) << odd;
      EXPECT_FALSE(std::signbit(world.max(here ? 0.0 : -0.0))) << odd;
      EXPECT_TRUE(std::signbit(world.min(here ? -0.0 : 0.0))) << odd;
      EXPECT_EQ(world.min(here ? -2.0 : 3.0), -2.0) << odd;
    }
  });
}

TEST_P(communicators, reduce_integers_exactly) {
  constexpr std::uint64_t large = (std::uint64_t{1} << 63) + 1;  // no double is this
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
  on_ranks(GetParam(), [&](communicator& world) {
    for (std::uint32_t odd = 0; odd < world.size(); ++odd) {
      bool const here = world.rank() == odd;
      EXPECT_EQ(world.max(here ? large : large - 1), large);
      EXPECT_EQ(world.min(here ? large - 1 : large), large - 1);
      EXPECT_EQ(world.max(here ? least + 1 : least), least + 1);
      EXPECT_EQ(world.min(here ? least : least + 1), least);
      EXPECT_EQ(world.sum(here ? large : std::uint64_t{0}), large);
      EXPECT_EQ(world.sum(here ? least + 1 : std::int64_t{0}), least + 1);
      EXPECT_EQ(world.min(here ? -7 : 7), -7);
      EXPECT_EQ(world.max(here ? std::uint8_t{200} : std::uint8_t{3}), 200);
    }
    std::int64_t const sum = world.sum(std::numeric_limits<int>::max());
    EXPECT_EQ(sum, std::int64_t{std::numeric_limits<int>::max()} * world.size()) << "wider than an int";
    std::uint64_t const count = world.sum(world.rank() == 0);
    EXPECT_EQ(count, 1U);
    EXPECT_EQ(world.sum(1.5F), 1.5 * world.size());
  });
}

TEST_P(communicators, pass_a_barrier_again_and_again) {
  on_ranks(GetParam(), [&](communicator& world) {
    for (int round = 0; round < 50; ++round) world.barrier();
  });
}

INSTANTIATE_TEST_SUITE_P(of_ranks, communicators, ::testing::ValuesIn(numbers_of_ranks()));

}}}}  // namespace skua::v0::ranks
