// SPDX-License-Identifier: MIT
#include "apps/prefix_sum/problem.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "skua/parts/base/dice.hpp"
#include "skua/program/serial.hpp"
#include "skua/skua.hpp"

namespace skua::apps::prefix_sum { namespace {

/// Equal arrays in one piece.
struct input_arrays {
  input_arrays(std::size_t size, std::size_t count, std::size_t block, std::uint64_t s)
      : n(size), seed(s), data(size * count) {
    for (std::size_t i = 0; i < count; ++i) arrays.push_back({std::span(data).subspan(i * n, n), block});
    fill(data, seed);
  }
  [[nodiscard]] std::size_t blocks() const { return arrays.size() * arrays.front().blocks(); }
  [[nodiscard]] std::string wrong() const { return prefix_sum::wrong(data, n, seed); }

  std::size_t n;
  std::uint64_t seed;
  std::vector<element> data;
  std::vector<blocked_array> arrays;
};

TEST(prefix_sum, a_worker_that_is_alone_needs_one_pass) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    runtime::dice rolled{seed};
    input_arrays serially(1 + rolled.below(5000), 1 + rolled.below(4), 1 + rolled.below(300), seed);
    serial here;
    EXPECT_EQ(program(here, serially.arrays, choice::in_order), serially.blocks()) << "seed " << seed;
    EXPECT_EQ(serially.wrong(), "") << "seed " << seed;

    for (char const* const policy : {"strategies", "random"}) {
      input_arrays on_a_pool(serially.n, serially.arrays.size(), serially.arrays.front().block, seed);
      pool one({.workers = 1, .policy = policy});
      std::size_t const in_one_pass = one.run([&](auto& h) { return program(h, on_a_pool.arrays, choice::in_order); });
      EXPECT_EQ(in_one_pass, on_a_pool.blocks()) << policy << ", seed " << seed;
      EXPECT_EQ(on_a_pool.wrong(), "") << policy << ", seed " << seed;
    }
  }
}

TEST(prefix_sum, without_a_strategy_every_block_needs_two_passes) {
  input_arrays some(10'000, 3, 128, 1);
  serial here;
  EXPECT_EQ(program(here, some.arrays, choice::none), 0U);
  EXPECT_EQ(some.wrong(), "");
}

TEST(prefix_sum, many_workers_scan_what_one_scans) {
  pool several({.workers = 16, .policy = "strategies"});
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    runtime::dice rolled{seed};
    input_arrays some(1 + rolled.below(20'000), 1 + rolled.below(12), 1 + rolled.below(60), seed);
    several.run([&](auto& h) { return program(h, some.arrays, seed % 3 == 0 ? choice::none : choice::in_order); });
    ASSERT_EQ(some.wrong(), "") << "seed " << seed;
  }
}

TEST(prefix_sum, blocks_are_a_partition_of_the_array) {
  std::vector<element> data(10);
  for (std::size_t block = 1; block < 12; ++block) {
    blocked_array const array{data, block};
    std::size_t covered = 0;
    for (std::size_t i = 0; i < array.blocks(); ++i) {
      EXPECT_EQ(array.at({i, i + 1}).data(), data.data() + covered) << "block " << block;
      EXPECT_LE(array.at({i, i + 1}).size(), block);
      covered += array.at({i, i + 1}).size();
    }
    EXPECT_EQ(covered, data.size()) << "block " << block;
  }
}

TEST(prefix_sum, sums_wrap_around) {
  std::vector<element> data{0xffff'ffff, 2, 3};
  EXPECT_EQ(sum_of(data), 4U);
  scan(data, 7);
  EXPECT_EQ(data, (std::vector<element>{6, 8, 11}));
}

TEST(prefix_sum, every_kind_of_damage_is_noticed) {
  input_arrays some(100, 2, 10, 3);
  EXPECT_NE(some.wrong(), "");  // not summed at all
  for (auto const& array : some.arrays) scan(array.data);
  EXPECT_EQ(some.wrong(), "");
  ++some.data[150];
  EXPECT_EQ(some.wrong().find("prefix-sum: array 1, element 50: "), 0U) << some.wrong();
  for (std::size_t i = 151; i < 200; ++i) ++some.data[i];  // as if a carry were wrong
  EXPECT_NE(some.wrong(), "");
}

TEST(in_order, home_goes_up_and_others_come_down) {
  auto const blocks_from = [](double first) {
    return in_order{.position = first, .all = 100, .home = worker_id{2}, .blocks = 1};
  };
  for (bool const steals : {false, true}) {
    strategies::requester const home{.worker = worker_id{2}, .steals = steals};
    strategies::requester const other{.worker = worker_id{0}, .steals = steals};
    EXPECT_LT(blocks_from(3).key(home), blocks_from(4).key(home));
    EXPECT_GT(blocks_from(3).key(other), blocks_from(4).key(other));
    EXPECT_LT(blocks_from(99).key(home), blocks_from(99).key(other));  // own arrays first
  }
}

}}  // namespace skua::apps::prefix_sum
