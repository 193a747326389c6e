// SPDX-License-Identifier: MIT
// Whatever hwloc writes is read back equal, object by object: random machines up to 1024 PUs, with memories beside one another, PUs and nodes
// that may not be used, scattered numbers, distances and attributes of memory. hwloc itself is the reference.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "skua/parts/base/dice.hpp"
#include "skua/parts/topology/hwloc_twin_test.hpp"
#include "skua/parts/topology/machine_details.hpp"
#include "skua/parts/topology/scratch_test.hpp"
#include "skua/parts/topology/xml_seeds_test.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace {

using testing::hwloc_twin;
using testing::scratch;

TEST(xml_random, machines_of_hwloc_are_read_as_hwloc_reads_them) {
  char const* const given = std::getenv("SKUA_TEST_SEED");
  std::uint64_t const seed = given != nullptr ? std::strtoull(given, nullptr, 10) : 20'261;
  scratch const dir;
  std::string const path = (dir.path() / "t.xml").string();
  dice d{seed};
  int sparse_masks = 0;
  int refused = 0;
  constexpr int rounds = 40;
  for (int round = 0; round < rounds; ++round) {
    std::string const what = testing::write_random_machine(d, path);
    SCOPED_TRACE("seed " + std::to_string(seed) + ", round " + std::to_string(round) + ": " + what);
    if (what.empty()) {  // hwloc allows no machine without a PU
      ++refused;
      continue;
    }
    if (testing::content_of(path).find(",,") != std::string::npos) ++sparse_masks;
    described_machine const ours = read_xml_machine(path);
    hwloc_twin const theirs = hwloc_twin::xml(path);
    ASSERT_EQ(testing::flattened(ours.tree), theirs.flattened_once());
    ASSERT_EQ(testing::in_words(ours.details.memories), testing::in_words(theirs.memories()));
    ASSERT_EQ(testing::latencies(ours.tree), theirs.latencies());
    std::vector<int> efficiencies;
    for (topology_pu const& pu : ours.tree.pus()) efficiencies.push_back(pu.efficiency);
    ASSERT_EQ(efficiencies, theirs.efficiencies());
  }
  EXPECT_GT(sparse_masks, rounds / 20) << "seed " << seed;
  EXPECT_LT(refused, rounds / 4) << "seed " << seed;
}

}}}}  // namespace skua::v0::runtime
