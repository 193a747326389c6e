// SPDX-License-Identifier: MIT
// Pages land where asked, or the refusal is reported and nothing has changed. On a fake kernel with four nodes
// everywhere; on the real one where it has several.
#include "skua/parts/memory/bind.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <vector>

#include "skua/parts/base/dice.hpp"
#include "skua/parts/memory/fake_kernel_test.hpp"
#include "skua/parts/memory/locate.hpp"
#include "skua/parts/memory/page_block.hpp"
#include "skua/parts/memory/touch.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace {

using testing::fake_kernel;
using testing::nodes_with_memory;

std::vector<numa_id> nodes(std::initializer_list<std::uint32_t> numbers) {
  std::vector<numa_id> all;
  for (std::uint32_t const n : numbers) all.push_back(numa_id{n});
  return all;
}

page_census census_of(page_block const& block, page_kernel const& kernel) {
  EXPECT_FALSE(touch_pages(block.bytes(), kernel));
  return count_pages(locate_pages(block.bytes(), kernel).pages);
}

TEST(numa_set, holds_what_was_put_in) {
  numa_set s;
  EXPECT_TRUE(s.empty());
  for (std::uint32_t const n : {0U, 63U, 64U, 1023U}) s.insert(numa_id{n});
  EXPECT_EQ(s.size(), 4U);
  EXPECT_TRUE(s.contains(numa_id{64}));
  EXPECT_FALSE(s.contains(numa_id{65}));
  EXPECT_FALSE(s.contains(no_numa_node));
  EXPECT_EQ(s.words().back() >> (sizeof(unsigned long) * 8 - 1), 1UL);
}

TEST(bind_pages, puts_all_on_one_node) {
  fake_kernel const kernel;
  page_block const block(10 * small_page_bytes(), page_size::small, kernel);
  EXPECT_FALSE(bind_pages(block.bytes(), numa_id{2}, kernel));
  EXPECT_EQ(to_text(census_of(block, kernel)), "node 2: 10 pages");
  EXPECT_FALSE(bind_pages(block.bytes().first(4 * small_page_bytes()), numa_id{1}, kernel));
  EXPECT_EQ(to_text(census_of(block, kernel)), "node 1: 4 pages, node 2: 6 pages") << "pages that are there move";
}

TEST(bind_pages, puts_every_run_on_the_node_of_its_place) {
  constexpr std::uint64_t seed = 7;
  dice d{seed};
  for (int round = 0; round < 50; ++round) {
    fake_kernel const kernel;
    std::size_t const page = small_page_bytes();
    page_block const block((1 + d.below(64)) * page, page_size::small, kernel);
    std::vector<numa_id> homes(1 + d.below(6));
    for (numa_id& h : homes) h = d.below(5) == 0 ? no_numa_node : numa_id{d.below(4)};
    auto const runs = cyclic_blocks(block.bytes().size(), (1 + d.below(4)) * page, page, 1 + d.below(8));
    EXPECT_FALSE(bind_pages(block.bytes(), runs, homes, kernel));
    EXPECT_LE(kernel.binds(), runs.size());
    EXPECT_FALSE(touch_pages(block.bytes(), kernel));
    auto const found = locate_pages(block.bytes(), kernel).pages;
    for (page_run const& run : runs) {
      numa_id const home = home_of(run.place, homes);
      for (std::size_t at = run.first; at < run.first + run.bytes; at += page) {
        EXPECT_EQ(found[at / page].node, home == no_numa_node ? numa_id{0} : home)
            << "a page without home is its toucher's";
      }
    }
    EXPECT_EQ(part_at_home(found, runs, homes), 1.0);
    ASSERT_FALSE(HasFailure()) << "seed " << seed << " round " << round;
  }
}

TEST(bind_pages, asks_once_for_neighbours_on_one_node) {
  fake_kernel const kernel;
  std::size_t const page = small_page_bytes();
  page_block const block(8 * page, page_size::small, kernel);
  auto const runs = cyclic_blocks(block.bytes().size(), page, page, 4);
  EXPECT_FALSE(bind_pages(block.bytes(), runs, nodes({0, 0, 1, 1}), kernel));
  EXPECT_EQ(kernel.binds(), 4U);
}

TEST(bind_pages, changes_nothing_if_it_cannot_do_all) {
  fake_kernel kernel;
  std::size_t const page = small_page_bytes();
  page_block const block(8 * page, page_size::small, kernel);
  auto const runs = cyclic_blocks(block.bytes().size(), page, page, 2);
  kernel.most_binds = 5;
  EXPECT_EQ(bind_pages(block.bytes(), runs, nodes({1, 2}), kernel), std::errc::not_enough_memory);
  EXPECT_EQ(to_text(census_of(block, kernel)), "node 0: 8 pages");
  EXPECT_TRUE(kernel.wanted(block.bytes().data()).empty());
}

