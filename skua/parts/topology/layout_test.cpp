// SPDX-License-Identifier: MIT
// Workers on machines of many shapes: numbering, places, distances, placement.
#include "skua/parts/topology/layout.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "skua/parts/base/dice.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/topology/hwloc_twin_test.hpp"
#include "skua/parts/topology/scratch_test.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace {

using testing::message_of;

layout on(std::string const& machine, layout_options const& options = {}) {
  return layout{topology::synthetic(machine), options};
}

std::uint32_t between(layout const& l, std::uint32_t a, std::uint32_t b) {
  return l.distance(worker_id{a}, worker_id{b});
}

std::vector<std::uint32_t> pus_of(layout const& l) {
  std::vector<std::uint32_t> all;
  for (std::uint32_t w = 0; w < l.workers(); ++w) all.push_back(l.pu_of(worker_id{w}));
  return all;
}

/// What every layout guarantees, whatever it was made from.
void expect_sound(layout const& l) {
  std::uint32_t next = 0;
  for (std::uint32_t p = 0; p < l.places(); ++p) {
    ASSERT_FALSE(l.workers_of(place_id{p}).empty());
    for (worker_id const w : l.workers_of(place_id{p})) {
      EXPECT_EQ(index(w), next++) << "adjacent";
      EXPECT_EQ(l.place_of(w), place_id{p});
    }
    EXPECT_EQ(l.distance(place_id{p}, place_id{p}), 0U);
  }
  EXPECT_EQ(next, l.workers()) << "every worker in exactly one place";
  std::set<std::uint32_t> far_seen;
  for (std::uint32_t a = 0; a < l.workers(); ++a) {
    for (std::uint32_t b = 0; b < l.workers(); ++b) {
      std::uint32_t const d = between(l, a, b);
      EXPECT_EQ(d == 0, a == b);
      EXPECT_EQ(d, between(l, b, a)) << "symmetric";
      EXPECT_LT(d, l.distance_classes());
      EXPECT_TRUE(d <= 3 || l.place_of(worker_id{a}) != l.place_of(worker_id{b}));
      if (d >= 5) far_seen.insert(d);
      EXPECT_FALSE(l.distance_name(d).empty());
    }
  }
  EXPECT_EQ(far_seen.size(), l.distance_classes() - 5) << "no far class is empty";
}

TEST(layout, four_packages_of_sixteen) {
  layout const l = on("package:4 numa:1 l3:1 core:16 pu:1");
  expect_sound(l);
  EXPECT_EQ(l.workers(), 64U);
  EXPECT_EQ(l.places(), 4U);
  EXPECT_EQ(l.place_kind(place_id{0}), "l3");
  EXPECT_EQ(index(l.place_of(worker_id{15})), 0U);
  EXPECT_EQ(index(l.place_of(worker_id{16})), 1U);
  EXPECT_EQ(l.workers_of(place_id{3}).size(), 16U);
  EXPECT_EQ(l.numa_of(place_id{2}), 2U);
  EXPECT_EQ(l.pu_of(worker_id{37}), 37U);
  EXPECT_EQ(between(l, 0, 15), 3U);
  EXPECT_EQ(between(l, 0, 16), 5U);
  EXPECT_EQ(l.distance(place_id{0}, place_id{3}), 5U);
  EXPECT_EQ(l.distance_name(5), "another package");
  EXPECT_FALSE(l.is_this_system());
  EXPECT_FALSE(l.oversubscribed());
}

TEST(layout, distance_grows_with_every_level_that_is_left) {
  layout const l = on("package:2 numa:2 l3:2 l2:2 core:2 pu:2");
  expect_sound(l);
  EXPECT_EQ(l.workers(), 64U);
  EXPECT_EQ(between(l, 0, 0), 0U);
  EXPECT_EQ(between(l, 0, 1), 1U);
  EXPECT_EQ(between(l, 0, 2), 2U);
  EXPECT_EQ(between(l, 0, 4), 3U);
  EXPECT_EQ(between(l, 0, 8), 4U);
  EXPECT_EQ(between(l, 0, 16), 5U);
  EXPECT_EQ(between(l, 0, 32), 6U);
  EXPECT_EQ(l.distance_classes(), 7U);
  EXPECT_EQ(l.distance_name(5), "same package");
}

TEST(layout, a_numa_node_over_several_packages_does_not_hide_them) {
  layout const l = on("package:4 core:4");
  expect_sound(l);
  EXPECT_EQ(l.places(), 4U);
  EXPECT_EQ(between(l, 0, 3), 3U);
  EXPECT_EQ(between(l, 0, 4), 5U);
}

