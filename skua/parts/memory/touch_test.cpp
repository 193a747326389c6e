// SPDX-License-Identifier: MIT
// A touched page is present and keeps its contents.
#include "skua/parts/memory/touch.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cerrno>
#include <vector>

#include "skua/parts/memory/fake_kernel_test.hpp"
#include "skua/parts/memory/page_array.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace {

using testing::fake_kernel;

std::size_t resident_pages(page_block const& block) {
  std::vector<unsigned char> in_core(block.bytes().size() / small_page_bytes());
  if (mincore(block.bytes().data(), block.bytes().size(), in_core.data()) != 0) return 0;
  return static_cast<std::size_t>(std::ranges::count_if(in_core, [](unsigned char c) { return (c & 1U) != 0; }));
}

/// With the kernel's help, and page by page for a kernel that does not know the advice.
class touching : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override { old_kernel_.populate_error = GetParam(); }
  [[nodiscard]] page_kernel const& kernel() const {
    if (GetParam() == 0) return running_kernel();
    return old_kernel_;
  }

 private:
  fake_kernel old_kernel_;
};

TEST_P(touching, brings_pages_in_and_keeps_their_contents) {
  page_array<int> const a(8 * small_page_bytes());
  std::size_t const elements_of_page = small_page_bytes() / sizeof(int);
  a[0] = 1;
  a[3 * elements_of_page + 17] = 2;
  EXPECT_EQ(resident_pages(a.block()), 2U);
  EXPECT_FALSE(touch_pages(a.block().bytes().first(16 * small_page_bytes()), kernel()));
  EXPECT_EQ(resident_pages(a.block()), 16U);
  EXPECT_EQ(a[0], 1);
  EXPECT_EQ(a[3 * elements_of_page + 17], 2);
  EXPECT_EQ(a[5 * elements_of_page], 0);
}

INSTANTIATE_TEST_SUITE_P(kernels, touching, ::testing::Values(0, EINVAL, ENOSYS, EPERM));

TEST(touch_pages, tells_that_there_is_no_memory) {
  fake_kernel kernel;
  kernel.populate_error = ENOMEM;
  page_block const block(small_page_bytes(), page_size::small, kernel);
  EXPECT_EQ(touch_pages(block.bytes(), kernel), std::errc::not_enough_memory);
  EXPECT_FALSE(touch_pages({}, kernel));
}

}}}}  // namespace skua::v0::runtime
