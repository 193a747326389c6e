// SPDX-License-Identifier: MIT
// Every leaf of heat is on the map once per iteration, for every policy and number of workers; wrong hints are wrong as
// in the paper, and change no answer.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "apps/heat/map.hpp"
#include "skua/policy/combinations_for_test.hpp"
#include "skua/skua.hpp"

namespace skua::apps::heat { namespace {

constexpr std::size_t iterations = 4;

cutoff small_leaves() { return {.rows = 9, .columns = 32, .sweep = sweeps().back().function}; }

TEST(heat_map, leaves_cover_the_plate_once) {
  for (auto const& [rows, columns] : {std::pair<std::size_t, std::size_t>{1, 1}, {65, 130}, {200, 17}, {128, 128}}) {
    problem p(landscape(rows, columns, 5), 1);
    std::size_t cells = 0;
    std::set<float const*> first_cells;
    for (rectangle const& r : leaves_of(p.whole(0), small_leaves())) {
      EXPECT_TRUE(first_cells.insert(r.to).second);
      EXPECT_GT(r.rows * r.columns, 0U);
      cells += r.rows * r.columns;
    }
    EXPECT_EQ(cells, rows * columns);
  }
}

TEST(heat_map, every_leaf_is_on_it_once_per_iteration) {
  problem p(landscape(100, 130, 5), iterations);
  std::size_t const leaves = leaves_of(p.whole(0), small_leaves()).size();
  std::vector<std::string> names = testing::whole_policies();
  names.emplace_back("adws:no-steal");
  for (std::string const& policy : names) {
    for (std::uint32_t const workers : {1U, 2U, 7U}) {
      SCOPED_TRACE(policy + ", workers " + std::to_string(workers));
      pool some({.workers = workers, .policy = policy});
      leaf_record record(some);
      surveyor seen(p, small_leaves(), workers);
      p.reset();
      some.run([&](auto& here) {
        program(here, p, small_leaves(), estimate(0.5, error_kind::random, 3), {}, [&](std::size_t i) {
          auto const rows = record.take();
          std::size_t noted = 0;
          for (leaf_rows const& of_worker : rows) noted += of_worker.ran.size();
          EXPECT_EQ(noted, leaves) << "iteration " << i;
          seen.note(i, rows);
        });
      });
      EXPECT_EQ(p.wrong(), "");
      EXPECT_EQ(seen.map().iterations(), iterations);
      EXPECT_EQ(seen.map().lost(), 0U);
      for (map_iteration const* shown : seen.map().panels()) {
        EXPECT_EQ(shown->boxes.size(), leaves);
        // There are as many boxes as leaves, and every leaf has an owner: each is there once.
        EXPECT_EQ(std::ranges::count(shown->owners, nobody), 0);
        EXPECT_LT(*std::ranges::max_element(shown->owners), workers);
      }
      if (workers == 1) {
        EXPECT_EQ(seen.map().overlap(), 1.0);
      }
    }
  }
}

TEST(heat_map, adws_without_stealing_has_the_same_map_in_every_iteration) {
  problem p(landscape(128, 128, 5), 20);
  pool some({.workers = 4, .policy = "adws:no-steal"});
  leaf_record record(some);
  surveyor seen(p, small_leaves(), 4);
  some.run([&](auto& here) {
    program(here, p, small_leaves(), {}, {}, [&](std::size_t i) { seen.note(i, record.take()); });
  });
  EXPECT_EQ(seen.map().overlap(), 1.0);
  auto const& owners = seen.map().panels().front()->owners;
  EXPECT_EQ(std::set(owners.begin(), owners.end()).size(), 4U);
}

TEST(heat_hints, are_right_without_an_error) {
  EXPECT_EQ(estimate{}.factors(), (std::array<double, 4>{1, 1, 1, 1}));
  EXPECT_EQ(estimate(0, error_kind::random, 5).below(3).factors(), (std::array<double, 4>{1, 1, 1, 1}));
}

TEST(heat_hints, are_wrong_in_the_same_way_everywhere_if_deterministic) {
  estimate const root(0.25, error_kind::deterministic, 5);
  std::array<double, 4> const wrong{0.75, 0.875, 1.125, 1.25};
  EXPECT_EQ(root.factors(), wrong);
  EXPECT_EQ(root.below(7).below(2).factors(), wrong);
}

TEST(heat_hints, are_drawn_per_task_and_iteration_if_random_within_the_error_and_from_the_seed) {
  constexpr double alpha = 0.3;
  estimate const root(alpha, error_kind::random, 11);
  double sum = 0;
  double least = 2;
  double most = 0;
  std::set<double> different;
  for (std::size_t iteration = 0; iteration < 250; ++iteration) {
    for (std::size_t child = 0; child < 4; ++child) {
      auto const drawn = root.below(iteration).below(child).factors();
      EXPECT_EQ(drawn, estimate(alpha, error_kind::random, 11).below(iteration).below(child).factors());
      for (double const factor : drawn) {
        EXPECT_GE(factor, 1 - alpha);
        EXPECT_LE(factor, 1 + alpha);
        sum += factor;
        least = std::min(least, factor);
        most = std::max(most, factor);
        different.insert(factor);
      }
    }
  }
  EXPECT_EQ(different.size(), 4000U);
  EXPECT_NEAR(sum / 4000, 1, 0.02);
  EXPECT_LT(least, 1 - 0.95 * alpha);
  EXPECT_GT(most, 1 + 0.95 * alpha);
  EXPECT_NE(root.below(1).factors(), estimate(alpha, error_kind::random, 12).below(1).factors());
}

}}  // namespace skua::apps::heat
