// SPDX-License-Identifier: MIT
#include "skua/parts/topology/core_kinds.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "skua/parts/base/dice.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/topology/layout.hpp"
#include "skua/parts/topology/reading.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace {

using facts = std::vector<std::pair<std::string, std::string>>;

core_kind_details kind(std::uint32_t first, std::uint32_t last, facts const& says) {
  core_kind_details made{.facts = says};
  for (std::uint32_t pu = first; pu <= last; ++pu) made.pus.insert(pu);
  return made;
}

/// The speeds of PUs 0 .. n-1.
std::vector<double> speeds(std::uint32_t n, std::vector<core_kind_details> const& kinds) {
  topology_reading read;
  for (std::uint32_t pu = 0; pu < n; ++pu) read.pus.push_back({.os_index = pu});
  set_speeds(kinds, read);
  std::vector<double> all;
  for (topology_pu const& pu : read.pus) all.push_back(pu.speed);
  return all;
}

std::vector<double> speeds_of(topology const& machine) {
  std::vector<double> all;
  for (topology_pu const& pu : machine.pus()) all.push_back(pu.speed);
  return all;
}

std::vector<double> speeds_of(layout const& where) {
  std::vector<double> all;
  for (std::uint32_t w = 0; w < where.workers(); ++w) all.push_back(where.speed_of(worker_id{w}));
  return all;
}

TEST(core_kinds, the_capacity_of_linux_decides_where_it_tells_kinds_apart) {
  EXPECT_EQ(speeds(3, {kind(0, 0, {{"LinuxCapacity", "256"}, {"FrequencyMaxMHz", "3000"}}),
                       kind(1, 2, {{"LinuxCapacity", "1024"}, {"FrequencyMaxMHz", "2000"}})}),
            (std::vector<double>{0.25, 1, 1}));
  // As older kernels on an Intel processor.
  std::vector<double> const intel =
      speeds(2, {kind(0, 0, {{"LinuxCapacity", "1024"}, {"FrequencyMaxMHz", "4000"}, {"CoreType", "IntelAtom"}}),
                 kind(1, 1, {{"LinuxCapacity", "1024"}, {"FrequencyMaxMHz", "5000"}, {"CoreType", "IntelCore"}})});
  EXPECT_DOUBLE_EQ(intel[0], 0.8 * small_core_per_cycle);
  EXPECT_EQ(intel[1], 1);
}

TEST(core_kinds, frequencies_decide_otherwise_the_highest_before_the_base) {
  EXPECT_EQ(speeds(2, {kind(0, 0, {{"FrequencyMaxMHz", "2000"}}), kind(1, 1, {{"FrequencyMaxMHz", "4000"}})}),
            (std::vector<double>{0.5, 1}));
  EXPECT_EQ(speeds(2, {kind(0, 0, {{"FrequencyBaseMHz", "2000"}}),
                       kind(1, 1, {{"FrequencyMaxMHz", "4000"}, {"FrequencyBaseMHz", "1000"}})}),
            (std::vector<double>{0.5, 1}));
}

TEST(core_kinds, a_tenth_is_no_difference) {
  EXPECT_EQ(speeds(3, {kind(0, 0, {{"FrequencyMaxMHz", "4700"}}), kind(1, 1, {{"FrequencyMaxMHz", "5200"}}),
                       kind(2, 2, {{"FrequencyMaxMHz", "2600"}})}),
            (std::vector<double>{1, 1, 0.5}));
  // Not a chain: what is alike to a kind that is alike to the fastest may still be slower than it.
  EXPECT_EQ(speeds(3, {kind(0, 0, {{"FrequencyMaxMHz", "1000"}}), kind(1, 1, {{"FrequencyMaxMHz", "920"}}),
                       kind(2, 2, {{"FrequencyMaxMHz", "850"}})}),
            (std::vector<double>{1, 1, 0.85}));
}

TEST(core_kinds, what_is_not_known_of_one_kind_or_pu_is_known_of_none) {
  EXPECT_EQ(speeds(2, {}), (std::vector<double>{1, 1}));
  EXPECT_EQ(speeds(2, {kind(0, 1, {{"FrequencyMaxMHz", "2000"}})}), (std::vector<double>{1, 1}));
  EXPECT_EQ(speeds(2, {kind(0, 0, {{"CoreType", "IntelAtom"}}), kind(1, 1, {{"CoreType", "IntelCore"}})}),
            (std::vector<double>{1, 1}));
  EXPECT_EQ(speeds(2, {kind(0, 0, {{"FrequencyMaxMHz", "2000"}}), kind(1, 1, {})}), (std::vector<double>{1, 1}));
  EXPECT_EQ(speeds(2, {kind(0, 0, {{"FrequencyMaxMHz", "fast"}}), kind(1, 1, {{"FrequencyMaxMHz", "2000"}})}),
            (std::vector<double>{1, 1}));
  EXPECT_EQ(speeds(3, {kind(0, 0, {{"FrequencyMaxMHz", "1000"}}), kind(1, 1, {{"FrequencyMaxMHz", "2000"}})}),
            (std::vector<double>{1, 1, 1}));
}

