// SPDX-License-Identifier: MIT
// What a machine says of itself beyond the tree that schedulers use: its memories and their tiers, its kinds of cores, and the
// distances between its NUMA nodes. For people, and for what prices a machine; it stays out of `topology`, which every pool holds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "skua/parts/topology/cpu_mask.hpp"
#include "skua/parts/topology/topology.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// A NUMA node, also one without processors, or beside another one of the same processors.
struct memory_details {
  std::uint32_t os_index = 0;
  std::string kind = {};                                  ///< hwloc's word: DRAM, HBM, CXL-DRAM, ...; empty: not known
  std::uint64_t bytes = 0;                                ///< 0: not known, or none if another node has some
  cpu_mask near = {};                                     ///< the PUs next to it, of those that may be used
  std::optional<std::uint64_t> bandwidth_mib_per_s = {};  ///< from the PUs for which it is best
  std::optional<std::uint64_t> latency_ns = {};           ///< likewise

  friend bool operator==(memory_details const&, memory_details const&) = default;
};

struct core_kind_details {
  int efficiency = -1;  ///< as topology_pu::efficiency
  cpu_mask pus = {};
  std::vector<std::pair<std::string, std::string>> facts = {};  ///< CoreType, FrequencyMaxMHz, ..., as hwloc names them
};

/// Row by row, between NUMA nodes by OS index.
struct distance_details {
  std::string name = {};  ///< hwloc's: NUMALatency, NUMABandwidth, ...; may be empty
  bool is_latency = false;
  std::vector<std::uint32_t> nodes = {};
  std::vector<std::uint64_t> values = {};
};

struct machine_details {
  std::vector<memory_details> memories = {};  ///< by OS index
  std::vector<core_kind_details> core_kinds = {};
  std::vector<distance_details> distances = {};
};

struct described_machine {
  topology tree;
  machine_details details;
};

/// As topology::from_xml; the path "-" is standard input.
[[nodiscard]] described_machine read_xml_machine(std::string const& path);
/// From the text of such a file; `source` names it in errors. Throws usage_error.
[[nodiscard]] described_machine parse_xml_machine(std::string_view text, std::string const& source);
/// As topology::machine().
[[nodiscard]] described_machine read_this_machine();

}}}  // namespace skua::v0::runtime
