// SPDX-License-Identifier: MIT
// Ranges that others steal, and leaves that another number of ranks goes on with.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <string>
#include <vector>

#include "skua/machine/ranks/transport/ranks_for_test.hpp"
#include "skua/ranks.hpp"

namespace skua { inline namespace v0 { namespace ranks { namespace {

/// Rank 0 waits in its first leaf until every other rank has run one: so each has stolen a part of the range, directly or from a thief.
TEST(stolen_ranges, reach_every_rank_and_stay_there) {
  constexpr std::uint32_t ranks = 4;
  constexpr std::uint64_t indices = 256;
  std::vector<std::atomic<std::uint64_t>> ran(ranks);
  std::vector<std::atomic<std::uint32_t>> ran_on(indices);
  on_ranks(ranks, [&](communicator& world) {
    task_collection<index_range> all(world, {.name = "stolen"},
                                     [&](task_site<index_range>& here, index_range const& r) {
                                       ++ran[here.rank()];
                                       ran_on[r.first] = here.rank();
                                       auto const all_ran = [&] {
                                         for (auto const& of_rank : ran) {
                                           if (of_rank == 0) return false;
                                         }
                                         return true;
                                       };
                                       while (!all_ran()) here.progress();
                                     });
    if (world.rank() == 0) all.add_range(0, indices);
    all.process();
    EXPECT_GT(all.num_recorded(), 0U);
    EXPECT_EQ(world.sum(all.num_recorded()), indices);
    EXPECT_EQ(all.own_report().tasks, all.num_recorded());
    collection_report const first = all.report();
    EXPECT_GE(first.moved, ranks - 1);
    // The second iteration keeps them.
    std::uint64_t const own = all.num_recorded();
    all.restore("none");
    EXPECT_EQ(all.num_waiting(), own);
    std::vector<std::uint32_t> const before(ran_on.begin(), ran_on.end());
    all.process();
    EXPECT_EQ(all.num_recorded(), own);
    if (world.rank() == 0) {
      EXPECT_EQ(std::vector<std::uint32_t>(ran_on.begin(), ran_on.end()), before);
    }
    EXPECT_EQ(all.report().moved, 0U);
  });
}

TEST(stolen_ranges, go_on_as_leaves_on_any_number_of_ranks) {
  std::string const path =
      (std::filesystem::temp_directory_path() / ("skua_leaves_" + std::to_string(getpid()))).string();
  constexpr std::uint64_t indices = 300;
  for (std::uint32_t const before : {1U, 2U, 5U}) {
    on_ranks(before, [&](communicator& world) {
      task_collection<index_range> all(world, {.name = "leaves"}, [](index_range const&) {});
      if (world.rank() == 0) all.add_range(0, indices, 4);
      all.process();
      all.checkpoint(path);
    });
    for (std::uint32_t const after : {1U, 3U, 5U}) {
      on_ranks(after, [&](communicator& world) {
        std::vector<std::uint64_t> ran(indices, 0);
        task_collection<index_range> all(world, {.name = "leaves"}, [&](index_range const& r) {
          EXPECT_EQ(r.size(), 4U);
          for (std::uint64_t i = r.first; i < r.last; ++i) ++ran[i];
        });
        static_cast<void>(all.restart(path));
        EXPECT_EQ(world.sum(all.num_recorded()), indices / 4);
        all.restore();
        all.process();
        world.sum(std::span(ran));
        EXPECT_EQ(ran, std::vector<std::uint64_t>(indices, 1)) << before << " ranks, then " << after;
      });
    }
  }
  std::filesystem::remove(path);
}

}}}}  // namespace skua::v0::ranks
