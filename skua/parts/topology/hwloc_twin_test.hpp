// SPDX-License-Identifier: MIT
// hwloc itself as the reference of the tests: the same machine as hwloc describes it.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "skua/parts/topology/machine_details.hpp"
#include "skua/parts/topology/topology.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace testing {

/// A node without its position: kind, OS index, OS indices of its PUs.
using flat_node = std::tuple<level, std::uint32_t, std::vector<std::uint32_t>>;

/// All nodes but the machine itself.
[[nodiscard]] std::multiset<flat_node> flattened(topology const& machine);

/// From pairs of NUMA nodes to the larger latency of the two directions.
using latency_map = std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t>;

/// Empty if the machine has no latencies.
[[nodiscard]] latency_map latencies(topology const& machine);

/// Latencies between NUMA nodes 0..n-1, row by row; core kinds as (first PU, last PU, hwloc's CoreType).
struct extras {
  std::vector<std::uint64_t> numa_latency = {};
  std::vector<std::tuple<unsigned, unsigned, std::string>> core_types = {};
};

/// A memory in words, so that a failed comparison can be read.
[[nodiscard]] std::string in_words(memory_details const& m);
[[nodiscard]] std::vector<std::string> in_words(std::vector<memory_details> const& all);

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
  /// Without objects that have no PU, and with one NUMA node for each set of PUs: the first that is not known to be empty.
  [[nodiscard]] std::multiset<flat_node> flattened_once() const;
  [[nodiscard]] std::vector<memory_details> memories() const;
  [[nodiscard]] latency_map latencies() const;
  /// Efficiency of each PU in hwloc's order.
  [[nodiscard]] std::vector<int> efficiencies() const;

 private:
  explicit hwloc_twin(void* handle) : handle_(handle) {}
  void* handle_;
};

}}}}  // namespace skua::v0::runtime::testing
