// SPDX-License-Identifier: MIT
// The data of the apps lie where their place hints point. The test asks the kernel, page by page, and takes the hints
// from a recorder. Skipped on a machine with one node; tools/numa_bed.py boots one with four. [numa-ws-2018 III-A]
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/app.hpp"
#include "apps/heat/problem.hpp"
#include "apps/owned_array.hpp"
#include "apps/parse_options.hpp"
#include "skua/parts/memory/fake_kernel_test.hpp"
#include "skua/program/recorder.hpp"
#include "skua/skua.hpp"

namespace skua::apps { namespace {

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
census count_written(task_tree const& tree, std::vector<memory::numa_id> const& homes) {
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
        for (memory::page_home const& page : memory::locate_pages({from + skipped, what.bytes - skipped}).pages) {
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
  ASSERT_EQ(runtime::why_distribution_is_pointless(pinned.layout()), "");
  // Bands of whole rows, and quadrants, where a row belongs to two places.
  for (std::size_t const columns : {std::size_t{1500}, std::size_t{6000}}) {
    heat::problem plate(heat::landscape(600, columns, 1), 3);
    heat::cutoff const end{.rows = 64, .columns = 4096, .sweep = heat::sweeps().front().function};
    place_range const places{.first = 0, .count = pinned.places()};
    auto const found = [&] {
      return count_written(record([&](auto& here) { heat::program(here, plate, end, {}, places); }),
                           memory::homes_of(pinned.layout()));
    };
    census const before = found();
    EXPECT_LT(before.at_home, before.pages) << "before, one thread has touched them all";
    plate.reset();
    distribute(plate.owned(end, places), pinned.layout());
    census const after = found();
    EXPECT_GT(after.pages, 600U);
    EXPECT_EQ(after.at_home, after.pages) << columns << " columns";
    plate.reset();
    pinned.run([&](auto& here) { heat::program(here, plate, end, {}, places); });
    EXPECT_EQ(plate.wrong(), "");
  }
}

/// The app after its data were placed, and the tree of one of its runs.
struct chosen_app {
  char const* name;
  char const* options;
};
class placed_app : public testing::TestWithParam<chosen_app> {
 protected:
  void SetUp() override {
    if (runtime::testing::nodes_with_memory().size() < 2)
      GTEST_SKIP() << "this machine has one NUMA node; make numa emulates four";
    for (entry const& e : all()) {
      if (e.name == GetParam().name) made = e.make();
    }
    ASSERT_NE(made, nullptr);
    parse_options(GetParam().options, made->options());
    made->prepare();
    made->reset();
    made->place_data(pinned);
  }
  task_tree recorded() {
    recorder here;
    made->simulation()->run_recorded(here, pinned.places());
    return here.take();
  }

  pool pinned{{.policy = "numa-ws", .places = "numa_domains", .pin = true}};
  std::unique_ptr<app> made;
};

TEST_P(placed_app, every_page_lies_where_its_owner_is) {
  std::vector<memory::numa_id> const homes = memory::homes_of(pinned.layout());
  std::size_t pages = 0;
  for (owned_range const& r : ranges_of(made->owned(pinned.places()))) {
    std::uintptr_t const page = runtime::small_page_bytes();
    std::uintptr_t const begin = (r.address + page - 1) / page * page;  // a page belongs to the owner of its first byte
    if (begin >= r.address + r.bytes) continue;
    auto const* const from = reinterpret_cast<std::byte const*>(begin);
    for (memory::page_home const& found : memory::locate_pages({from, r.address + r.bytes - begin}).pages) {
      ++pages;
      EXPECT_EQ(found.node, homes[index(r.owner.value())]);
    }
  }
  EXPECT_GT(pages, 100U);
}

/// A quarter could lie there by chance. Merges and moves write for other places too, so not everything is at home.
TEST_P(placed_app, most_of_what_a_hinted_leaf_writes_is_at_its_place) {
  census const found = count_written(recorded(), memory::homes_of(pinned.layout()));
  EXPECT_GT(found.pages, 100U);
  EXPECT_GT(2 * found.at_home, found.pages);
  EXPECT_EQ(made->wrong(), "");
}

TEST_P(placed_app, the_answer_is_right) {
  made->reset();
  made->run_skua(pinned);
  EXPECT_EQ(made->wrong(), "");
}

INSTANTIATE_TEST_SUITE_P(apps_numa, placed_app,
                         testing::Values(chosen_app{"cilksort", "--n 300000 --key-bits 64"},
                                         chosen_app{"hull", "--points on --n 100000 --leaf 1000"},
                                         chosen_app{"cg", "--class S"}, chosen_app{"heat", "--n 600 --iterations 3"}),
                         [](auto const& tested) { return std::string(tested.param.name); });

}}  // namespace skua::apps
