// SPDX-License-Identifier: MIT
// The result of a reader (hwloc, synthetic, XML) for `topology`: PUs in the order of the machine, and the elements above
// them as ranges of that order. Only the readers share it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "skua/parts/topology/cpu_mask.hpp"
#include "skua/parts/topology/topology.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// One element above the PUs: its kind, and the range [first, first + pus) of PUs below it.
struct read_element {
  level kind = level::core;
  std::uint32_t os_index = no_index;
  std::uint32_t first = 0;
  std::uint32_t pus = 0;
  std::uint64_t bytes = 0;
};

struct topology_reading {
  std::vector<topology_pu> pus = {};  // `node` is filled in later
  std::vector<read_element> elements = {};
  std::vector<std::uint32_t> numa_order = {};
  std::vector<std::uint64_t> numa_latency = {};
  std::vector<std::string> remarks = {};
  std::string source = {};
  std::uint32_t machine_pus = 0;
  bool this_system = false;
  bool can_bind = false;
};

/// Translates sets of OS indices to ranges of PUs, once all PUs are known.
class range_finder {
 public:
  explicit range_finder(topology_reading& read);

  /// Adds the element that covers `members` (those among the known PUs). Silently drops an element with no known PU
  /// (memory without processors); drops an element whose PUs are not neighbours, with a remark.
  void add(level kind, std::uint32_t os_index, cpu_mask const& members, std::uint64_t bytes);
  /// Those of `members` that are among the known PUs.
  [[nodiscard]] cpu_mask known_of(cpu_mask const& members) const;

 private:
  topology_reading& read_;
  std::unordered_map<std::uint32_t, std::uint32_t> position_;
};

/// "package 3", or "l3" where there is no index.
[[nodiscard]] std::string element_name(level kind, std::uint32_t os_index);

}}}  // namespace skua::v0::runtime
