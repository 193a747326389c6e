// SPDX-License-Identifier: MIT
// The data of the apps lie where their place hints point. The test asks the kernel, page by page, and takes the hints
// from a recorder. Skipped on a machine with one node; tools/numa_bed.py boots one with four. [numa-ws-2018 III-A]
#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "apps/heat/problem.hpp"
#include "apps/placed_array.hpp"
#include "skua/parts/memory/fake_kernel_test.hpp"
#include "skua/program/recorder.hpp"
#include "skua/skua.hpp"

namespace skua::apps {
namespace {

/// The place of a node: its own hint, or that of the nearest node above it that has one.
std::optional<place_id> place_of(task_tree const& tree, tree_node_id id) {
  for (; id != no_tree_node; id = tree[id].parent) {
    if (tree[id].hints.place) return tree[id].hints.place;
  }
  return {};
}

/// Pages that begin in rows that leaves write, and how many of them lie at their leaf's place.
struct census {
  std::size_t pages = 0;
  std::size_t at_home = 0;
};
census count_written(task_tree const& tree, std::vector<numa_id> const& homes) {
  census all;
  for (tree_node_id id = 0; id < tree.size(); ++id) {
    for (std::uint32_t t = 0; t < tree[id].touches; ++t) {
      touch const& what = tree.touches()[tree[id].first_touch + t];
      std::optional<place_id> const place = place_of(tree, id);
      if (!what.written || !place) continue;
      for (std::uint64_t row = 0; row < what.rows; ++row) {
        auto const* const from = reinterpret_cast<std::byte const*>(what.address) + row * what.stride;
        auto const past_page = reinterpret_cast<std::uintptr_t>(from) % runtime::small_page_bytes();
        std::size_t const skipped = past_page == 0 ? 0 : runtime::small_page_bytes() - past_page;
        if (skipped >= what.bytes) continue;
        for (page_home const& page : locate_pages({from + skipped, what.bytes - skipped}).pages) {
          ++all.pages;
          all.at_home += page.node == homes[index(*place)] ? 1U : 0U;
        }
      }
    }
  }
  return all;
}

TEST(apps_numa, heats_rows_lie_on_the_node_of_the_place_that_is_hinted) {
  if (runtime::testing::nodes_with_memory().size() < 2)
    GTEST_SKIP() << "this machine has one NUMA node; make numa emulates four";
  pool pinned({.policy = "numa-ws", .places = "numa_domains", .pin = true});
  ASSERT_EQ(why_distribution_is_pointless(pinned.map()), "");
  // Bands of whole rows, and quadrants, where a row belongs to two places.
  for (std::size_t const columns : {std::size_t{1500}, std::size_t{6000}}) {
    heat::problem plate(heat::landscape(600, columns, 1), 3);
    heat::cutoff const end{.rows = 64, .columns = 4096, .sweep = heat::sweeps().front().function};
    place_range const places{.first = 0, .count = pinned.places()};
    auto const found = [&] {
      return count_written(record([&](auto& here) { heat::program(here, plate, end, {}, places); }),
                           homes_of(pinned.map()));
    };
    census const before = found();
    EXPECT_LT(before.at_home, before.pages) << "before, one thread has touched them all";
    plate.reset();
    plate.place(pinned.map(), end);
    census const after = found();
    EXPECT_GT(after.pages, 600U);
    EXPECT_EQ(after.at_home, after.pages) << columns << " columns";
    plate.reset();
    pinned.run([&](auto& here) { heat::program(here, plate, end, {}, places); });
    EXPECT_EQ(plate.wrong(), "");
  }
}

}  // namespace
}  // namespace skua::apps
