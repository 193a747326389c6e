// SPDX-License-Identifier: MIT
// Pages go to their owners: bound where the kernel allows it, touched by pinned threads where it does not, left alone
// where it would gain nothing; and the answer says which. The kernels are fake; threads and processors are real.
#include "skua/machine/threads/face/distribute.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <cerrno>

#include "skua/machine/threads/face/pool.hpp"
#include "skua/parts/memory/bind.hpp"
#include "skua/parts/memory/fake_kernel_test.hpp"
#include "skua/parts/memory/locate.hpp"
#include "skua/parts/topology/affinity.hpp"
#include "skua/parts/topology/reading.hpp"
#include "skua/program/first_touch.hpp"
#include "skua/program/serial.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace {

using testing::fake_kernel;

/// This machine's layout, as if each processor had a NUMA node of its own with the processor's number.
layout one_node_per_processor(bool can_bind = true) {
  topology_reading read{.machine_pus = 0, .this_system = true, .can_bind = can_bind};
  cpu_mask const mine = affinity_of_this_thread();
  for (std::uint32_t cpu = 0; cpu < 64; ++cpu) {
    if (mine.contains(cpu)) read.pus.push_back({.os_index = cpu});
  }
  range_finder finder{read};
  for (topology_pu const& pu : read.pus) {
    cpu_mask only;
    only.insert(pu.os_index);
    finder.add(level::numa_node, pu.os_index, only, 0);
  }
  return layout{topology{read}, {.places = "numa_domains"}};
}

numa_id node_of_this_thread() { return numa_id{static_cast<std::uint32_t>(sched_getcpu())}; }

class falling_asleep : public ::testing::Test {
 protected:
  void SetUp() override {
    kernel_.toucher = node_of_this_thread;
    if (map_.places() < 2) GTEST_SKIP() << "this machine has one processor";
  }
  [[nodiscard]] double at_home(page_block const& block, std::vector<page_run> const& runs) const {
    return part_at_home(locate_pages(block.bytes(), kernel_).pages, runs, homes_of(map_));
  }
  void touch_all(page_block const& block) const { ASSERT_FALSE(touch_pages(block.bytes(), kernel_)); }

  layout map_ = one_node_per_processor();
  fake_kernel kernel_{64};
  page_array<double> array_{100'000};
  std::vector<share> shares_ = shares_of(array_, map_);
  std::vector<page_run> runs_ = pages_of(shares_, sizeof(double), array_.block().bytes().size(), small_page_bytes());
};

TEST_F(falling_asleep, binds_where_that_is_allowed) {
  distribution const how = distribute(array_, shares_, map_, kernel_);
  EXPECT_EQ(how.how, distribution_method::bound) << how.why;
  touch_all(array_.block());
  EXPECT_EQ(at_home(array_.block(), runs_), 1.0);
}

TEST_F(falling_asleep, touches_first_from_every_place_where_binding_is_refused) {
  kernel_.bind_error = EPERM;
  cpu_mask const before = affinity_of_this_thread();
  distribution const how = distribute(array_, shares_, map_, kernel_);
  EXPECT_EQ(how.how, distribution_method::first_touch);
  EXPECT_NE(how.why.find("Operation not permitted"), std::string::npos) << how.why;
  EXPECT_EQ(count_pages(locate_pages(array_.block().bytes(), kernel_).pages).untouched, 0U);
  EXPECT_EQ(at_home(array_.block(), runs_), 1.0);
  EXPECT_EQ(affinity_of_this_thread(), before) << "the caller's mask is its own";
}

TEST_F(falling_asleep, deals_out_more_blocks_than_the_kernel_can_bind) {
  kernel_.most_binds = 3;
  std::size_t const block_bytes = 2 * small_page_bytes();
  distribution const how = distribute_cyclic(array_, block_bytes - 1, map_, kernel_);
  EXPECT_EQ(how.how, distribution_method::first_touch) << how.why;
  auto const runs = cyclic_blocks(array_.block().bytes().size(), block_bytes, small_page_bytes(), map_.places());
  EXPECT_EQ(at_home(array_.block(), runs), 1.0);
}

TEST_F(falling_asleep, interleaves_with_the_kernel_or_without) {
  for (int const error : {0, ENOSYS}) {
    page_block const block(array_.block().bytes().size());
    kernel_.bind_error = error;
    distribution const how = distribute_interleaved(block, map_, kernel_);
    EXPECT_EQ(how.how, error == 0 ? distribution_method::bound : distribution_method::first_touch) << how.why;
    touch_all(block);
    page_census const found = count_pages(locate_pages(block.bytes(), kernel_).pages);
    ASSERT_EQ(found.nodes.size(), map_.places()) << to_text(found);
    std::size_t const even = block.bytes().size() / small_page_bytes() / map_.places();
    for (auto const& [node, pages] : found.nodes)
      EXPECT_NEAR(static_cast<double>(pages), static_cast<double>(even), 1.0);
  }
}

TEST_F(falling_asleep, says_that_it_can_do_neither) {
  kernel_.bind_error = EPERM;
  distribution const how = distribute(array_, shares_, one_node_per_processor(false), kernel_);
  EXPECT_EQ(how.how, distribution_method::refused);
  EXPECT_NE(how.why.find("cannot pin"), std::string::npos) << how.why;
}

TEST_F(falling_asleep, without_memory_is_an_error) {
  kernel_.bind_error = EPERM;
  kernel_.populate_error = ENOMEM;
  EXPECT_THROW(distribute(array_, shares_, map_, kernel_), resource_error);
}

TEST(distribute, leaves_other_machines_alone) {
  fake_kernel const kernel;
  page_array<int> const array(100'000);
  layout const elsewhere{topology::synthetic("package:4 numa:1 core:16")};
  std::vector<share> const shares = shares_of(array, elsewhere);
  EXPECT_EQ(shares.size(), 4U);
  EXPECT_EQ(shares[1].first, 25'000U);
  distribution const how = distribute(array, shares, elsewhere, kernel);
  EXPECT_EQ(how.how, distribution_method::pointless);
  EXPECT_NE(how.why.find("not that of this machine"), std::string::npos) << how.why;
  EXPECT_EQ(kernel.binds(), 0U);
  EXPECT_EQ(distribute_interleaved(array.block(), layout::flat(3), kernel).how, distribution_method::pointless);
}

TEST(distribute, first_touch_under_a_pool_brings_every_page_in_once) {
  pool tried({.workers = 3, .topology = "package:3 numa:1 core:1"});
  page_array<double> const array(50'000);
  auto const runs =
      pages_of(shares_of(array, tried.layout()), sizeof(double), array.block().bytes().size(), small_page_bytes());
  fake_kernel const kernel;
  tried.run([&](auto& here) { first_touch(here, array.block(), runs, kernel); });
  EXPECT_EQ(count_pages(locate_pages(array.block().bytes(), kernel).pages).untouched, 0U);
  fake_kernel full;
  full.populate_error = ENOMEM;
  serial alone;
  EXPECT_THROW(first_touch(alone, array.block(), runs, full), resource_error);
}

}}}}  // namespace skua::v0::runtime
