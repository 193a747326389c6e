// SPDX-License-Identifier: MIT
// The value of a statement, and whether it holds.
#include "cli/experiment/verdict.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "cli/experiment/roof.hpp"
#include "skua/machine/sim/model/machine_models.hpp"

namespace skua::cli { namespace {

/// Of the statement that compares y with the sum of `below` at as many x as there are points.
double value_along(extent along, std::vector<double> const& y, std::vector<std::vector<double>> const& below,
                   std::optional<double> at_least) {
  std::vector<measured_point> made;
  expectation e{.says = "s", .what = quantity::time, .along = along, .at_least = at_least};
  e.over.resize(below.front().size());
  auto const add = [&](double time_s) {
    made.emplace_back();
    made.back().row.median.time_s = time_s;
  };
  for (std::size_t i = 0; i < y.size(); ++i) {
    add(y[i]);
    for (double const b : below[i]) add(b);
  }
  std::vector<measured_point const*> points;
  for (measured_point const& p : made) points.push_back(&p);
  return value_of(e, points);
}

TEST(verdict, every_point_is_the_one_that_is_hardest_to_meet_and_some_the_easiest) {
  std::vector<std::vector<double>> const over{{1}, {2}, {4}};
  std::vector<double> const y{3, 4, 4};  // ratios 3, 2, 1
  EXPECT_EQ(value_along(extent::every, y, over, 1), 1);
  EXPECT_EQ(value_along(extent::every, y, over, {}), 3);
  EXPECT_EQ(value_along(extent::some, y, over, 1), 3);
  EXPECT_EQ(value_along(extent::some, y, over, {}), 1);
  EXPECT_EQ(value_along(extent::most, y, over, 1), 2);
  EXPECT_EQ(value_along(extent::most, {3, 4}, {{1}, {2}}, 1), 2) << "of two, the lower one";
}

TEST(verdict, several_points_below_are_added_up) {
  EXPECT_EQ(value_along(extent::one, {6}, {{1, 3}}, 1), 1.5);
  EXPECT_EQ(value_along(extent::every, {6, 9}, {{1, 2}, {1, 2}}, {}), 3);
}

TEST(verdict, steps_rise_and_fall) {
  std::vector<std::vector<double>> const none(4);
  EXPECT_EQ(value_along(extent::falling, {8, 4, 4, 2}, none, {}), 1);
  EXPECT_EQ(value_along(extent::falling, {8, 2, 4, 2}, none, {}), 2);
  EXPECT_EQ(value_along(extent::rising, {8, 2, 4, 2}, none, 1), 0.25);
}

TEST(quantities, of_widths_rates_and_misses_follow_from_the_outcome) {
  measured_point p{.flops = 8e9};
  sim_outcome& o = p.row.median;
  o.time_s = 2;
  o.widths = {0, 10, 30, 0, 60};  // by width: tasks
  o.memory = {.private_bytes = 1, .shared_bytes = 2, .neighbour_bytes = 4, .local_bytes = 8, .remote_bytes = 16};
  o.memory.transfer_bytes = 32;
  EXPECT_EQ(value_of(p, quantity::width), 4);
  EXPECT_EQ(value_of(p, quantity::width_share), 0.6);
  EXPECT_EQ(value_of(p, quantity::alone_share), 0.1);
  EXPECT_EQ(value_of(p, quantity::core_gflops), 1);
  EXPECT_EQ(value_of(p, quantity::misses), 62) << "all but what the private cache had";
  o.widths = {};
  EXPECT_EQ(value_of(p, quantity::core_gflops), 4) << "nothing is moldable: one worker per task";
  EXPECT_EQ(value_of(p, quantity::alone_share), 0);
}

TEST(quantities, the_roof_is_linear_or_what_memory_allows) {
  measured_point p{.alone_s = 8, .memory_s = 0.5};
  p.row.workers = 4;
  p.row.median.time_s = 4;
  EXPECT_EQ(value_of(p, quantity::roof_share), 0.5) << "of 8 / 4";
  p.memory_s = 3;
  EXPECT_EQ(value_of(p, quantity::roof_share), 0.75);
}

TEST(roof, is_the_narrowest_of_nodes_places_and_cores) {
  sim::machine_model const m = sim::machine_model::load("epyc-7763");
  sim::machine_numbers by = m.numbers();
  by.memory_bytes_per_ns = 160;
  by.shared_memory_bytes_per_ns = 40;
  by.memory_core_bytes_per_ns = 20;
  sim::memory_account const moved{
      .local_bytes = 6'000'000, .transfer_bytes = 1'000'000, .written_back_bytes = 2'000'000};
  auto const least = [&](std::uint32_t workers) {
    return least_memory_s(moved, by, m.layout_of({.workers = workers}));
  };
  EXPECT_DOUBLE_EQ(least(1), 6e6 / 20 * 1e-9) << "the core";
  EXPECT_DOUBLE_EQ(least(16), 7e6 / 80 * 1e-9) << "two places";
  EXPECT_DOUBLE_EQ(least(64), 8e6 / 160 * 1e-9) << "the node";
  by.shared_memory_bytes_per_ns = 0;
  EXPECT_DOUBLE_EQ(least(16), 8e6 / 160 * 1e-9) << "no limit of a place";
}

TEST(verdict, holds_only_at_the_stated_values_and_at_both_ends) {
  expectation const between{.says = "s", .at_least = 1, .at_most = 2};
  auto const at = [&](double value, double low, double high) {
    return verdict{.of = &between, .panel = "", .value = value, .low = low, .high = high}.stands();
  };
  EXPECT_EQ(at(1.5, 1, 2), standing::holds);
  EXPECT_EQ(at(1.5, 0.9, 2), standing::at_stated_only);
  EXPECT_EQ(at(1.5, 1, 2.1), standing::at_stated_only);
  EXPECT_EQ(at(1.5, 0.9, 2.1), standing::at_stated_only);
  EXPECT_EQ(at(0.9, 1.5, 1.5), standing::fails);
}

TEST(verdict, of_what_was_not_run_never_holds_and_fails_only_by_the_stated_figures) {
  expectation const between{.says = "s", .at_least = 1, .at_most = 2};
  using maybe = std::optional<double>;
  auto const at = [&](maybe value, maybe low, maybe high) {
    return verdict{.of = &between, .panel = "", .value = value, .low = low, .high = high}.stands();
  };
  EXPECT_EQ(at({}, {}, {}), standing::not_run);
  EXPECT_EQ(at(1.5, {}, {}), standing::not_run);
  EXPECT_EQ(at(1.5, 1.5, {}), standing::not_run);
  EXPECT_EQ(at(1.5, {}, 1.5), standing::not_run);
  EXPECT_EQ(at({}, 1.5, 1.5), standing::not_run);
  EXPECT_EQ(at(0.9, {}, {}), standing::fails);
}

}}  // namespace skua::cli
