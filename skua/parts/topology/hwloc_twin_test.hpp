// SPDX-License-Identifier: MIT
// hwloc itself as the reference of the tests: the same machine as hwloc describes it.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "skua/parts/topology/topology.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace testing {

/// A node without its position: kind, OS index, OS indices of its PUs.
using flat_node = std::tuple<level, std::uint32_t, std::vector<std::uint32_t>>;

/// All nodes but the machine itself.
[[nodiscard]] std::multiset<flat_node> flattened(topology const& machine);

/// Latencies between NUMA nodes 0..n-1, row by row; core kinds as (first PU, last PU, hwloc's CoreType).
struct extras {
  std::vector<std::uint64_t> numa_latency = {};
  std::vector<std::tuple<unsigned, unsigned, std::string>> core_types = {};
};

class hwloc_twin {
 public:
  static hwloc_twin machine();
  static hwloc_twin synthetic(std::string const& description, extras const& more = {});
  static hwloc_twin xml(std::string const& path);
  ~hwloc_twin();
  hwloc_twin(hwloc_twin const&) = delete;
  hwloc_twin& operator=(hwloc_twin const&) = delete;

  void export_xml(std::string const& path) const;
  [[nodiscard]] std::multiset<flat_node> flattened() const;
  /// Efficiency of each PU in hwloc's order.
  [[nodiscard]] std::vector<int> efficiencies() const;

 private:
  explicit hwloc_twin(void* handle) : handle_(handle) {}
  void* handle_;
};

}}}}  // namespace skua::v0::runtime::testing
