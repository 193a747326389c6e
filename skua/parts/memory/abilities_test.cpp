// SPDX-License-Identifier: MIT
// Trying finds out what a kernel lets us do, and names every refusal.
#include "skua/parts/memory/abilities.hpp"

#include <gtest/gtest.h>

#include <cerrno>

#include "skua/parts/memory/bind.hpp"
#include "skua/parts/memory/fake_kernel_test.hpp"
#include "skua/parts/memory/locate.hpp"
#include "skua/parts/memory/page_block.hpp"
#include "skua/parts/memory/touch.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace {

using testing::fake_kernel;

TEST(try_pages, names_what_a_container_forbids) {
  fake_kernel kernel;
  kernel.bind_error = EPERM;
  kernel.locate_error = ENOSYS;
  page_abilities const found = try_pages(kernel);
  EXPECT_FALSE(found.bind.works);
  EXPECT_EQ(found.bind.why, "the kernel refused mbind(2): Operation not permitted");
  EXPECT_FALSE(found.locate.works);
  EXPECT_EQ(found.locate.why, "the kernel refused move_pages(2): Function not implemented");
}

TEST(try_pages, works_with_a_kernel_that_allows_all) {
  fake_kernel const kernel;
  page_abilities const found = try_pages(kernel);
  EXPECT_TRUE(found.bind.works);
  EXPECT_TRUE(found.locate.works);
}

TEST(try_pages, agrees_with_what_the_real_kernel_then_does) {
  page_abilities const found = try_pages();
  page_block const one(1);
  EXPECT_EQ(found.bind.works, !unbind_pages(one.bytes()));
  ASSERT_FALSE(touch_pages(one.bytes()));
  EXPECT_EQ(found.locate.works, locate_pages(one.bytes()).pages.front().state == page_state::on_node);
  EXPECT_FALSE(found.bind.why.empty());
  EXPECT_FALSE(found.locate.why.empty());
  EXPECT_FALSE(found.huge.why.empty());
}

}}}}  // namespace skua::v0::runtime
