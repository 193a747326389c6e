// SPDX-License-Identifier: MIT
// Distances between NUMA nodes in hwloc's XML.
#include <algorithm>
#include <string>

#include "skua/parts/topology/xml_words.hpp"

namespace skua { inline namespace v0 { namespace runtime {
namespace {

constexpr std::uint64_t means_latency = 4;  // HWLOC_DISTANCES_KIND_MEANS_LATENCY, part of the file format
constexpr std::uint64_t most_numa_nodes = 4'096;

/// The numbers in all children of this name: hwloc writes ten to a line.
std::vector<std::uint64_t> numbers_in(xml_element const& distances, std::string_view name) {
  std::vector<std::uint64_t> all;
  for (xml_element const& chunk : distances.children) {
    if (chunk.name != name) continue;
    std::string_view rest = chunk.text;
    while ((rest = rest.substr(std::min(rest.find_first_not_of(" \t\r\n"), rest.size()))).size() > 0) {
      auto const end = std::min(rest.find_first_of(" \t\r\n"), rest.size());
      all.push_back(xml_number(rest.substr(0, end), "a number of the distances"));
      rest.remove_prefix(end);
    }
  }
  return all;
}

distance_details matrix_of(xml_element const& d) {
  if (d.attribute("indexing") != "os") throw xml_content_error("distances between NUMA nodes are not indexed by os");
  std::uint64_t const count = xml_number(d.attribute("nbobjs"), "nbobjs of the distances");
  std::vector<std::uint64_t> const rows = numbers_in(d, "indexes");
  std::vector<std::uint64_t> values = numbers_in(d, "u64values");
  if (count == 0 || count > most_numa_nodes || rows.size() != count || values.size() != count * count) {
    throw xml_content_error("distances between " + std::to_string(count) + " NUMA nodes have " +
                            std::to_string(rows.size()) + " indexes and " + std::to_string(values.size()) + " values");
  }
  if (std::ranges::any_of(rows, [](std::uint64_t r) { return r >= no_index; }))
    throw xml_content_error("an index of the distances is too large");
  distance_details made{.name = xml_text(d.attribute("name")),
                        .is_latency = (xml_number(d.attribute("kind"), "kind of the distances") & means_latency) != 0,
                        .values = std::move(values)};
  for (std::uint64_t const row : rows) made.nodes.push_back(static_cast<std::uint32_t>(row));
  return made;
}

/// The matrix without the nodes that are not there, as hwloc removes them.
distance_details between_known(distance_details all, std::vector<memory_details> const& known) {
  distance_details kept{.name = std::move(all.name), .is_latency = all.is_latency};
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < all.nodes.size(); ++i) {
    if (std::ranges::find(known, all.nodes[i], &memory_details::os_index) == known.end()) continue;
    rows.push_back(i);
    kept.nodes.push_back(all.nodes[i]);
  }
  for (std::size_t const row : rows) {
    for (std::size_t const column : rows) kept.values.push_back(all.values[row * all.nodes.size() + column]);
  }
  return kept;
}

}  // namespace

void collect_distances(xml_element const& root, topology_reading& read, machine_details& details) {
  for (xml_element const& d : root.children) {
    if (d.name != "distances2" || d.attribute("type") != "NUMANode") continue;
    distance_details made = between_known(matrix_of(d), details.memories);
    if (made.nodes.size() < 2) continue;  // hwloc drops it, too
    if (made.is_latency && read.numa_order.empty()) {
      read.numa_order = made.nodes;
      read.numa_latency = made.values;
    }
    details.distances.push_back(std::move(made));
  }
}

}}}  // namespace skua::v0::runtime
