// SPDX-License-Identifier: MIT
// Every page is reported, also when nobody knows where it is.
#include "skua/parts/memory/locate.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cerrno>
#include <vector>

#include "skua/parts/memory/fake_kernel_test.hpp"
#include "skua/parts/memory/page_block.hpp"
#include "skua/parts/memory/touch.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace {

using testing::fake_kernel;
using testing::nodes_with_memory;

/// The error by which the kernel reports an untouched page.
class locating : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(kernels, locating, ::testing::Values(-ENOENT, -EFAULT));

TEST_P(locating, tells_every_page_of_a_range_that_starts_and_ends_anywhere) {
  fake_kernel kernel;
  kernel.untouched_error = GetParam();
  kernel.toucher = [] { return numa_id{3}; };
  std::size_t const page = small_page_bytes();
  page_block const block(10'000 * page, page_size::small, kernel);  // more than one system call
  std::span<std::byte> const bytes = block.bytes();
  EXPECT_FALSE(touch_pages(bytes.subspan(5'000 * page), kernel));
  page_homes const all = locate_pages(bytes, kernel);
  ASSERT_EQ(all.pages.size(), 10'000U);
  for (std::size_t i = 0; i < all.pages.size(); ++i) {
    EXPECT_EQ(all.pages[i].state, i < 5'000 ? page_state::untouched : page_state::on_node) << i;
  }
  EXPECT_EQ(to_text(count_pages(all.pages)), "node 3: 5000 pages, untouched: 5000 pages");
  EXPECT_EQ(locate_pages(bytes.subspan(4'999 * page + 1, page), kernel).pages,
            (std::vector<page_home>{all.pages[4'999], all.pages[5'000]}));
  EXPECT_EQ(locate_pages(bytes.subspan(page - 1, 1), kernel).pages.size(), 1U);
  EXPECT_TRUE(locate_pages({}, kernel).pages.empty());
}

TEST(locate_pages, a_refusal_is_told) {
  fake_kernel kernel;
  kernel.locate_error = EPERM;
  page_block const block(3 * small_page_bytes(), page_size::small, kernel);
  page_homes const found = locate_pages(block.bytes(), kernel);
  EXPECT_EQ(found.refusal, std::errc::operation_not_permitted);
  EXPECT_EQ(to_text(count_pages(found.pages)), "unknown: 3 pages");
}

TEST(locate_pages, of_the_real_kernel_knows_touched_untouched_and_unmapped_pages) {
  std::size_t const page = small_page_bytes();
  page_block const block(4 * page);
  ASSERT_FALSE(touch_pages(block.bytes().first(page)));
  std::byte const read = *static_cast<std::byte volatile*>(&block.bytes()[3 * page]);
  ASSERT_EQ(read, std::byte{0});
  if (auto const refusal = locate_pages(block.bytes()).refusal) GTEST_SKIP() << "move_pages(2): " << refusal.message();
  ASSERT_EQ(munmap(block.bytes().data() + 2 * page, page), 0);
  page_homes const found = locate_pages(block.bytes());
  EXPECT_EQ(found.pages[0].state, page_state::on_node);
  std::vector<numa_id> const nodes = nodes_with_memory();
  EXPECT_TRUE(std::ranges::find(nodes, found.pages[0].node) != nodes.end());
  EXPECT_EQ(found.pages[1].state, page_state::untouched);
  EXPECT_EQ(found.pages[2].state, page_state::unmapped);
  EXPECT_EQ(found.pages[3].state, page_state::untouched) << "reading is not touching";
}

TEST(count_pages, sums_up_and_reads_well) {
  std::vector<page_home> const pages{{page_state::on_node, numa_id{2}},
                                     {page_state::unmapped},
                                     {page_state::on_node, numa_id{0}},
                                     {page_state::on_node, numa_id{2}}};
  page_census const sums = count_pages(pages);
  EXPECT_EQ(sums.nodes, (std::vector<page_census::row>{{numa_id{0}, 1}, {numa_id{2}, 2}}));
  EXPECT_EQ(to_text(sums), "node 0: 1 page, node 2: 2 pages, unmapped: 1 page");
  EXPECT_EQ(to_text(count_pages({})), "no pages");
}

TEST(part_at_home, counts_only_pages_that_have_a_node_and_an_owner_with_one) {
  std::size_t const page = small_page_bytes();
  std::vector<page_home> const pages{{page_state::on_node, numa_id{0}},
                                     {page_state::on_node, numa_id{1}},
                                     {page_state::untouched},
                                     {page_state::on_node, numa_id{1}}};
  std::vector<numa_id> const homes{numa_id{0}, numa_id{1}};
  std::vector<page_run> const runs{
      {place_id{0}, 0, 2 * page}, {place_id{1}, 2 * page, page}, {place_id{7}, 3 * page, page}};
  EXPECT_EQ(part_at_home(pages, runs, homes), 0.5);
  EXPECT_EQ(part_at_home(pages, runs, {}), 1.0);
}

}}}}  // namespace skua::v0::runtime
