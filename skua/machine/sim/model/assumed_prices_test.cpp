// SPDX-License-Identifier: MIT
#include "skua/machine/sim/model/assumed_prices.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "skua/machine/sim/model/model_rules.hpp"
#include "skua/parts/base/error.hpp"

namespace skua { inline namespace v0 { namespace sim { namespace {

figure const& named(machine_model const& m, std::string_view key) {
  return *std::ranges::find(m.figures(), key, &figure::key);
}

TEST(assumed_prices, of_a_shipped_machine_is_its_own) {
  for (std::string_view const name : machine_model::shipped()) {
    machine_model const m = machine_model::load(name);
    EXPECT_EQ(nearest_shipped(m.tree()).name(), name);
  }
}

TEST(assumed_prices, a_machine_of_several_nodes_never_takes_prices_without_links) {
  for (std::uint32_t const nodes : {2U, 3U, 16U, 64U}) {
    auto const tree = topology::synthetic("package:" + std::to_string(nodes) + " numa:1 l3:1 core:1 pu:2");
    EXPECT_GT(nearest_shipped(tree).nodes(), 1U) << nodes;
    EXPECT_EQ(model_of(tree, "a/b.xml").distances(), 1U);
  }
}

TEST(assumed_prices, has_its_own_tree_and_caches_and_assumes_all_else) {
  // hwloc's notation gives caches their sizes
  auto const tree = topology::synthetic("pack:2 [numa] l3:4(size=33554432) l2:8(size=524288) core:1 pu:2");
  machine_model const m = model_of(tree, "of/box.xml");
  EXPECT_EQ(m.name(), "box");
  EXPECT_EQ(m.origin(), "of/box.xml");
  EXPECT_EQ(m.tree().pus().size(), 128U);
  EXPECT_EQ(named(m, "shared_cache.bytes").value, 33554432);
  EXPECT_FALSE(named(m, "shared_cache.bytes").assumed);
  EXPECT_EQ(named(m, "private_cache.bytes").value, 524288);
  for (figure const& f : m.figures()) {
    if (f.key == "shared_cache.bytes" || f.key == "private_cache.bytes") continue;
    EXPECT_TRUE(f.assumed) << f.key;
    EXPECT_NE(f.source.find("the most similar model"), std::string::npos) << f.key;
    EXPECT_TRUE(f.low <= f.value && f.value <= f.high) << f.key;
  }
  for (bound const which : {bound::stated, bound::low, bound::high}) EXPECT_GT(m.numbers(which).memory_bytes_per_ns, 0);
}

TEST(assumed_prices, each_distance_has_figures) {
  std::vector<std::uint64_t> distances(16 * 16);
  for (std::uint64_t a = 0; a < 16; ++a) {
    for (std::uint64_t b = 0; b < 16; ++b) distances[a * 16 + b] = a == b ? 10 : 11 + (a > b ? a - b : b - a);
  }
  machine_model const m = model_of(topology::synthetic("package:4 numa:4 l3:1 core:4 pu:1", distances), "x.xml");
  EXPECT_EQ(m.distances(), 15U);
  EXPECT_EQ(m.numbers().link_latency_ns.size(), 15U);
  EXPECT_EQ(m.numbers().link_bytes_per_ns.size(), 15U);
}

TEST(assumed_prices, hundreds_of_nodes_take_no_minutes) {
  machine_model const m = model_of(topology::synthetic("package:512 numa:1 l3:1 core:1 pu:1"), "x.xml");
  EXPECT_EQ(m.node_routes().links().size(), 512U * 511);
  EXPECT_EQ(m.node_routes().hops(0, 511), 1U);
}

TEST(assumed_prices, a_machine_without_an_l3_cache_is_refused) {
  try {
    static_cast<void>(model_of(topology::synthetic("package:1 numa:1 core:4 pu:1"), "my\x1b.xml"));
    FAIL();
  } catch (usage_error const& fault) {
    std::string const said = fault.what();
    EXPECT_NE(said.find("PU 0 has no L3"), std::string::npos) << said;
    EXPECT_EQ(said.find('\x1b'), std::string::npos);
  }
}

}}}}  // namespace skua::v0::sim
