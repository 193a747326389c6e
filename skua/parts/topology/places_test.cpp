// SPDX-License-Identifier: MIT
// The grammar of places, and which PUs a place gets on a machine.
#include "skua/parts/topology/places.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "skua/parts/base/error.hpp"
#include "skua/parts/topology/place_sets.hpp"
#include "skua/parts/topology/scratch_test.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace {

using pus = std::vector<std::uint32_t>;
using testing::message_of;

std::vector<pus> listed(std::string_view text) {
  return std::get<explicit_places>(read_places("SKUA_PLACES", text)).places;
}

TEST(places, lists_of_the_openmp_specification) {
  EXPECT_EQ(listed("{0:4},{4:4}"), (std::vector<pus>{{0, 1, 2, 3}, {4, 5, 6, 7}}));
  EXPECT_EQ(listed("{0,1},{2,3}"), (std::vector<pus>{{0, 1}, {2, 3}}));
  EXPECT_EQ(listed("{0:4:2}"), (std::vector<pus>{{0, 2, 4, 6}}));
  EXPECT_EQ(listed("{0:4}:4:4"), (std::vector<pus>{{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}, {12, 13, 14, 15}}));
  EXPECT_EQ(listed("{0}:3"), (std::vector<pus>{{0}, {1}, {2}}));
  EXPECT_EQ(listed("{6:2}:3:-2"), (std::vector<pus>{{6, 7}, {4, 5}, {2, 3}}));
  EXPECT_EQ(listed("{5:3:-2}"), (std::vector<pus>{{5, 3, 1}}));
  EXPECT_EQ(listed("{0:4,!2}"), (std::vector<pus>{{0, 1, 3}}));
  EXPECT_EQ(listed("{0:2}:3:2,!{2:2}"), (std::vector<pus>{{0, 1}, {4, 5}}));
  EXPECT_EQ(listed(" { 0 : 2 , 8 } : 2 : 4 , { 16 } "), (std::vector<pus>{{0, 1, 8}, {4, 5, 12}, {16}}));
}

TEST(places, words_are_read_in_any_case_and_with_blanks) {
  auto const word = [](std::string_view text) { return std::get<abstract_places>(read_places("SKUA_PLACES", text)); };
  EXPECT_EQ(word("threads").word, place_word::threads);
  EXPECT_EQ(word("cores(4)").word, place_word::cores);
  EXPECT_EQ(word("cores(4)").count, 4U);
  EXPECT_EQ(word("LL_Caches").word, place_word::ll_caches);
  EXPECT_EQ(word(" numa_domains ( 2 ) ").count, 2U);
  EXPECT_FALSE(word("sockets").count.has_value());
}

TEST(places, nonsense_is_refused_by_name_with_what_is_allowed) {
  for (char const* text : {"",
                           " ",
                           "{",
                           "{}",
                           "{0",
                           "{0}}",
                           "{0},",
                           ",{0}",
                           "{0:0}",
                           "{0:-1}",
                           "{-1}",
                           "{0:4:0}",
                           "{0}:0",
                           "{0}:2:0",
                           "{a}",
                           "{0 1}",
                           "{0}{1}",
                           "{0:4}:4:",
                           "{0:}",
                           "{0,0}",
                           "{1:3:-1,}",
                           "{1:3:-1}",
                           "{0}:3:-1",
                           "{0:2,!0,!1}",
                           "!{0}",
                           "{0},!{1}",
                           "{0},!{0}",
                           "cores(0)",
                           "cores(",
                           "cores()",
                           "cores(-1)",
                           "cores(2",
                           "cores 2",
                           "cores(2)x",
                           "core",
                           "caches",
                           "{0:99999999999}",
                           "{0:65537}",
                           "{9999999}",
                           "{0:60000}:60000:1",
                           "0,1",
                           "{0};{1}",
                           "{99999999999999999999999}"}) {
    std::string const message = message_of<usage_error>([&] { static_cast<void>(read_places("OMP_PLACES", text)); });
    EXPECT_NE(message.find("OMP_PLACES is '" + std::string{text} + "'"), std::string::npos)
        << text << " -> " << message;
    EXPECT_NE(message.find("{0:4},{4:4}"), std::string::npos) << text;
  }
}

