// SPDX-License-Identifier: MIT
// Arrays on pages of their own: zero, aligned, sized as asked; and errors that say what is wrong.
#include "skua/parts/memory/page_array.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <limits>
#include <utility>

#include "skua/parts/base/error.hpp"
#include "skua/parts/memory/fake_kernel_test.hpp"
#include "skua/parts/topology/scratch_test.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace {

using testing::fake_kernel;
using testing::message_of;

bool starts_at_a_multiple(void const* p, std::size_t of) { return reinterpret_cast<std::uintptr_t>(p) % of == 0; }

TEST(page_array, is_zero_aligned_and_as_long_as_asked) {
  for (std::size_t const n :
       {std::size_t{1}, std::size_t{511}, std::size_t{512}, std::size_t{513}, std::size_t{100'000}}) {
    page_array<double> const a(n);
    EXPECT_EQ(a.size(), n);
    EXPECT_EQ(a.elements().size(), n);
    EXPECT_TRUE(starts_at_a_multiple(a.data(), small_page_bytes()));
    EXPECT_EQ(a.block().page_bytes(), small_page_bytes());
    EXPECT_EQ(a.block().bytes().size(), whole_pages(n * sizeof(double), small_page_bytes()));
    EXPECT_TRUE(std::ranges::all_of(a, [](double x) { return x == 0; }));
    a[n - 1] = 7;
    EXPECT_EQ(*(a.end() - 1), 7);
  }
  static_assert(std::is_same_v<page_array<std::complex<float>>::value_type, std::complex<float>>);
}

TEST(page_array, moves_and_is_then_empty) {
  page_array<int> a(1000);
  a[999] = 5;
  int const* const where = a.data();
  page_array<int> b(std::move(a));
  EXPECT_EQ(b.data(), where);
  EXPECT_EQ(b[999], 5);
  EXPECT_EQ(a.size(), 0U);  // NOLINT(bugprone-use-after-move): what a moved-from array is, is promised
  page_array<int> c(3);
  c = std::move(b);
  EXPECT_EQ(c[999], 5);
  EXPECT_EQ(c.size(), 1000U);
}

TEST(page_array, says_what_cannot_be) {
  auto const said_of = [](std::size_t bytes) {
    return message_of<resource_error>([bytes] { page_array<char> const a(bytes); });
  };
  constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
  EXPECT_NE(said_of(0).find("at least one element"), std::string::npos) << said_of(0);
  EXPECT_NE(said_of(most).find("no machine has that many"), std::string::npos) << said_of(most);
  std::string const uncountable = message_of<resource_error>([] { page_array<double> const a(most / 4); });
  EXPECT_NE(uncountable.find("cannot be counted"), std::string::npos) << uncountable;
  std::string const no_memory = said_of(std::size_t{1} << 61U);
  EXPECT_NE(no_memory.find("cannot map an array of 2305843009213693952 bytes"), std::string::npos) << no_memory;
}

TEST(page_array, that_asks_for_huge_pages_is_aligned_and_placed_by_them) {
  if (huge_page_bytes() == 0) GTEST_SKIP() << "this kernel has no transparent huge pages";
  page_array<char> const a(huge_page_bytes() + 1, page_size::huge);
  if (a.block().refusal() != 0) {
    EXPECT_EQ(a.block().page_bytes(), small_page_bytes());
    GTEST_SKIP() << "huge pages are refused here: " << error_text(a.block().refusal());
  }
  EXPECT_EQ(a.block().page_bytes(), huge_page_bytes());
  EXPECT_TRUE(starts_at_a_multiple(a.data(), huge_page_bytes()));
  EXPECT_EQ(a.block().bytes().size(), 2 * huge_page_bytes());
  a[huge_page_bytes()] = 1;
  EXPECT_EQ(a[2 * huge_page_bytes() - 1], 0) << "all of the block is mapped";
}

TEST(page_array, has_small_pages_where_huge_ones_are_refused) {
  fake_kernel kernel;
  kernel.huge_error = EINVAL;
  page_array<char> const a(3 * small_page_bytes(), page_size::huge, kernel);
  EXPECT_NE(a.block().refusal(), 0);
  EXPECT_EQ(a.block().page_bytes(), small_page_bytes());
  a[3 * small_page_bytes() - 1] = 1;
}

}}}}  // namespace skua::v0::runtime
