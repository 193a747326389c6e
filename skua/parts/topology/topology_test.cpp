// SPDX-License-Identifier: MIT
// The tree: nested whatever the readers return; this machine; synthetic machines, compared with hwloc's.
#include "skua/parts/topology/topology.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <thread>

#include "skua/parts/base/dice.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/topology/affinity.hpp"
#include "skua/parts/topology/hwloc_twin_test.hpp"
#include "skua/parts/topology/reading.hpp"
#include "skua/parts/topology/scratch_test.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace {

using testing::hwloc_twin;
using testing::message_of;

/// Preorder, contiguous ranges, children inside parents, every PU a leaf.
void expect_nested(topology const& t) {
  auto const nodes = t.nodes();
  ASSERT_FALSE(nodes.empty());
  EXPECT_EQ(nodes[0].kind, level::machine);
  EXPECT_EQ(nodes[0].pus, t.pus().size());
  EXPECT_EQ(nodes[0].end, nodes.size());
  for (std::uint32_t i = 1; i < nodes.size(); ++i) {
    ASSERT_LT(nodes[i].parent, i);
    topology_node const& above = nodes[nodes[i].parent];
    EXPECT_EQ(nodes[i].depth, above.depth + 1);
    EXPECT_GE(nodes[i].first_pu, above.first_pu);
    EXPECT_LE(nodes[i].first_pu + nodes[i].pus, above.first_pu + above.pus);
    EXPECT_LE(nodes[i].end, above.end);
    EXPECT_GT(nodes[i].end, i);
  }
  for (std::uint32_t pu = 0; pu < t.pus().size(); ++pu) {
    ASSERT_LT(t.pus()[pu].node, nodes.size());
    EXPECT_EQ(nodes[t.pus()[pu].node].kind, level::pu);
    EXPECT_EQ(nodes[t.pus()[pu].node].first_pu, pu);
    EXPECT_EQ(t.ancestor(pu, level::machine), 0U);
  }
}

TEST(topology, this_machine_has_exactly_the_pus_of_the_affinity_mask) {
  topology const t = topology::machine();
  expect_nested(t);
  EXPECT_TRUE(t.is_this_system());
  EXPECT_EQ(t.mask(), affinity_of_this_thread());
  EXPECT_GE(t.machine_pus(), t.pus().size());
  EXPECT_GE(t.count(level::numa_node), 1U);
}

TEST(topology, this_machine_agrees_with_hwloc) {
  topology const t = topology::machine(cpu_mask{});
  EXPECT_EQ(testing::flattened(t), hwloc_twin::machine().flattened());
}

TEST(topology, disallowed_pus_are_not_in_the_tree) {
  cpu_mask const all = topology::machine().mask();
  cpu_mask one;
  one.insert(all.members().back());
  topology const t = topology::machine(one);
  expect_nested(t);
  EXPECT_EQ(t.mask(), one);
  EXPECT_EQ(t.count(level::core), 1U);
  EXPECT_GE(t.machine_pus(), all.size());
}

