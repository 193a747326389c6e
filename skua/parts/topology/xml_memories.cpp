// SPDX-License-Identifier: MIT
// NUMA nodes in hwloc's XML: which may be used, of which tier they are, and how fast they are for the PUs next to them.
//
// hwloc 2 names the tier in the attribute subtype, hwloc 3 also in elements <memtier>. Bandwidths and latencies are in elements <memattr>, which
// name a node by its gp_index.
#include <algorithm>
#include <map>
#include <string>

#include "skua/parts/topology/xml_words.hpp"

namespace skua { inline namespace v0 { namespace runtime {
namespace {

/// hwloc's words for the bits of a tier's kinds, 1 HBM, 2 DRAM, 4 GPU, 8 specific purpose, 16 NVM, 32 CXL: part of format 3.
std::string tier_name(std::uint64_t kinds) {
  std::string const prefix = (kinds & 32U) != 0 ? "CXL-" : "";
  switch (kinds & ~std::uint64_t{32}) {
    case 0: return prefix.empty() ? "" : "CXL-DRAM";
    case 1: return prefix + "HBM";
    case 2: return prefix + "DRAM";
    case 4: return prefix + "GPUMemory";
    case 8: return prefix + "SPM";
    case 16: return prefix + "NVM";
    default: return {};
  }
}

class memory_collector {
 public:
  memory_collector(range_finder& finder, machine_details& details) : finder_(finder), details_(details) {}

  /// Visits the memories below an object. A node that may not be used is none.
  void visit(xml_element const& object, std::optional<cpu_mask> const& allowed) {
    for (xml_element const& child : object.children) {
      if (child.name != "object") continue;
      visit(child, allowed);
      if (child.attribute("type") != "NUMANode") continue;
      std::uint32_t const os_index = xml_os_index(child);
      if (os_index == no_index) throw xml_content_error("a NUMANode has no os_index");
      if (allowed && !allowed->contains(os_index)) continue;
      if (known(os_index) != nullptr)
        throw xml_content_error("NUMANode " + std::to_string(os_index) + " is there twice");
      std::string_view const size = child.attribute("local_memory");
      cpu_mask const near = xml_set(child, "cpuset");
      std::uint64_t const bytes = size.empty() ? 0 : xml_number(size, "local_memory of " + xml_name(child));
      finder_.add(level::numa_node, os_index, near, bytes);
      at_.emplace(os_index, details_.memories.size());
      details_.memories.push_back({.os_index = os_index,
                                   .kind = xml_text(child.attribute("subtype")),
                                   .bytes = bytes,
                                   .near = finder_.known_of(near)});
      if (child.has("gp_index")) by_gp_index_.emplace(child.attribute("gp_index"), os_index);
    }
  }

  void take_tiers(xml_element const& root) {
    for (xml_element const& tier : root.children) {
      if (tier.name != "memtier" || !tier.has("nodeset")) continue;
      std::string const name =
          tier.has("kinds") ? tier_name(xml_number(tier.attribute("kinds"), "kinds of a memtier")) : "";
      for (std::uint32_t const os_index : xml_set(tier, "nodeset").members()) {
        if (memory_details* const of = known(os_index); of != nullptr && of->kind.empty()) of->kind = name;
      }
    }
  }

  void take_attributes(xml_element const& root) {
    for (xml_element const& attribute : root.children) {
      if (attribute.name != "memattr") continue;
      for (xml_element const& one : attribute.children) {
        if (one.name != "memattr_value" || one.attribute("target_obj_type") != "NUMANode") continue;
        auto const at = by_gp_index_.find(one.attribute("target_obj_gp_index"));
        if (at == by_gp_index_.end()) continue;
        // As seen from PUs that may not be used: hwloc drops it, too.
        if (one.has("initiator_cpuset") && finder_.known_of(xml_set(one, "initiator_cpuset")).empty()) continue;
        take_value(attribute.attribute("name"), *known(at->second), one);
      }
    }
    std::ranges::sort(details_.memories, {}, &memory_details::os_index);
  }

 private:
  static void take_value(std::string_view name, memory_details& of, xml_element const& one) {
    if (name != "Bandwidth" && name != "Latency") return;
    std::uint64_t const value = xml_number(one.attribute("value"), "a value of " + std::string{name});
    if (name == "Bandwidth") of.bandwidth_mib_per_s = std::max(of.bandwidth_mib_per_s.value_or(value), value);
    if (name == "Latency") of.latency_ns = std::min(of.latency_ns.value_or(value), value);
  }

  memory_details* known(std::uint32_t os_index) {
    auto const found = at_.find(os_index);
    return found == at_.end() ? nullptr : &details_.memories[found->second];
  }

  range_finder& finder_;
  machine_details& details_;
  std::map<std::uint32_t, std::size_t> at_;  ///< from OS index to the memory
  std::map<std::string_view, std::uint32_t> by_gp_index_;
};

}  // namespace

void collect_memories(xml_element const& root, xml_element const& machine, range_finder& finder,
                      machine_details& details) {
  std::optional<cpu_mask> allowed;
  if (machine.has("allowed_nodeset")) allowed = xml_set(machine, "allowed_nodeset");
  memory_collector all(finder, details);
  all.visit(machine, allowed);
  all.take_tiers(root);
  all.take_attributes(root);
}

}}}  // namespace skua::v0::runtime
