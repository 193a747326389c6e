// SPDX-License-Identifier: MIT
#include "skua/parts/base/huge_allocator.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace skua { inline namespace v0 { namespace runtime { namespace {

/// Whatever the kernel answers, a vector keeps its elements while it grows across the border to large blocks.
TEST(huge_allocator, a_vector_keeps_its_elements) {
  std::vector<std::uint64_t, huge_allocator<std::uint64_t>> grown;
  constexpr std::uint64_t n = 1'500'000;  // 12 MB, not a multiple of a huge page
  for (std::uint64_t i = 0; i < n; ++i) grown.push_back(i * i);
  auto const copy = grown;
  for (std::uint64_t i = 0; i < n; ++i) ASSERT_EQ(copy[i], i * i);
  EXPECT_TRUE(copy == grown);
}

TEST(huge_allocator, large_blocks_start_on_a_huge_page) {
  std::vector<char, huge_allocator<char>> const large(std::size_t{6} << 20);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(large.data()) % (std::size_t{2} << 20), 0U);
  EXPECT_EQ(large[5'000'000], 0);
}

}}}}  // namespace skua::v0::runtime