TEST(core_kinds, a_description_states_speeds_in_turn_in_any_unit) {
  EXPECT_EQ(speeds_of(topology::synthetic("core:3(speed=2x4,1) pu:2")), (std::vector<double>{1, 1, 1, 1, 0.25, 0.25}));
  EXPECT_EQ(speeds_of(topology::synthetic("package:2 core:2(speed=1,0.5)")), (std::vector<double>{1, 0.5, 1, 0.5}));
  EXPECT_EQ(speeds_of(topology::synthetic("package:2 core:2(speed=2x1,2x0.5)")), (std::vector<double>{1, 1, 0.5, 0.5}));
  topology const three = topology::synthetic("core:4(speed=1,3,2,3)");
  EXPECT_EQ(three.pus()[0].efficiency, 0);
  EXPECT_EQ(three.pus()[1].efficiency, 2);
  EXPECT_EQ(three.pus()[2].efficiency, 1);
  topology const alike = topology::synthetic("core:4(speed=0.5)");
  EXPECT_EQ(speeds_of(alike), (std::vector<double>{1, 1, 1, 1}));
  EXPECT_EQ(alike.pus()[0].efficiency, -1);
}

TEST(core_kinds, wrong_speeds_are_refused_with_the_text) {
  for (std::string const wrong :
       {"core:4(speed=)", "core:4(speed=0)", "core:4(speed=-1)", "core:4(speed=nan)", "core:4(speed=inf)",
        "core:4(speed=1,)", "core:4(speed=0x1,1)", "core:4(speed=1x)", "core:4(speed=x1)", "core:4(speed=1 x2)",
        "core:4(speed=1e9)", "core:4(speed=3x1)", "core:4(speed=99999999x1)", "l3:2(speed=1,2) core:2",
        "pu:2(speed=1,2)", "core:4(speed=1;2)"}) {
    try {
      topology const made = topology::synthetic(wrong);
      // hwloc's attributes are separated by spaces; an unknown one is ignored.
      EXPECT_EQ(wrong, "core:4(speed=1 x2)");
      EXPECT_EQ(speeds_of(made), (std::vector<double>{1, 1, 1, 1}));
    } catch (usage_error const& fault) {
      EXPECT_NE(std::string(fault.what()).find(wrong.substr(wrong.find('(') + 1, 5)), std::string::npos)
          << fault.what();
    }
  }
}

TEST(core_kinds, have_names_by_rank_and_a_line_for_people) {
  topology const two = topology::synthetic("core:12(speed=8x1,4x0.6)");
  std::vector<core_kind> const kinds = core_kinds_of(two);
  ASSERT_EQ(kinds.size(), 2U);
  EXPECT_EQ(kinds[0].name, "performance");
  EXPECT_EQ(kinds[0].cores, 8U);
  EXPECT_EQ(to_text(kinds[1].pus), "8-11");
  EXPECT_EQ(core_kinds_text(two), "8 cores of kind performance, 4 of kind efficiency (speed 0.6)");
  EXPECT_EQ(core_kinds_text(topology::synthetic("core:4(speed=4,2,1,1) pu:2")),
            "1 core of kind performance, 1 of kind middle (speed 0.5), 2 of kind efficiency (speed 0.25)");
  EXPECT_EQ(core_kinds_text(topology::synthetic("core:4")), "");
  EXPECT_EQ(core_kinds_of(topology::synthetic("core:4 pu:2"))[0].cores, 4U);
}

