// SPDX-License-Identifier: MIT
// The machine as a tree of plain data: machine, packages, NUMA nodes, L3 and L2 clusters, cores, PUs.
//
// Read from this machine through hwloc, from a synthetic description, or from an hwloc XML file; nothing of hwloc stays
// in memory afterwards. PUs that this thread may not use are not in the tree. hwloc keeps NUMA nodes beside the tree,
// as memory; here they are in the tree: a node's children are the elements next to its memory.
//
// Invariant (nested): nodes are in preorder, every node covers a contiguous range of PUs, and the ranges of two nodes
// are either disjoint or one holds the other. An element that would break this (a NUMA node across half of two
// packages) is left out with a remark.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "skua/parts/topology/cpu_mask.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// No such index: the OS gives L3 clusters none, a lone core has no package, ...
inline constexpr std::uint32_t no_index = 0xffff'ffffU;

/// Outermost first.
enum class level : std::uint8_t { machine, package, numa_node, l3, l2, core, pu };

[[nodiscard]] std::string_view level_name(level kind) noexcept;

struct topology_node {
  level kind = level::machine;
  std::uint32_t os_index = no_index;
  std::uint32_t parent = no_index;  ///< index into nodes(); no_index at the root
  std::uint32_t end = 0;            ///< one past the last node below this one; the first child is the next node
  std::uint32_t depth = 0;          ///< 0 at the root
  std::uint32_t first_pu = 0;       ///< index into pus()
  std::uint32_t pus = 0;
  std::uint64_t bytes = 0;  ///< of the cache or of the node's memory; 0 = not known
};

struct topology_pu {
  std::uint32_t os_index = 0;
  std::uint32_t node = no_index;  ///< index into nodes()
  int efficiency = -1;  ///< core kind as hwloc ranks it: 0 = thriftiest, higher = faster; -1 = all alike or not known
  /// Of its core, as a part of the fastest core's here; 1 for each PU if all are alike or nothing is known (core_kinds.hpp).
  double speed = 1;
};

struct topology_reading;

class topology {
 public:
  /// This machine, without the PUs outside the calling thread's affinity mask. About 1 ms per 100 PUs.
  /// Call it from a thread that is not pinned: a worker of a pinned pool sees only its own PU.
  /// Throws resource_error if hwloc cannot read the machine.
  [[nodiscard]] static topology machine();
  /// As above for another mask; an empty mask = every PU.
  [[nodiscard]] static topology machine(cpu_mask const& allowed);

  /// From words such as "package:4 numa:1 l3:1 core:16 pu:1", each with its count per element of the word before;
  /// hwloc's own notation works too. See synthetic.cpp for all words, and for cores of several speeds. At most max_workers PUs. `distances`: latencies
  /// between the NUMA nodes, row by row, as numa_latency returns them; empty: not known. Throws usage_error, which
  /// begins with "distances: " if those are wrong.
  [[nodiscard]] static topology synthetic(std::string_view description, std::span<std::uint64_t const> distances = {});

  /// From a file that `lstopo file.xml` or hwloc_topology_export_xml (version 2) wrote, distances and core kinds
  /// included. Throws usage_error with the path and what is wrong with the file.
  [[nodiscard]] static topology from_xml(std::string const& path);

  /// From a user's text: a text that ends in ".xml" or contains a "/" is the path of such a file, any other one a description
  /// for `synthetic`.
  [[nodiscard]] static topology named(std::string const& description_or_path);

  explicit topology(topology_reading const& read);

  [[nodiscard]] std::span<topology_node const> nodes() const noexcept { return {nodes_.data(), nodes_.size()}; }
  [[nodiscard]] std::span<topology_pu const> pus() const noexcept { return {pus_.data(), pus_.size()}; }
  /// How many nodes of this kind there are.
  [[nodiscard]] std::uint32_t count(level kind) const noexcept;
  /// The node of this kind that holds a PU (by position in pus()), or no_index. At most seven steps.
  [[nodiscard]] std::uint32_t ancestor(std::uint32_t pu, level kind) const noexcept;
  [[nodiscard]] cpu_mask mask() const;

  /// Latency between two NUMA nodes by OS index, as the firmware reports it (10 =
  /// local); the larger of the two directions.
  [[nodiscard]] std::optional<std::uint64_t> numa_latency(std::uint32_t from, std::uint32_t to) const noexcept;
  [[nodiscard]] bool has_numa_latencies() const noexcept { return !numa_order_.empty(); }

  /// False for synthetic and XML topologies: nothing can be pinned there.
  [[nodiscard]] bool is_this_system() const noexcept { return this_system_; }
  /// True if threads can be bound to PUs here (hwloc's support bit).
  [[nodiscard]] bool can_bind() const noexcept { return can_bind_; }
  /// PUs of the whole machine, including those that this process may not use.
  [[nodiscard]] std::uint32_t machine_pus() const noexcept { return machine_pus_; }
  /// "this machine", "synthetic ...", or the path of the file.
  [[nodiscard]] std::string const& source() const noexcept { return source_; }
  /// Oddities found when the machine was read, one sentence each.
  [[nodiscard]] std::span<std::string const> remarks() const noexcept { return {remarks_.data(), remarks_.size()}; }

 private:
  void nest(topology_reading const& read);

  std::vector<topology_node> nodes_;
  std::vector<topology_pu> pus_;
  std::vector<std::uint32_t> numa_order_;    // OS indices, the rows of numa_latency_
  std::vector<std::uint64_t> numa_latency_;  // row by row
  std::vector<std::string> remarks_;
  std::string source_;
  std::uint32_t machine_pus_ = 0;
  bool this_system_ = false;
  bool can_bind_ = false;
};

}}}  // namespace skua::v0::runtime

namespace skua { inline namespace v0 {

using runtime::topology;

}}  // namespace skua::v0
