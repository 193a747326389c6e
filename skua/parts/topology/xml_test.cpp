// SPDX-License-Identifier: MIT
// Machines from files: the same as hwloc reads them. However broken a file is, it
// causes nothing worse than a usage_error.
#include <gtest/gtest.h>

#include <string>

#include "skua/parts/base/dice.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/topology/hwloc_twin_test.hpp"
#include "skua/parts/topology/layout.hpp"
#include "skua/parts/topology/scratch_test.hpp"
#include "skua/parts/topology/topology.hpp"
#include "skua/parts/topology/xml_scanner.hpp"
#include "skua/parts/topology/xml_seeds_test.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace {

using testing::content_of;
using testing::hwloc_twin;
using testing::message_of;
using testing::scratch;

testing::extras const two_by_two{.numa_latency = {10, 12, 21, 28, 12, 10, 28, 21, 20, 28, 10, 12, 28, 21, 12, 10},
                                 .core_types = {{0, 7, "IntelAtom"}, {8, 15, "IntelCore"}}};

TEST(xml, trees_agree_with_hwloc) {
  scratch const dir;
  std::string const path = (dir.path() / "t.xml").string();
  for (char const* description : {"package:4 numa:1 l3:1 core:16 pu:1", "package:2 numa:2 l3:2 core:2 pu:2",
                                  "core:3 pu:2", "package:2 l3:2 numa:2 l2:1 core:1 pu:2"}) {
    hwloc_twin::synthetic(description).export_xml(path);
    topology const ours = topology::from_xml(path);
    EXPECT_EQ(testing::flattened(ours), hwloc_twin::xml(path).flattened()) << description;
    EXPECT_FALSE(ours.is_this_system());
    EXPECT_EQ(ours.source(), path);
    EXPECT_FALSE(ours.has_numa_latencies());
  }
}

TEST(xml, this_machine_survives_the_round_trip) {
  scratch const dir;
  std::string const path = (dir.path() / "here.xml").string();
  hwloc_twin::machine().export_xml(path);
  EXPECT_EQ(testing::flattened(topology::from_xml(path)), testing::flattened(topology::machine(cpu_mask{})));
  EXPECT_FALSE(topology::from_xml(path).is_this_system());
}

TEST(xml, latencies_and_core_kinds_are_read) {
  scratch const dir;
  std::string const path = (dir.path() / "t.xml").string();
  hwloc_twin::synthetic("package:2 numa:2 l3:1 core:2 pu:2", two_by_two).export_xml(path);
  topology const t = topology::from_xml(path);
  ASSERT_TRUE(t.has_numa_latencies());
  EXPECT_EQ(t.numa_latency(0, 0), 10U);
  EXPECT_EQ(t.numa_latency(0, 1), 12U);
  EXPECT_EQ(t.numa_latency(0, 2), 21U) << "the larger of the two directions";
  EXPECT_EQ(t.numa_latency(2, 0), 21U);
  EXPECT_EQ(t.numa_latency(0, 3), 28U);
  EXPECT_EQ(t.numa_latency(0, 4), std::nullopt);
  std::vector<int> ours;
  for (topology_pu const& pu : t.pus()) ours.push_back(pu.efficiency);
  EXPECT_EQ(ours, hwloc_twin::xml(path).efficiencies());
  EXPECT_EQ(ours.front(), 0);
  EXPECT_EQ(ours.back(), 1);
}

TEST(xml, a_machine_is_named_by_a_path_or_a_description) {
  EXPECT_EQ(topology::named("package:2 core:3").pus().size(), 6U);
  EXPECT_THROW(static_cast<void>(topology::named("none.xml")), usage_error);
  EXPECT_THROW(static_cast<void>(topology::named("/no/such/file")), usage_error);
}

TEST(xml, unreadable_files_are_named_with_the_reason) {
  scratch const dir;
  std::string const missing = (dir.path() / "missing.xml").string();
  struct wrong_file {
    std::string path;
    std::string reason;
  };
  for (auto const& [path, reason] :
       {wrong_file{missing, "No such file"}, wrong_file{dir.path().string(), "Is a directory"},
        wrong_file{"", "No such file"}, wrong_file{"/dev/null", "line 1"},
        wrong_file{"/dev/zero", "larger than 256 MiB"}}) {
    std::string const message = message_of<usage_error>([&path] { static_cast<void>(topology::from_xml(path)); });
    EXPECT_NE(message.find(path), std::string::npos) << message;
    EXPECT_NE(message.find(reason), std::string::npos) << path << ": " << message;
  }
}