TEST(layout, machines_of_odd_shapes_are_laid_out_soundly) {
  for (char const* machine :
       {"package:3 core:5 pu:1", "package:1 l3:3 core:7", "core:1", "pu:1", "pu:6", "package:5 l2:3 core:1 pu:3",
        "package:1 l3:1 numa:3 core:5", "package:2 numa:1 l3:3 core:1 pu:2"}) {
    SCOPED_TRACE(machine);
    layout const l = on(machine);
    expect_sound(l);
    EXPECT_EQ(l.workers(), topology::synthetic(machine).pus().size());
  }
}

TEST(layout, numa_latencies_rank_what_is_far) {
  testing::scratch const dir;
  std::string const path = (dir.path() / "t.xml").string();
  testing::hwloc_twin::synthetic("package:2 numa:2 l3:1 core:2 pu:1",
                                 {.numa_latency = {10, 12, 21, 28, 12, 10, 28, 21, 21, 28, 10, 12, 28, 21, 12, 10},
                                  .core_types = {{0, 3, "IntelAtom"}, {4, 7, "IntelCore"}}})
      .export_xml(path);
  layout const l{topology::from_xml(path)};
  expect_sound(l);
  EXPECT_EQ(between(l, 0, 1), 3U);
  EXPECT_EQ(between(l, 0, 2), 5U);
  EXPECT_EQ(between(l, 0, 4), 6U);
  EXPECT_EQ(between(l, 0, 6), 7U);
  EXPECT_EQ(between(l, 2, 4), 7U);
  EXPECT_EQ(l.distance_classes(), 8U);
  EXPECT_EQ(l.distance(place_id{1}, place_id{3}), 6U);
  EXPECT_EQ(l.distance_name(7), "another package, NUMA latency 28");
  EXPECT_EQ(l.efficiency_of(worker_id{0}), 0);
  EXPECT_EQ(l.efficiency_of(worker_id{7}), 1);
}