TEST(topology, a_mask_that_hwloc_does_not_know_is_believed) {
  cpu_mask strange;
  strange.insert(4'000);
  strange.insert(4'007);
  topology const t = topology::machine(strange);
  expect_nested(t);
  EXPECT_EQ(t.mask(), strange);
  ASSERT_EQ(t.remarks().size(), 1U);
  EXPECT_NE(t.remarks()[0].find("4000,4007"), std::string::npos);
}

TEST(synthetic, shapes_agree_with_hwloc) {
  for (char const* description :
       {"package:4 numa:1 l3:1 core:16 pu:1", "package:2 numa:2 l3:2 l2:2 core:2 pu:2", "numa:2 package:2 core:3 pu:1",
        "package:3 core:5 pu:1", "package:4 [numa] l3:2 core:2 pu:1", "package:1 l3:2 numa:2 core:2 pu:1",
        "core:7 pu:2", "pu:3",
        "Package:2 [NUMANode(memory=1073741824)] L3Cache:1(size=33554432) L2Cache:4(size=1048576) "
        "L1dCache:1(size=32768) Core:1 PU:2",
        "package:2 group:3 l2:2 core:4 pu:1"}) {
    topology const ours = topology::synthetic(description);
    expect_nested(ours);
    EXPECT_FALSE(ours.is_this_system());
    EXPECT_FALSE(ours.can_bind());
    EXPECT_EQ(testing::flattened(ours), hwloc_twin::synthetic(description).flattened()) << description;
  }
}

TEST(synthetic, random_descriptions_agree_with_hwloc) {
  constexpr std::uint64_t seed = 20'261;
  dice d{seed};
  for (int round = 0; round < 60; ++round) {
    std::string text;
    bool numa = false;
    for (char const* word : {"package", "l3", "l2", "core"}) {
      if (!numa && d.below(4) == 0) {
        text += "numa:" + std::to_string(1 + d.below(3)) + " ";
        numa = true;
      }
      if (d.below(3) != 0) text += std::string{word} + ":" + std::to_string(1 + d.below(4)) + " ";
    }
    text += "pu:" + std::to_string(1 + d.below(3));
    topology const ours = topology::synthetic(text);
    expect_nested(ours);
    EXPECT_EQ(testing::flattened(ours), hwloc_twin::synthetic(text).flattened()) << text << ", seed " << seed;
  }
}

TEST(synthetic, the_sizes_are_kept) {
  topology const t = topology::synthetic("package:1 [numa(memory=2GB)] l3:1(size=32MB) l2:2(size=1024kB) core:1");
  EXPECT_EQ(t.nodes()[t.ancestor(0, level::numa_node)].bytes, std::uint64_t{2} << 30);
  EXPECT_EQ(t.nodes()[t.ancestor(0, level::l3)].bytes, std::uint64_t{32} << 20);
  EXPECT_EQ(t.nodes()[t.ancestor(1, level::l2)].bytes, std::uint64_t{1} << 20);
}

TEST(synthetic, the_largest_machine_is_built) {
  topology const t = topology::synthetic("package:64 numa:1 l3:4 core:256");
  EXPECT_EQ(t.pus().size(), 65'536U);
  EXPECT_EQ(t.count(level::l3), 256U);
}

TEST(synthetic, nonsense_is_refused_with_its_text_and_an_example) {
  for (char const* text : {"",
                           "   ",
                           "foo:2",
                           "core",
                           "core:",
                           "core:0",
                           "core:-1",
                           "core:x",
                           "core:1.5",
                           "core:99999999999",
                           "pu:1 core:2",
                           "core:2 core:2",
                           "core:2 numa:2 pu:1",
                           "numa:1 numa:2 pu:1",
                           "l2:2 l3:2 pu:1",
                           "package:256 core:257",
                           "core:2(size=4",
                           "[l3] pu:2",
                           "l3:1(size=big) pu:1",
                           "core:4(size=3)",
                           "package:2(memory=1GB) core:2",
                           "core:2 pu:2(size=1kB)",
                           "machine:1 pu:2",
                           ":3",
                           "core:2,pu:2",
                           "l3:1(size=99999999999999999999) pu:1",
                           ")core:2",
                           "numa:2 [numa] pu:1"}) {
    std::string const message = message_of<usage_error>([&] { static_cast<void>(topology::synthetic(text)); });
    EXPECT_EQ(message.find("synthetic topology is '" + std::string{text} + "': "), 0U)
        << "[" << text << "] " << message;
    EXPECT_NE(message.find("package:4 numa:1 l3:1 core:16 pu:1"), std::string::npos) << text;
  }
}

TEST(nesting, elements_that_overlap_are_left_out_with_a_remark) {
  topology_reading read{.source = "test"};
  for (std::uint32_t i = 0; i < 8; ++i) read.pus.push_back({.os_index = i});
  read.elements = {{.kind = level::package, .os_index = 0, .first = 0, .pus = 4},
                   {.kind = level::package, .os_index = 1, .first = 4, .pus = 4},
                   {.kind = level::numa_node, .os_index = 7, .first = 2, .pus = 4},   // half of each package
                   {.kind = level::numa_node, .os_index = 3, .first = 4, .pus = 4},   // DRAM
                   {.kind = level::numa_node, .os_index = 5, .first = 4, .pus = 4}};  // HBM of the same PUs
  topology const t{read};
  expect_nested(t);
  EXPECT_EQ(t.count(level::package), 2U);
  EXPECT_EQ(t.count(level::numa_node), 1U);
  EXPECT_EQ(t.nodes()[t.ancestor(5, level::numa_node)].os_index, 3U);
  ASSERT_EQ(t.remarks().size(), 2U);
  EXPECT_NE(t.remarks()[0].find("numa_node 7"), std::string::npos) << t.remarks()[0];
  EXPECT_NE(t.remarks()[1].find("numa_node 5"), std::string::npos) << t.remarks()[1];
}

TEST(nesting, any_set_of_ranges_gives_a_nested_tree) {
  constexpr std::uint64_t seed = 77;
  dice d{seed};
  for (int round = 0; round < 300; ++round) {
    topology_reading read{.source = "test"};
    std::uint32_t const pus = 1 + d.below(20);
    for (std::uint32_t i = 0; i < pus; ++i) read.pus.push_back({.os_index = 3 * i});
    for (std::uint32_t i = d.below(12); i > 0; --i) {
      std::uint32_t const first = d.below(pus);
      read.elements.push_back(
          {.kind = static_cast<level>(1 + d.below(5)), .os_index = i, .first = first, .pus = 1 + d.below(pus - first)});
    }
    expect_nested(topology{read});
    ASSERT_FALSE(HasFailure()) << "seed " << seed << " round " << round;
  }
}

TEST(machine, a_child_of_fork_reads_it_while_another_thread_of_the_parent_did) {
  std::atomic<bool> ends{false};
  std::thread reader([&] {
    while (!ends) static_cast<void>(topology::machine());
  });
  for (int round = 0; round < 20; ++round) {
    pid_t const child = ::fork();
    if (child == 0) {
      ::alarm(100);  // for a child that hangs
      ::_exit(topology::machine().pus().empty() ? 1 : 0);
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0) << round;
  }
  ends = true;
  reader.join();
}

}}}}  // namespace skua::v0::runtime