TEST(xml, malformed_files_are_usage_errors_with_path_and_reason) {
  struct wrong_text {
    char const* text;
    char const* reason;
  };
  scratch const dir;
  for (auto const& [text, reason] :
       {wrong_text{"", "an element is expected"},
        wrong_text{"junk", "an element is expected"},
        wrong_text{"<html></html>", "<html>"},
        wrong_text{"<topology></topology>", "the format of hwloc 1; `lstopo -i OLD.xml NEW.xml` of hwloc 2"},
        wrong_text{"<topology version=\"3.0\"/>", "no Machine object"},
        wrong_text{"<topology version=\"4.1\"/>", "it has format 4.1 of hwloc; allowed: formats 2 and 3"},
        wrong_text{"<topology version=\"new\"/>", "the version of the format is \"new\", not a number"},
        wrong_text{"\x1f\x8b\b", "it is compressed by gzip; `gzip -dc FILE > machine.xml`"},
        wrong_text{"\xff\xfe<", "UTF-16"},
        wrong_text{"\x1b]0;name\a<a/>", "an element is expected"},
        wrong_text{"<a\x1b[31m/>", "the root element is <a\\x1b[31m>"},
        wrong_text{"<topology version=\"2.0\"/>", "no Machine object"},
        wrong_text{"<topology version=\"2.0\">\n<object type=\"Machine\">", "line 2: the file ends inside <object>"},
        wrong_text{"<topology version=\"2.0\"><object type=\"Machine\"/></topology>", "no PU"},
        wrong_text{"<topology version=\"2.0\"><object type=\"Machine\"></topology>", "</object> is expected"},
        wrong_text{"<topology version=2.0/>", "not in quotes"},
        wrong_text{"<topology version=\"2.0/>", "closing quote"},
        wrong_text{"<topology version=\"2.0\" version=\"2.0\"/>", "twice"},
        wrong_text{"<topology version=\"2.0\"/><a/>", "after the end"},
        wrong_text{"<topology version=\"2.0\"><object type=\"Machine\"><object type=\"PU\" "
                   "cpuset=\"0x1\"/></object></topology>",
                   "no os_index"},
        wrong_text{"<topology version=\"2.0\"><object type=\"Machine\"><object type=\"PU\" "
                   "os_index=\"0\"/></object></topology>",
                   "cpuset"},
        wrong_text{"<topology version=\"2.0\"><object type=\"Machine\"><object type=\"PU\" os_index=\"1\" "
                   "cpuset=\"0x1\"/></object></topology>",
                   "cpuset"},
        wrong_text{"<topology version=\"2.0\"><object type=\"Machine\"><object type=\"PU\" os_index=\"x\" "
                   "cpuset=\"0x1\"/></object></topology>",
                   "not a number"},
        wrong_text{
            "<topology version=\"2.0\"><object type=\"Machine\"><object type=\"PU\" os_index=\"0\" cpuset=\"0x1\"/>"
            "<object type=\"PU\" os_index=\"0\" cpuset=\"0x1\"/></object></topology>",
            "twice"}}) {
    std::string const path = dir.write("bad.xml", text);
    std::string const message = message_of<usage_error>([&path] { static_cast<void>(topology::from_xml(path)); });
    EXPECT_NE(message.find(path), std::string::npos) << text;
    EXPECT_NE(message.find(reason), std::string::npos) << text << " -> " << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << "one line only";
  }
}

TEST(xml, a_matrix_of_the_wrong_size_is_refused) {
  scratch const dir;
  std::string const path = (dir.path() / "t.xml").string();
  hwloc_twin::synthetic("package:2 numa:2 l3:1 core:2 pu:2", two_by_two).export_xml(path);
  std::string text = content_of(path);
  std::string const key = "nbobjs=\"4\"";
  ASSERT_NE(text.find(key), std::string::npos);
  text.replace(text.find(key), key.size(), "nbobjs=\"5\"");
  std::string const broken = dir.write("broken.xml", text);
  std::string const message = message_of<usage_error>([&] { static_cast<void>(topology::from_xml(broken)); });
  EXPECT_NE(message.find("5 NUMA nodes have 4 indexes and 16 values"), std::string::npos) << message;
}

TEST(xml, damaged_files_either_give_a_whole_topology_or_a_usage_error) {
  constexpr std::uint64_t seed = 4'711;
  scratch const dir;
  std::string const path = (dir.path() / "t.xml").string();
  hwloc_twin::synthetic("package:2 numa:2 l3:1 core:2 pu:2", two_by_two).export_xml(path);
  std::string const sound = content_of(path);
  dice d{seed};
  int refused = 0;
  constexpr int rounds = 1'500;
  for (int round = 0; round < rounds; ++round) {
    std::string text = sound;
    for (std::uint32_t i = 1 + d.below(4); i > 0; --i) {
      auto const at = d.below(static_cast<std::uint32_t>(text.size()));
      switch (d.below(4)) {
        case 0: text[at] = static_cast<char>(d.below(256)); break;
        case 1: text.erase(at, 1 + d.below(60)); break;
        case 2:
          text.insert(at, sound.substr(d.below(static_cast<std::uint32_t>(sound.size())), 1 + d.below(80)));
          break;
        default:
          if (d.below(4) == 0) text.resize(at + 1);
      }
    }
    try {
      topology const t = topology::from_xml(dir.write("damaged.xml", text));
      EXPECT_GE(layout{t}.workers(), 1U);
    } catch (usage_error const&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, rounds / 4) << "seed " << seed;
  EXPECT_LT(refused, rounds) << "seed " << seed;
}

TEST(xml_scanner, reads_what_xml_allows) {
  xml_element const root = scan_xml(
      "<?xml version='1.0'?>\n<!DOCTYPE a SYSTEM \"x\">\n<!-- c --><a x='1' y = \"2\"><b/><!-- <c> --><d>7 "
      "8</d></a>\n");
  EXPECT_EQ(root.name, "a");
  EXPECT_EQ(root.attribute("x"), "1");
  EXPECT_EQ(root.attribute("y"), "2");
  EXPECT_FALSE(root.has("z"));
  ASSERT_EQ(root.children.size(), 2U);
  EXPECT_EQ(root.children[1].text, "7 8");
}

TEST(xml_scanner, endless_nesting_is_refused) {
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "<a>";
  EXPECT_THROW(static_cast<void>(scan_xml(deep)), xml_error);
}

}}}}  // namespace skua::v0::runtime
