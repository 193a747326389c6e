// SPDX-License-Identifier: MIT
// First touch as tasks: one for each run of pages, hinted to its place; a kernel without memory is a resource_error.
#include "skua/program/first_touch.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstddef>
#include <span>
#include <vector>

#include "skua/program/recorder.hpp"
#include "skua/program/serial.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace {

/// Keeps which pages were brought in. The call number `fails` (from 1) finds no memory.
class told_kernel final : public page_kernel {
 public:
  explicit told_kernel(int fails = 0) : fails_(fails) {}
  ~told_kernel() = default;
  int bind(std::span<std::byte>, page_rule, numa_set const&) const noexcept override { return 0; }
  int locate(std::span<void* const>, std::span<int>) const noexcept override { return 0; }
  int find(std::span<std::byte>) const noexcept override { return 0; }
  int advise(std::span<std::byte> pages, page_advice advice) const noexcept override {
    if (advice != page_advice::populate) return 0;
    brought_in.push_back(pages);
    return static_cast<int>(brought_in.size()) == fails_ ? ENOMEM : 0;
  }
  mutable std::vector<std::span<std::byte>> brought_in;

 private:
  int fails_;
};

TEST(first_touch, brings_in_each_run_at_its_place) {
  page_block const block(4 * small_page_bytes());
  std::size_t const page = block.page_bytes();
  std::vector<page_run> const runs{
      {place_id{3}, 0, page}, {place_id{1}, page, 2 * page}, {place_id{2}, 3 * page, page}};
  told_kernel const kernel;
  task_tree const tree = record([&](recorder& here) { first_touch(here, block, runs, kernel); });
  ASSERT_EQ(kernel.brought_in.size(), 3U);
  std::size_t run = 0;
  for (tree_node_id i = 0; i < tree.size(); ++i) {
    tree_node const& n = tree[i];
    if (n.kind == tree_node_kind::leaf) {
      EXPECT_EQ(tree[n.parent].hints.place, runs.at(run).place);
      EXPECT_EQ(n.touches, 1U);
      EXPECT_EQ(tree.touches()[n.first_touch].bytes, runs[run].bytes);
      EXPECT_TRUE(tree.touches()[n.first_touch].written);
      EXPECT_EQ(kernel.brought_in[run].data(), block.bytes().data() + runs[run].first);
      EXPECT_EQ(kernel.brought_in[run].size(), runs[run].bytes);
      ++run;
    }
  }
  EXPECT_EQ(run, 3U);
}

TEST(first_touch, without_memory_is_a_resource_error) {
  page_block const block(2 * small_page_bytes());
  std::size_t const page = block.page_bytes();
  std::vector<page_run> const runs{{place_id{0}, 0, page}, {place_id{0}, page, page}};
  serial here;
  for (int const fails : {1, 2}) {
    told_kernel const kernel(fails);
    EXPECT_THROW(first_touch(here, block, runs, kernel), resource_error);
  }
  EXPECT_NO_THROW(first_touch(here, block, runs, told_kernel()));
}

}}}}  // namespace skua::v0::runtime
