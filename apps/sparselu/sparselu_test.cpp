// SPDX-License-Identifier: MIT
// L * U is the matrix, for every pattern and in every division into parts, and damage shows.
#include <gtest/gtest.h>

#include <vector>

#include "apps/sparselu/problem.hpp"
#include "skua/program/serial.hpp"

namespace skua::apps::sparselu {
namespace {

block_matrix copied(block_matrix const& from) {
  block_matrix made;
  made.copy(from);
  return made;
}

TEST(sparselu, factors_multiply_to_the_matrix) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    block_matrix const a = generated(1 + seed % 13, 1 + seed * 3 % 17, seed);
    block_matrix by_flow = copied(a);
    serial here;
    program(here, by_flow);
    EXPECT_EQ(wrong(by_flow, a), "") << "seed " << seed;
    block_matrix alone = copied(a);
    run_alone(alone);
    EXPECT_EQ(wrong(alone, a), "") << "seed " << seed;
    EXPECT_EQ(alone.filled(), by_flow.filled());
  }
}

TEST(sparselu, blocks_fill_up) {
  block_matrix a = generated(16, 4, 1);
  EXPECT_EQ(a.at(1, 3), nullptr);
  std::size_t const before = a.filled();
  run_alone(a);
  EXPECT_GT(a.filled(), before);
}

TEST(sparselu, damage_is_noticed) {
  block_matrix const a = generated(6, 8, 3);
  EXPECT_NE(wrong(a, a), "");  // not factored at all
  block_matrix lu = copied(a);
  run_alone(lu);
  ASSERT_EQ(wrong(lu, a), "");
  for (std::size_t i = 0; i < 6; ++i) {
    block_matrix damaged = copied(lu);
    damaged.at(i, i)[9] *= 1.01F;
    EXPECT_NE(wrong(damaged, a), "") << "block " << i;
  }
  block_matrix forgetful = copied(a);
  std::size_t left = 0;
  for_each_task(forgetful, [&](task const& t) {
    if (t.what != operation::bmod || left++ != 5) t.run(8);
  });
  EXPECT_NE(wrong(forgetful, a), "");
}

TEST(sparselu, parts_of_an_operation_make_the_operation) {
  constexpr std::size_t size = 11;
  block_matrix const a = generated(2, size, 5);
  block_matrix by_parts = copied(a);
  for_each_task(by_parts, [&](task const& t) {
    for (auto const& [begin, end] : {std::pair<std::size_t, std::size_t>{4, size}, {0, 1}, {1, 4}}) {
      switch (t.what) {
        case operation::lu0: break;
        case operation::fwd: fwd(t.first, t.block, size, begin, end); break;
        case operation::bdiv: bdiv(t.first, t.block, size, begin, end); break;
        case operation::bmod: bmod(t.first, t.second, t.block, size, begin, end); break;
      }
    }
    if (t.what == operation::lu0) lu0(t.block, size);
  });
  EXPECT_EQ(wrong(by_parts, a), "");
}

}  // namespace
}  // namespace skua::apps::sparselu