TEST(bind_pages, refusals_are_told) {
  fake_kernel kernel;
  page_block const block(small_page_bytes(), page_size::small, kernel);
  EXPECT_EQ(bind_pages(block.bytes(), numa_id{4}, kernel), std::errc::invalid_argument) << "there is no such node";
  EXPECT_EQ(bind_pages(block.bytes(), no_numa_node, kernel), std::errc::invalid_argument);
  EXPECT_EQ(interleave_pages(block.bytes(), {}, kernel), std::errc::invalid_argument);
  kernel.bind_error = EPERM;
  EXPECT_EQ(bind_pages(block.bytes(), numa_id{0}, kernel), std::errc::operation_not_permitted);
  EXPECT_EQ(interleave_pages(block.bytes(), nodes({0, 1}), kernel), std::errc::operation_not_permitted);
  auto const runs = cyclic_blocks(block.bytes().size(), 1, small_page_bytes(), 1);
  EXPECT_EQ(bind_pages(block.bytes(), runs, nodes({0}), kernel), std::errc::operation_not_permitted);
}

TEST(interleave_pages, pages_are_dealt_evenly) {
  fake_kernel const kernel;
  page_block const block(64 * small_page_bytes(), page_size::small, kernel);
  EXPECT_FALSE(interleave_pages(block.bytes(), nodes({3, 1}), kernel));
  EXPECT_EQ(to_text(census_of(block, kernel)), "node 1: 32 pages, node 3: 32 pages");
}

class real_nodes : public ::testing::Test {
 protected:
  void SetUp() override {
    if (nodes_.size() < 2) GTEST_SKIP() << "this machine has one NUMA node; make numa emulates four";
    if (std::error_code const no = unbind_pages(block_.bytes())) GTEST_SKIP() << "mbind(2): " << no.message();
    if (locate_pages(block_.bytes()).refusal) GTEST_SKIP() << "move_pages(2) is refused";
  }

  std::vector<numa_id> nodes_ = nodes_with_memory();
  page_block block_{nodes_.size() * 64 * small_page_bytes()};
};

TEST_F(real_nodes, pages_lie_on_the_node_they_were_bound_to) {
  for (numa_id const node : nodes_) {
    page_block const block(64 * small_page_bytes());
    ASSERT_FALSE(bind_pages(block.bytes(), node));
    page_census const found = census_of(block, running_kernel());
    EXPECT_EQ(found.nodes, (std::vector<page_census::row>{{node, 64}})) << to_text(found);
  }
}

TEST_F(real_nodes, pages_that_are_there_move) {
  static_cast<void>(census_of(block_, running_kernel()));
  for (numa_id const node : nodes_) {
    ASSERT_FALSE(bind_pages(block_.bytes(), node));
    page_census const found = census_of(block_, running_kernel());
    EXPECT_EQ(found.nodes, (std::vector<page_census::row>{{node, 64 * nodes_.size()}})) << to_text(found);
  }
}

TEST_F(real_nodes, interleaved_pages_are_dealt_evenly) {
  ASSERT_FALSE(interleave_pages(block_.bytes(), nodes_));
  page_census const found = census_of(block_, running_kernel());
  ASSERT_EQ(found.nodes.size(), nodes_.size()) << to_text(found);
  for (auto const& [node, pages] : found.nodes) EXPECT_EQ(pages, 64U) << to_text(found);
}

TEST_F(real_nodes, shares_and_blocks_lie_at_home) {
  std::size_t const page = small_page_bytes();
  auto const places = static_cast<std::uint32_t>(nodes_.size());
  std::vector<share> const shares = contiguous_shares(block_.bytes().size(), std::vector<std::uint32_t>(places, 1));
  for (auto const& runs : {pages_of(shares, 1, block_.bytes().size(), page),
                           cyclic_blocks(block_.bytes().size(), 3 * page, page, places)}) {
    ASSERT_FALSE(bind_pages(block_.bytes(), runs, nodes_));
    ASSERT_FALSE(touch_pages(block_.bytes()));
    EXPECT_EQ(part_at_home(locate_pages(block_.bytes()).pages, runs, nodes_), 1.0);
  }
}

TEST_F(real_nodes, huge_pages_lie_on_the_node_they_were_bound_to) {
  for (numa_id const node : nodes_) {
    page_block const block(2 * huge_page_bytes(), page_size::huge);
    ASSERT_EQ(block.refusal(), 0) << error_text(block.refusal());
    ASSERT_FALSE(bind_pages(block.bytes(), node));
    page_census const found = census_of(block, running_kernel());
    EXPECT_EQ(found.nodes, (std::vector<page_census::row>{{node, 2 * huge_page_bytes() / small_page_bytes()}}))
        << to_text(found);
  }
}

TEST_F(real_nodes, a_node_that_does_not_exist_is_refused) {
  EXPECT_EQ(bind_pages(block_.bytes(), numa_id{1000}), std::errc::invalid_argument);
}

}}}}  // namespace skua::v0::runtime
