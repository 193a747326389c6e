// SPDX-License-Identifier: MIT
// Iterations are found however a program names them, and overlap is that of the apps' task maps.
#include "cli/report/task_map.hpp"

#include <gtest/gtest.h>

#include <random>

#include "apps/map/task_map.hpp"
#include "cli/report/invented_test.hpp"
#include "cli/report/iterations.hpp"

namespace skua::cli::traced { namespace {

/// owners[iteration][item]; every item of `bytes` runs in every iteration, which lasts 100 ns.
run iterated(std::vector<std::vector<std::uint32_t>> const& owners, std::vector<std::uint64_t> const& bytes,
             std::uint32_t workers) {
  std::vector<std::vector<event>> events(workers);
  for (std::uint64_t i = 0; i < owners.size(); ++i) {
    events[0].push_back(at(100 * i, {.what = kind::mark, .other = 3, .value = i + 1}));
    std::uint64_t address = 0x1000;
    for (std::size_t k = 0; k < bytes.size(); ++k) {
      events[owners[i][k]].push_back(at(100 * i + k + 1, {.what = kind::leaf, .id = address, .value = bytes[k]}));
      address += bytes[k];
    }
  }
  return invented(std::move(events));
}

TEST(iterations, marks_collections_and_repeated_calls_tell_them_apart) {
  run const marks = iterated({{0}, {0}, {0}}, {8}, 1);
  EXPECT_EQ(iterations_of(marks).by, "marks named iteration");
  ASSERT_EQ(iterations_of(marks).all.size(), 3u);
  EXPECT_EQ(iterations_of(marks).all[1].from_ns, 100u);
  EXPECT_EQ(iterations_of(marks).all[1].to_ns, 200u);
  run const collection = invented(
      {{at(5, {.what = kind::iteration_began, .value = 0}), at(50, {.what = kind::iteration_ended, .value = 0})},
       {at(7, {.what = kind::iteration_began, .value = 0}), at(60, {.what = kind::iteration_ended, .value = 0})}});
  ASSERT_EQ(iterations_of(collection).all.size(), 1u) << "two ranks, one iteration";
  EXPECT_EQ(iterations_of(collection).all[0].from_ns, 5u);
  EXPECT_EQ(iterations_of(collection).all[0].to_ns, 60u);
  run const calls = invented({{at(0, {.what = kind::called, .other = 1}), at(10, {.what = kind::left}),
                               at(20, {.what = kind::called, .other = 1}), at(30, {.what = kind::left})}});
  EXPECT_EQ(iterations_of(calls).all.size(), 2u);
  run const at_once = invented({{at(0, {.what = kind::called, .other = 1}), at(10, {.what = kind::left})},
                                {at(5, {.what = kind::called, .other = 1}), at(30, {.what = kind::left})}});
  EXPECT_TRUE(iterations_of(at_once).all.empty()) << "two threads call at once";
}

TEST(iterations, balance_counts_what_happens_inside) {
  run const r = invented({{at(0, {.what = kind::mark, .other = 3, .value = 1}), at(0, {.what = kind::working}),
                           at(50, {.what = kind::sleeping}), at(100, {.what = kind::mark, .other = 3, .value = 2}),
                           at(100, {.what = kind::working}), at(110, {.what = kind::stolen}),
                           at(120, {.what = kind::sent}), at(200, {.what = kind::sleeping})}});
  auto const balance = balance_of(r, replay(r), iterations_of(r).all);
  ASSERT_EQ(balance.size(), 2u);
  EXPECT_DOUBLE_EQ(balance[0].efficiency.value(), 0.5);
  EXPECT_DOUBLE_EQ(balance[1].efficiency.value(), 1);
  EXPECT_EQ(balance[0].steals, 0u);
  EXPECT_EQ(balance[1].steals, 1u);
  EXPECT_EQ(balance[1].moved, 1u);
}

TEST(task_map, overlap_is_that_of_the_apps_where_every_item_runs_in_every_iteration) {
  unsigned const seed = std::random_device()();
  SCOPED_TRACE(seed);
  std::mt19937 dice(seed);
  for (int round = 0; round < 20; ++round) {
    auto const workers = static_cast<std::uint32_t>(1 + dice() % 5);
    std::vector<std::uint64_t> bytes(1 + dice() % 30);
    for (auto& b : bytes) b = 1 + dice() % 1000;
    std::vector<std::vector<std::uint32_t>> owners(2 + dice() % 6, std::vector<std::uint32_t>(bytes.size()));
    apps::task_map theirs(1, 1, workers, {bytes.begin(), bytes.end()});
    for (auto& of_iteration : owners) {
      for (auto& owner : of_iteration) owner = static_cast<std::uint32_t>(dice() % workers);
      theirs.add(of_iteration, {});
    }
    run const r = iterated(owners, bytes, workers);
    task_map const ours = map_tasks(r, iterations_of(r).all, 64, 64);
    ASSERT_TRUE(ours.overlap());
    EXPECT_NEAR(*ours.overlap(), *theirs.overlap(), 1e-12);
    EXPECT_EQ(ours.items, bytes.size());
    EXPECT_FALSE(ours.overlaps.front());
  }
}

TEST(task_map, a_program_that_alternates_between_arrays_is_compared_with_the_last_time) {
  std::vector<std::vector<event>> events(2);
  for (std::uint64_t i = 0; i < 6; ++i) {
    events[0].push_back(at(100 * i, {.what = kind::mark, .other = 3, .value = i}));
    for (std::uint32_t w = 0; w < 2; ++w)
      events[w].push_back(at(100 * i + 1, {.what = kind::leaf, .id = 0x1000 + 8 * w + (i % 2) * 64, .value = 8}));
  }
  run const r = invented(std::move(events));
  task_map const m = map_tasks(r, iterations_of(r).all, 64, 64);
  EXPECT_EQ(m.items, 4u);
  EXPECT_DOUBLE_EQ(*m.overlap(), 1);
}

TEST(task_map, the_picture_shares_rows_by_bytes_and_keeps_owners) {
  run const r = iterated({{0, 1}, {0, 0}, {1, 0}}, {160, 240}, 2);
  owner_picture const p = map_tasks(r, iterations_of(r).all, 2, 2).picture;
  EXPECT_EQ(p.numbers, (std::vector<std::int64_t>{1, 3})) << "the first and the last";
  EXPECT_EQ(p.owners, (std::vector<std::uint32_t>{0, 1, 1, 0}));
  EXPECT_EQ(p.addresses, (std::vector<std::uint64_t>{0x1000, 0x10a0}))
      << "the second row begins inside the second block";
}

TEST(task_map, without_leaves_there_is_none) {
  run const r = invented({{at(0, {.what = kind::mark, .other = 3, .value = 1}), at(10, {.what = kind::leaf})}});
  EXPECT_EQ(map_tasks(r, iterations_of(r).all, 8, 8).items, 0u);
}

}}  // namespace skua::cli::traced