TEST(core_kinds, fast_cores_get_the_first_workers_and_the_first_numbers) {
  topology const board = topology::synthetic("l3:1 core:8(speed=4x0.4,4x1)");
  layout const all(board);
  EXPECT_EQ(speeds_of(all), (std::vector<double>{1, 1, 1, 1, 0.4, 0.4, 0.4, 0.4}));
  EXPECT_EQ(worker_speeds_text(all), "workers 0-3 at speed 1, 4-7 at 0.4");
  EXPECT_EQ(worker_speeds_text(layout::flat(4)), "");
  EXPECT_EQ(all.pu_of(worker_id{0}), 4U);
  for (spread const order : {spread::compact, spread::scatter})
    EXPECT_EQ(speeds_of(layout(board, {.workers = 4, .order = order})), (std::vector<double>{1, 1, 1, 1}));
  // Places by cluster, the faster one first; places that the user lists stay as they are.
  topology const clusters = topology::synthetic("l2:2 core:2(speed=2x0.5,2x1)");
  EXPECT_EQ(layout(clusters).pu_of(worker_id{0}), 2U);
  EXPECT_EQ(layout(clusters, {.places = "{0,1},{2,3}"}).pu_of(worker_id{0}), 0U);
}

TEST(core_kinds, workers_that_share_a_core_or_a_pu_share_its_speed) {
  topology const hybrid = topology::synthetic("core:2(speed=1,0.5) pu:2");
  EXPECT_EQ(speeds_of(layout(hybrid, {.workers = 2})), (std::vector<double>{1, 0.5}));
  double const half = share_of_hardware_thread;
  EXPECT_EQ(speeds_of(layout(hybrid, {.workers = 3})), (std::vector<double>{half, half, 0.5}));
  EXPECT_EQ(speeds_of(layout(hybrid)), (std::vector<double>{half, half, half / 2, half / 2}));
  EXPECT_EQ(speeds_of(layout(topology::synthetic("core:2(speed=1,0.5)"), {.workers = 4})),
            (std::vector<double>{0.5, 0.5, 0.25, 0.25}));
  // Cores of one kind: as if nothing were known.
  EXPECT_EQ(speeds_of(layout(topology::synthetic("core:2 pu:2"), {.workers = 3})), (std::vector<double>{1, 1, 1}));
  EXPECT_EQ(speeds_of(layout(topology::synthetic("core:4(speed=2x0.5,2x1)"), {.places = "{0},{1}"})),
            (std::vector<double>{1, 1}));
}

TEST(core_kinds, random_descriptions_of_one_speed_are_laid_out_as_without_it) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    dice roll(seed);
    auto const some = [&](std::uint32_t most) { return std::to_string(1 + roll.below(most)); };
    std::string const before = "package:" + some(3) + " l3:" + some(3) + " core:" + some(4);
    std::string const after = " pu:" + some(2);
    topology const plain = topology::synthetic(before + after);
    topology const stated = topology::synthetic(before + "(speed=" + some(9) + ")" + after);
    layout_options const how{.workers = 1 + roll.below(20),
                             .order = roll.below(2) == 0 ? spread::compact : spread::scatter};
    layout const a(plain, how);
    layout const b(stated, how);
    for (std::uint32_t w = 0; w < a.workers(); ++w) {
      ASSERT_EQ(a.pu_of(worker_id{w}), b.pu_of(worker_id{w}));
      ASSERT_EQ(a.place_of(worker_id{w}), b.place_of(worker_id{w}));
      ASSERT_EQ(a.speed_of(worker_id{w}), 1);
      ASSERT_EQ(b.speed_of(worker_id{w}), 1);
    }
  }
}

TEST(core_kinds, on_random_machines_of_several_kinds_no_slower_core_has_a_worker_while_a_faster_one_has_none) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    dice roll(seed);
    std::uint32_t const cores = 2 + roll.below(12);
    std::string list;
    for (std::uint32_t c = 0; c < cores; ++c) list += (c == 0 ? "" : ",") + std::to_string(1 + roll.below(3));
    topology const machine = topology::synthetic("l3:1 core:" + std::to_string(cores) + "(speed=" + list + ")");
    std::uint32_t const workers = 1 + roll.below(cores);
    layout const where(machine, {.workers = workers, .order = roll.below(2) == 0 ? spread::compact : spread::scatter});
    cpu_mask used;
    double slowest = 1;
    auto const speed = [&](std::uint32_t pu) { return machine.pus()[pu].speed; };
    for (std::uint32_t w = 0; w < workers; ++w) {
      used.insert(where.pu_of(worker_id{w}));
      slowest = std::min(slowest, speed(where.pu_of(worker_id{w})));
      if (w > 0) {
        ASSERT_GE(speed(where.pu_of(worker_id{w - 1})), speed(where.pu_of(worker_id{w})));
      }
    }
    for (std::uint32_t pu = 0; pu < cores; ++pu) {
      if (!used.contains(pu)) {
        ASSERT_LE(speed(pu), slowest);
      }
    }
  }
}

}}}}  // namespace skua::v0::runtime