TEST(layout, more_workers_than_pus_share_them_in_blocks) {
  for (std::uint32_t const n : {5U, 7U, 8U, 9U, 64U, 1'000U}) {
    layout const l = on("package:2 l3:1 core:2", {.workers = n});
    if (n < 100) expect_sound(l);
    EXPECT_EQ(l.workers(), n);
    EXPECT_TRUE(l.oversubscribed());
    std::vector<std::uint32_t> load(4);
    for (std::uint32_t const pu : pus_of(l)) ++load[pu];
    for (std::uint32_t const k : load) {
      EXPECT_GE(k, n / 4);
      EXPECT_LE(k, (n + 3) / 4);
    }
  }
  EXPECT_EQ(between(on("core:2", {.workers = 4}), 0, 1), 1U) << "two workers of one PU share its core";
}

TEST(layout, compact_fills_place_after_place_cores_first) {
  std::string const machine = "package:2 l3:2 core:2 pu:2";
  EXPECT_EQ(pus_of(on(machine, {.workers = 3})), (std::vector<std::uint32_t>{0, 2, 4}));
  EXPECT_EQ(on(machine, {.workers = 2}).places(), 1U);
  EXPECT_EQ(pus_of(on(machine, {.workers = 8})), (std::vector<std::uint32_t>{0, 2, 4, 6, 8, 10, 12, 14}));
  EXPECT_EQ(pus_of(on(machine, {.workers = 10})), (std::vector<std::uint32_t>{0, 1, 2, 3, 4, 6, 8, 10, 12, 14}));
}

TEST(layout, scatter_goes_round_packages_then_caches_then_cores) {
  std::string const machine = "package:2 l3:2 core:2 pu:2";
  auto const scattered = [&machine](std::uint32_t n) {
    return pus_of(on(machine, {.workers = n, .order = spread::scatter}));
  };
  EXPECT_EQ(scattered(1), (std::vector<std::uint32_t>{0}));
  EXPECT_EQ(scattered(2), (std::vector<std::uint32_t>{0, 8}));
  EXPECT_EQ(scattered(4), (std::vector<std::uint32_t>{0, 4, 8, 12}));
  EXPECT_EQ(scattered(8), (std::vector<std::uint32_t>{0, 2, 4, 6, 8, 10, 12, 14}));
  EXPECT_EQ(scattered(9), (std::vector<std::uint32_t>{0, 1, 2, 4, 6, 8, 10, 12, 14}));
  EXPECT_EQ(scattered(16).size(), 16U);
}

TEST(layout, any_count_in_any_order_is_sound) {
  constexpr std::uint64_t seed = 99;
  dice d{seed};
  for (int round = 0; round < 80; ++round) {
    std::string const machine = "package:" + std::to_string(1 + d.below(3)) +
                                " numa:" + std::to_string(1 + d.below(2)) + " l3:" + std::to_string(1 + d.below(3)) +
                                " core:" + std::to_string(1 + d.below(3)) + " pu:" + std::to_string(1 + d.below(2));
    auto const pus = static_cast<std::uint32_t>(topology::synthetic(machine).pus().size());
    std::uint32_t const n = 1 + d.below(pus + 8);
    layout const l = on(machine, {.workers = n, .order = d.below(2) == 0 ? spread::compact : spread::scatter});
    expect_sound(l);
    EXPECT_EQ(l.workers(), n);
    std::vector<std::uint32_t> const used = pus_of(l);
    EXPECT_EQ((std::set<std::uint32_t>{used.begin(), used.end()}.size()), std::min(n, pus))
        << "no PU is shared while another is idle";
    ASSERT_FALSE(HasFailure()) << "seed " << seed << " round " << round << ": " << machine << ", " << n << " workers";
  }
}

TEST(layout, places_may_be_given) {
  layout const l = on("package:2 l3:1 core:4", {.places = "{0,4},{6:2},{1}"});
  EXPECT_EQ(l.workers(), 5U);
  EXPECT_EQ(l.places(), 3U);
  EXPECT_EQ(pus_of(l), (std::vector<std::uint32_t>{0, 4, 6, 7, 1}));
  EXPECT_EQ(l.place_kind(place_id{0}), "given");
  EXPECT_EQ(between(l, 0, 1), 3U) << "the user says that they are near";
  EXPECT_EQ(between(l, 0, 4), 3U) << "and the L3 says so here";
  EXPECT_EQ(on("package:2 l3:1 core:4", {.places = "cores"}).places(), 8U);
  EXPECT_EQ(on("package:2 l3:1 core:4", {.workers = 3, .places = "sockets(1)"}).workers(), 3U);
}

TEST(layout, given_places_in_any_order_keep_distances_sound) {
  layout const l = on("package:2 numa:2 l3:1 core:2", {.places = "{0},{4},{2},{6},{1}"});
  EXPECT_EQ(l.distance_classes(), 7U);
  EXPECT_EQ(between(l, 0, 2), 5U);
  EXPECT_EQ(between(l, 0, 1), 6U);
  EXPECT_EQ(between(l, 0, 4), 3U);
}

TEST(layout, a_quota_limits_only_what_was_not_chosen) {
  EXPECT_EQ(on("core:8", {.at_most = 3}).workers(), 3U);
  EXPECT_EQ(on("core:8", {.at_most = 0}).workers(), 1U);
  EXPECT_EQ(on("core:8", {.workers = 6, .at_most = 3}).workers(), 6U);
  EXPECT_EQ(on("core:8", {.at_most = 6, .places = "{0:4}"}).workers(), 4U);
}

TEST(layout, senseless_requests_are_refused) {
  EXPECT_NE(message_of<usage_error>([] { on("core:2", {.workers = 0}); }).find("workers is 0; allowed: "),
            std::string::npos);
  EXPECT_NE(message_of<usage_error>([] { on("core:2", {.workers = 65'537}); }).find("1 to 65536"), std::string::npos);
  EXPECT_NE(
      message_of<usage_error>([] { on("core:2", {.places = "{7}", .places_from = "OMP_PLACES"}); }).find("OMP_PLACES"),
      std::string::npos);
  EXPECT_THROW(static_cast<void>(layout::flat(0)), usage_error);
}

TEST(layout, flat_is_one_place_without_a_machine) {
  layout const l = layout::flat(5);
  expect_sound(l);
  EXPECT_EQ(l.workers(), 5U);
  EXPECT_EQ(l.places(), 1U);
  EXPECT_EQ(between(l, 1, 3), 3U);
  EXPECT_EQ(l.pu_of(worker_id{2}), no_index);
  EXPECT_FALSE(l.is_this_system());
}

TEST(layout, the_largest_machines_are_laid_out) {
  EXPECT_EQ(on("package:64 numa:1 l3:4 core:256").places(), 256U);
  EXPECT_EQ(on("core:4", {.workers = 65'536}).workers(), 65'536U);
  EXPECT_EQ(on("package:8192 core:1", {.workers = 1'000, .order = spread::scatter}).workers(), 1'000U);
}

}}}}  // namespace skua::v0::runtime