std::vector<pus> sets(std::vector<place_set> const& places) {
  std::vector<pus> result;
  for (place_set const& p : places) result.push_back(p.pus);
  return result;
}

/// Every PU of the machine is in exactly one place, and the first place is of kind `kind`.
void expect_default(char const* machine, std::size_t places, std::string_view kind) {
  topology const t = topology::synthetic(machine);
  std::vector<place_set> const found = default_places(t);
  EXPECT_EQ(found.size(), places) << machine;
  EXPECT_EQ(found.front().kind, kind) << machine;
  pus all;
  for (place_set const& p : found) all.insert(all.end(), p.pus.begin(), p.pus.end());
  std::ranges::sort(all);
  ASSERT_EQ(all.size(), t.pus().size()) << machine;
  for (std::uint32_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], i) << machine;
}

TEST(default_places, are_l3_clusters_or_what_comes_closest) {
  expect_default("package:4 numa:1 l3:1 core:16", 4, "l3");
  expect_default("package:2 numa:1 l3:4 core:3 pu:2", 8, "l3");
  expect_default("package:1 l3:1 numa:2 core:4", 2, "numa_node");  // sub-NUMA clusters inside one L3
  expect_default("package:1 l3:2 l2:2 core:2", 2, "l3");           // shared L2s below an L3 are no places
  expect_default("package:1 l2:3 core:4", 3, "l2");                // no L3: clusters that share an L2
  expect_default("package:1 l2:4 core:1", 1, "numa_node");         // private L2
  expect_default("package:2 numa:2 core:4", 4, "numa_node");
  expect_default("package:4 core:4", 4, "package");  // one NUMA node over four packages
  expect_default("core:5", 1, "numa_node");
  expect_default("pu:1", 1, "numa_node");
}

TEST(default_places, one_l3_per_core_is_a_virtual_machine_telling_tales) {
  expect_default("package:1 numa:1 l3:8 core:1", 1, "numa_node");
  expect_default("package:8 l3:1 core:1", 1, "numa_node");
  expect_default("package:2 numa:2 l3:4 core:1 pu:2", 4, "numa_node");
}

TEST(places_from, words_cut_the_machine_as_they_say) {
  topology const t = topology::synthetic("package:2 numa:2 l3:2 core:2 pu:2");
  auto const count = [&t](std::string_view text) { return places_from(t, "SKUA_PLACES", text).size(); };
  EXPECT_EQ(count("threads"), 32U);
  EXPECT_EQ(count("cores"), 16U);
  EXPECT_EQ(count("ll_caches"), 8U);
  EXPECT_EQ(count("numa_domains"), 4U);
  EXPECT_EQ(count("sockets"), 2U);
  EXPECT_EQ(count("sockets(1)"), 1U);
  EXPECT_EQ(count("cores(100)"), 16U) << "no more than there are";
  EXPECT_EQ(sets(places_from(t, "x", "cores(2)")), (std::vector<pus>{{0, 1}, {2, 3}}));
}

TEST(places_from, pus_must_exist_and_be_in_one_place_only) {
  topology const t = topology::synthetic("core:8");
  EXPECT_EQ(sets(places_from(t, "x", "{6,2},{0:2}")), (std::vector<pus>{{6, 2}, {0, 1}}));
  auto const message = [&t](char const* text) {
    return message_of<usage_error>([&] { static_cast<void>(places_from(t, "OMP_PLACES", text)); });
  };
  EXPECT_NE(message("{0:9}").find("OMP_PLACES is '{0:9}': PU 8 does not exist or may not be used here; allowed: 0-7"),
            std::string::npos)
      << message("{0:9}");
  EXPECT_NE(message("{0:4},{3:4}").find("PU 3 is in two places"), std::string::npos) << message("{0:4},{3:4}");
}

}}}}  // namespace skua::v0::runtime
