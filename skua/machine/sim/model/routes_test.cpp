// SPDX-License-Identifier: MIT
// Routes are shortest, connect the right nodes, spread over the links, and are the same every time.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "skua/machine/sim/model/routes.hpp"
#include "skua/parts/base/dice.hpp"
#include "skua/parts/base/error.hpp"

namespace skua { inline namespace v0 { namespace sim { namespace {

using nodes_on_the_way = std::vector<std::uint32_t>;

nodes_on_the_way way(routes const& r, std::uint32_t a, std::uint32_t b) {
  nodes_on_the_way seen{a};
  for (std::uint32_t const l : r.between(a, b)) {
    EXPECT_EQ(r.links()[l].source, seen.back());
    seen.push_back(r.links()[l].target);
  }
  EXPECT_EQ(seen.back(), b);
  return seen;
}

/// The number of routes over each link.
std::vector<std::uint32_t> loads(routes const& r, std::uint32_t nodes) {
  std::vector<std::uint32_t> all(r.links().size(), 0);
  for (std::uint32_t a = 0; a < nodes; ++a) {
    for (std::uint32_t b = 0; b < nodes; ++b) {
      for (std::uint32_t const l : r.between(a, b)) ++all[l];
    }
  }
  return all;
}

std::string refusal(std::uint32_t nodes, std::vector<routes::pair> const& pairs) {
  try {
    routes const made(nodes, pairs);
  } catch (usage_error const& fault) {
    return fault.what();
  }
  return "";
}

TEST(routes, where_all_are_linked_every_route_is_its_link) {
  routes const r(5, routes::all_pairs(5));
  EXPECT_EQ(r.links().size(), 20U);
  for (std::uint32_t a = 0; a < 5; ++a) {
    EXPECT_EQ(r.hops(a, a), 0U);
    for (std::uint32_t b = 0; b < 5; ++b) {
      EXPECT_EQ(way(r, a, b), a == b ? nodes_on_the_way{a} : (nodes_on_the_way{a, b}));
    }
  }
  EXPECT_EQ(loads(r, 5), std::vector<std::uint32_t>(20, 1));
}

TEST(routes, of_a_ring_of_four_cross_it_in_both_directions_and_load_all_links_alike) {
  routes const r(4, routes::ring_of(4));
  EXPECT_EQ(r.links().size(), 8U);
  EXPECT_EQ(r.hops(0, 1), 1U);
  EXPECT_EQ(r.hops(0, 3), 1U);
  EXPECT_EQ(way(r, 0, 2), (nodes_on_the_way{0, 1, 2}));
  EXPECT_EQ(way(r, 2, 0), (nodes_on_the_way{2, 3, 0}));
  EXPECT_EQ(way(r, 1, 3), (nodes_on_the_way{1, 0, 3}));
  EXPECT_EQ(way(r, 3, 1), (nodes_on_the_way{3, 2, 1}));
  EXPECT_EQ(loads(r, 4), std::vector<std::uint32_t>(8, 2));
}

TEST(routes, of_larger_even_rings_are_spread_as_evenly_as_there_are_ways) {
  for (std::uint32_t const nodes : {6U, 8U, 12U, 16U}) {
    routes const r(nodes, routes::ring_of(nodes));
    std::vector<std::uint32_t> const all = loads(r, nodes);
    std::uint32_t total = 0;
    for (std::uint32_t const l : all) total += l;
    EXPECT_EQ(total, nodes * (nodes / 2) * (nodes / 2));  // the sum of all distances
    EXPECT_LE(std::ranges::max(all), 2 * std::ranges::min(all)) << nodes;
  }
}

TEST(routes, of_a_chain_lead_through_all_between) {
  std::vector<routes::pair> const chain{{2, 1}, {0, 1}, {2, 3}};
  routes const r(4, chain);
  EXPECT_EQ(way(r, 0, 3), (nodes_on_the_way{0, 1, 2, 3}));
  EXPECT_EQ(way(r, 3, 0), (nodes_on_the_way{3, 2, 1, 0}));
  EXPECT_EQ(r.links()[0], (routes::link{2, 1}));
  EXPECT_EQ(r.links()[1], (routes::link{1, 2}));
}

TEST(routes, one_node_needs_none) {
  routes const r(1, {});
  EXPECT_EQ(r.hops(0, 0), 0U);
  EXPECT_TRUE(r.links().empty());
}

TEST(routes, links_that_cannot_be_are_refused) {
  EXPECT_NE(refusal(4, {{0, 1}, {1, 2}, {2, 4}}).find("no link [2, 4]; allowed: two of the NUMA nodes 0 to 3"),
            std::string::npos);
  EXPECT_NE(refusal(2, {{0, 1}, {1, 1}}).find("no link [1, 1]"), std::string::npos);
  EXPECT_NE(refusal(2, {{0, 1}, {1, 0}}).find("[1, 0] occurs twice"), std::string::npos);
  EXPECT_NE(refusal(4, {{0, 1}, {2, 3}}).find("no links lead from NUMA node 0 to 2"), std::string::npos);
  EXPECT_THROW(static_cast<void>(routes::ring_of(2)), usage_error);
}

/// Computes the distances by Floyd and Warshall, as a reference.
std::vector<std::uint32_t> distances(std::uint32_t nodes, std::vector<routes::pair> const& pairs) {
  std::vector<std::uint32_t> all(std::size_t{nodes} * nodes, 1000);
  for (std::uint32_t n = 0; n < nodes; ++n) all[n * nodes + n] = 0;
  for (auto const& [a, b] : pairs) all[a * nodes + b] = all[b * nodes + a] = 1;
  for (std::uint32_t k = 0; k < nodes; ++k) {
    for (std::uint32_t a = 0; a < nodes; ++a) {
      for (std::uint32_t b = 0; b < nodes; ++b)
        all[a * nodes + b] = std::min(all[a * nodes + b], all[a * nodes + k] + all[k * nodes + b]);
    }
  }
  return all;
}

TEST(routes, of_any_network_are_shortest_and_the_same_again) {
  char const* const given = std::getenv("SKUA_SEED");
  std::uint64_t const seed = given == nullptr ? 1 : std::strtoull(given, nullptr, 10);
  for (std::uint64_t round = 0; round < 200; ++round) {
    SCOPED_TRACE("SKUA_SEED=" + std::to_string(seed) + ", round " + std::to_string(round));
    runtime::dice roll(seed * 1000 + round);
    std::uint32_t const nodes = 2 + roll.below(9);
    std::vector<routes::pair> pairs;
    for (std::uint32_t n = 1; n < nodes; ++n)
      pairs.emplace_back(roll.below(n), n);  // a tree, so that every node is reached
    for (routes::pair const& p : routes::all_pairs(nodes)) {
      if (roll.below(3) == 0 && std::ranges::find(pairs, p) == pairs.end()) pairs.push_back(p);
    }
    routes const r(nodes, pairs);
    routes const again(nodes, pairs);
    auto const expected = distances(nodes, pairs);
    for (std::uint32_t a = 0; a < nodes; ++a) {
      for (std::uint32_t b = 0; b < nodes; ++b) {
        ASSERT_EQ(r.hops(a, b), expected[a * nodes + b]) << a << " to " << b;
        ASSERT_EQ(way(r, a, b), way(again, a, b));
      }
    }
  }
}

}}}}  // namespace skua::v0::sim
