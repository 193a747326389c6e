// SPDX-License-Identifier: MIT
// Files as hwloc 3 writes them, which the hwloc of this system may refuse, and files that came some other way: from an editor, through a pipe.
#include <gtest/gtest.h>

#include <string>

#include "skua/parts/base/error.hpp"
#include "skua/parts/topology/core_kinds.hpp"
#include "skua/parts/topology/hwloc_twin_test.hpp"
#include "skua/parts/topology/layout.hpp"
#include "skua/parts/topology/machine_details.hpp"
#include "skua/parts/topology/scratch_test.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace {

using testing::message_of;
using testing::scratch;

/// Two DRAM nodes with HBM beside the first one, and CXL memory beside no processor; PUs 0 and 64, so that a mask has a zero word.
std::string const heterogeneous = R"(<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE topology SYSTEM "hwloc2.dtd">
<topology version="3.0">
  <object type="Machine" os_index="0" cpuset="0x00000001,,0x00000001" complete_cpuset="0x00000001,,0x00000001" allowed_cpuset="0x00000001,,0x00000001" nodeset="0x0000000f" complete_nodeset="0x0000000f" allowed_nodeset="0x0000000f" gp_index="1" id="obj1">
    <object type="NUMANode" os_index="3" cpuset="0x0" complete_cpuset="0x0" nodeset="0x00000008" complete_nodeset="0x00000008" gp_index="2" id="obj2" local_memory="4096" memory_tier="2"/>
    <object type="Package" os_index="0" cpuset="0x00000001" complete_cpuset="0x00000001" nodeset="0x00000003" complete_nodeset="0x00000003" gp_index="3" id="obj3">
      <object type="NUMANode" os_index="0" cpuset="0x00000001" complete_cpuset="0x00000001" nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="4" id="obj4"/>
      <object type="NUMANode" os_index="1" cpuset="0x00000001" complete_cpuset="0x00000001" nodeset="0x00000002" complete_nodeset="0x00000002" gp_index="5" id="obj5" local_memory="1073741824" subtype="HBM"/>
      <object type="Core" os_index="0" cpuset="0x00000001" complete_cpuset="0x00000001" nodeset="0x00000003" complete_nodeset="0x00000003" gp_index="6" id="obj6" cpukind="0">
        <object type="PU" os_index="0" cpuset="0x00000001" complete_cpuset="0x00000001" nodeset="0x00000003" complete_nodeset="0x00000003" gp_index="7" id="obj7"/>
      </object>
    </object>
    <object type="Package" os_index="1" cpuset="0x00000001,,0x0" complete_cpuset="0x00000001,,0x0" nodeset="0x00000004" complete_nodeset="0x00000004" gp_index="8" id="obj8">
      <object type="NUMANode" os_index="2" cpuset="0x00000001,,0x0" complete_cpuset="0x00000001,,0x0" nodeset="0x00000004" complete_nodeset="0x00000004" gp_index="9" id="obj9" local_memory="2147483648"/>
      <object type="Core" os_index="0" cpuset="0x00000001,,0x0" complete_cpuset="0x00000001,,0x0" nodeset="0x00000004" complete_nodeset="0x00000004" gp_index="10" id="obj10" cpukind="1">
        <object type="PU" os_index="64" cpuset="0x00000001,,0x0" complete_cpuset="0x00000001,,0x0" nodeset="0x00000004" complete_nodeset="0x00000004" gp_index="11" id="obj11"/>
      </object>
    </object>
  </object>
  <distances2 type="NUMANode" nbobjs="2" kind="5" name="NUMALatency" indexing="os">
    <indexes length="4">0 2 </indexes>
    <u64values length="12">10 21 21 10 </u64values>
  </distances2>
  <distances2 type="NUMANode" nbobjs="2" kind="10" name="NUMABandwidth" indexing="os">
    <indexes length="4">0 2 </indexes>
    <u64values length="16">100 50 50 100 </u64values>
  </distances2>
  <memattr name="Bandwidth" flags="5">
    <memattr_value target_obj_gp_index="5" target_obj_type="NUMANode" value="400000" initiator_cpuset="0x00000001"/>
    <memattr_value target_obj_gp_index="9" target_obj_type="NUMANode" value="50000" initiator_cpuset="0x00000001"/>
    <memattr_value target_obj_gp_index="9" target_obj_type="NUMANode" value="90000" initiator_cpuset="0x00000001,,0x0"/>
  </memattr>
  <memattr name="Latency" flags="6">
    <memattr_value target_obj_gp_index="9" target_obj_type="NUMANode" value="140" initiator_cpuset="0x00000001"/>
    <memattr_value target_obj_gp_index="9" target_obj_type="NUMANode" value="80" initiator_cpuset="0x00000001,,0x0"/>
  </memattr>
  <cpukind cpuset="0x00000001" forced_efficiency="718">
    <info name="CoreType" value="IntelAtom"/>
  </cpukind>
  <cpukind cpuset="0x00000001,,0x0" forced_efficiency="997">
    <info name="CoreType" value="Fast &amp; &quot;big&quot;"/>
  </cpukind>
  <info name="Backend" value="Linux"/>
  <memtier kinds="1" nodeset="0x00000002"/>
  <memtier kinds="2" nodeset="0x00000005"/>
  <memtier kinds="34" nodeset="0x00000008"/>
</topology>
)";

std::string replaced(std::string text, std::string const& from, std::string const& to) {
  auto const at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(xml_formats, the_whole_machine_is_read) {
  described_machine const m = parse_xml_machine(heterogeneous, "t.xml");
  EXPECT_EQ(to_text(m.tree.mask()), "0,64");
  EXPECT_EQ(m.tree.numa_latency(0, 2), 21U);
  EXPECT_EQ(testing::in_words(m.details.memories),
            (std::vector<std::string>{"0 DRAM 0 0 none none", "1 HBM 1073741824 0 400000 none",
                                      "2 DRAM 2147483648 64 90000 80", "3 CXL-DRAM 4096 none none none"}));
  ASSERT_EQ(m.details.core_kinds.size(), 2U);
  EXPECT_EQ(m.details.core_kinds[1].efficiency, 1);
  EXPECT_EQ(to_text(m.details.core_kinds[1].pus), "64");
  EXPECT_EQ(m.details.core_kinds[1].facts.front().second, "Fast & \"big\"");
  EXPECT_EQ(m.tree.pus()[1].efficiency, 1);
  ASSERT_EQ(m.details.distances.size(), 2U);
  EXPECT_EQ(m.details.distances[1].name, "NUMABandwidth");
  EXPECT_FALSE(m.details.distances[1].is_latency);
}

TEST(xml_formats, kinds_of_cores_have_speeds_if_the_file_says_enough) {
  EXPECT_EQ(parse_xml_machine(heterogeneous, "t.xml").tree.pus()[0].speed, 1) << "types without a frequency";
  // As hwloc writes it on Intel's hybrid processors: older kernels give all cores the same capacity.
  auto const clocked = [](std::string const& capacity) {
    std::string const slow = "<info name=\"CoreType\" value=\"IntelAtom\"/>";
    std::string const fast = "<info name=\"CoreType\" value=\"Fast &amp; &quot;big&quot;\"/>";
    std::string const text =
        replaced(heterogeneous, slow, slow + "<info name=\"FrequencyMaxMHz\" value=\"3600\"/>" + capacity);
    return replaced(text, fast,
                    "<info name=\"CoreType\" value=\"IntelCore\"/><info name=\"FrequencyMaxMHz\" value=\"4800\"/>"
                    "<info name=\"LinuxCapacity\" value=\"1024\"/>");
  };
  topology const same = parse_xml_machine(clocked("<info name=\"LinuxCapacity\" value=\"1024\"/>"), "t.xml").tree;
  EXPECT_DOUBLE_EQ(same.pus()[0].speed, 0.75 * small_core_per_cycle);
  EXPECT_EQ(same.pus()[1].speed, 1);
  topology const told = parse_xml_machine(clocked("<info name=\"LinuxCapacity\" value=\"512\"/>"), "t.xml").tree;
  EXPECT_EQ(told.pus()[0].speed, 0.5);
  EXPECT_EQ(core_kinds_text(told), "1 core of kind performance, 1 of kind efficiency (speed 0.5)");
  EXPECT_EQ(layout(told).pu_of(worker_id{0}), 64U);
}

TEST(xml_formats, an_empty_node_is_replaced_by_one_with_memory) {
  described_machine const m = parse_xml_machine(heterogeneous, "t.xml");
  layout const map{m.tree};
  EXPECT_EQ(map.numa_of(worker_id{0}), 1U) << "node 0 has the same PU, and no memory";
  std::string all;
  for (std::string const& remark : m.tree.remarks()) all += remark + "\n";
  EXPECT_NE(all.find("numa_node 0 has no memory\n"), std::string::npos) << all;
  EXPECT_NE(all.find("numa_node 0 has the same PUs as numa_node 1\n"), std::string::npos) << all;
}

TEST(xml_formats, a_node_that_is_not_allowed_is_none) {
  described_machine const m = parse_xml_machine(
      replaced(heterogeneous, "allowed_nodeset=\"0x0000000f\"", "allowed_nodeset=\"0x00000005\""), "t.xml");
  EXPECT_EQ(m.details.memories.size(), 2U);
  EXPECT_EQ((layout{m.tree}.numa_of(worker_id{0})), 0U);
}

TEST(xml_formats, a_node_that_is_there_twice_is_refused) {
  std::string const twice =
      replaced(heterogeneous, "type=\"NUMANode\" os_index=\"2\"", "type=\"NUMANode\" os_index=\"1\"");
  EXPECT_EQ(message_of<usage_error>([&] { static_cast<void>(parse_xml_machine(twice, "t.xml")); }),
            "topology file t.xml: NUMANode 1 is there twice");
}

TEST(xml_formats, later_formats_with_the_same_first_number_are_read) {
  EXPECT_EQ(parse_xml_machine(replaced(heterogeneous, "\"3.0\"", "\"3.9\""), "t.xml").tree.pus().size(), 2U);
  EXPECT_EQ(parse_xml_machine(replaced(heterogeneous, "\"3.0\"", "\"2.0\""), "t.xml").tree.pus().size(), 2U);
}

TEST(xml_formats, the_mark_that_some_editors_put_first_is_skipped) {
  EXPECT_EQ(parse_xml_machine("\xef\xbb\xbf" + heterogeneous, "t.xml").tree.pus().size(), 2U);
}

}}}}  // namespace skua::v0::runtime
