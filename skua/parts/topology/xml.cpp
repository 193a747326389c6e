// SPDX-License-Identifier: MIT
// Another machine, from the XML that hwloc 2 writes: its tree, the latencies between its NUMA nodes, its core kinds.
//
// hwloc gives the same tree (xml_test.cpp compares them), but ends with a segmentation fault for 3% of randomly damaged
// files (an object without one of its sets), and writes on stderr for others.
#include <algorithm>
#include <charconv>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <unordered_set>
#include <utility>
#include <vector>

#include "skua/parts/base/error.hpp"
#include "skua/parts/base/options.hpp"
#include "skua/parts/topology/file.hpp"
#include "skua/parts/topology/reading.hpp"
#include "skua/parts/topology/topology.hpp"
#include "skua/parts/topology/xml_scanner.hpp"

namespace skua { inline namespace v0 { namespace runtime {
namespace {

constexpr std::size_t longest_file_bytes = std::size_t{256} << 20;
constexpr std::uint64_t means_latency = 4;  // HWLOC_DISTANCES_KIND_MEANS_LATENCY, part of the file format
constexpr std::uint64_t most_numa_nodes = 4'096;
constexpr std::uint32_t largest_pu = 1U << 20;  // a mask has a bit for every number up to its largest

struct wrong : std::runtime_error {
  using std::runtime_error::runtime_error;
};

std::uint64_t number(std::string_view text, std::string const& what) {
  std::uint64_t value = 0;
  auto const [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc{} || end != text.data() + text.size())
    throw wrong(what + " is \"" + std::string{text} + "\", not a number");
  return value;
}

std::string name_of(xml_element const& object) {
  return std::string{object.attribute("type")} + " object " + std::string{object.attribute("os_index")};
}

cpu_mask set_of(xml_element const& object, std::string_view key) {
  auto set = cpu_mask::from_hwloc(object.attribute(key));
  if (!set) throw wrong(name_of(object) + " has no sound " + std::string{key});
  return std::move(*set);
}

std::uint32_t os_index_of(xml_element const& object) {
  if (!object.has("os_index")) return no_index;
  std::uint64_t const value =
      number(object.attribute("os_index"), "os_index of a " + std::string{object.attribute("type")});
  return value < no_index ? static_cast<std::uint32_t>(value) : no_index;
}

std::optional<level> kind_of(std::string_view type) {
  if (type == "Package") return level::package;
  if (type == "NUMANode") return level::numa_node;
  if (type == "L3Cache") return level::l3;
  if (type == "L2Cache") return level::l2;
  if (type == "Core") return level::core;
  return std::nullopt;
}

/// Collects all PUs below, in the order of the file, which is the machine's.
void collect_pus(xml_element const& object, std::optional<cpu_mask> const& allowed, topology_reading& read) {
  for (xml_element const& child : object.children) {
    if (child.name != "object") continue;
    if (!child.has("type")) throw wrong("an object has no type");
    if (child.attribute("type") != "PU") {
      collect_pus(child, allowed, read);
      continue;
    }
    std::uint32_t const os_index = os_index_of(child);
    if (os_index == no_index) throw wrong("a PU has no os_index");
    if (os_index > largest_pu)
      throw wrong("PU " + std::to_string(os_index) + " is beyond the largest number, " + std::to_string(largest_pu));
    if (set_of(child, "cpuset") != [os_index] {
          cpu_mask one;
          one.insert(os_index);
          return one;
        }()) {
      throw wrong(name_of(child) + " has a cpuset that is not its os_index");
    }
    ++read.machine_pus;
    if (!allowed || allowed->contains(os_index)) read.pus.push_back({.os_index = os_index});
  }
}

void collect_elements(xml_element const& object, range_finder& finder) {
  for (xml_element const& child : object.children) {
    if (child.name != "object") continue;
    if (auto const kind = kind_of(child.attribute("type"))) {
      std::string_view const size = child.attribute(*kind == level::numa_node ? "local_memory" : "cache_size");
      finder.add(*kind, os_index_of(child), set_of(child, "cpuset"),
                 size.empty() ? 0 : number(size, "size of " + name_of(child)));
    }
    collect_elements(child, finder);
  }
}

/// The numbers in all children of this name: hwloc writes ten to a line.
std::vector<std::uint64_t> numbers_in(xml_element const& distances, std::string_view name) {
  std::vector<std::uint64_t> all;
  for (xml_element const& chunk : distances.children) {
    if (chunk.name != name) continue;
    std::string_view rest = chunk.text;
    while ((rest = rest.substr(std::min(rest.find_first_not_of(" \t\r\n"), rest.size()))).size() > 0) {
      auto const end = std::min(rest.find_first_of(" \t\r\n"), rest.size());
      all.push_back(number(rest.substr(0, end), "a number of the distances"));
      rest.remove_prefix(end);
    }
  }
  return all;
}

void collect_latencies(xml_element const& root, topology_reading& read) {
  for (xml_element const& d : root.children) {
    if (d.name != "distances2" || d.attribute("type") != "NUMANode" || !read.numa_order.empty()) continue;
    if ((number(d.attribute("kind"), "kind of the distances") & means_latency) == 0) continue;
    if (d.attribute("indexing") != "os") throw wrong("distances between NUMA nodes are not indexed by os");
    std::uint64_t const count = number(d.attribute("nbobjs"), "nbobjs of the distances");
    std::vector<std::uint64_t> const rows = numbers_in(d, "indexes");
    std::vector<std::uint64_t> values = numbers_in(d, "u64values");
    if (count == 0 || count > most_numa_nodes || rows.size() != count || values.size() != count * count) {
      throw wrong("distances between " + std::to_string(count) + " NUMA nodes have " + std::to_string(rows.size()) +
                  " indexes and " + std::to_string(values.size()) + " values");
    }
    if (std::ranges::any_of(rows, [](std::uint64_t r) { return r >= no_index; }))
      throw wrong("an index of the distances is too large");
    for (std::uint64_t const row : rows) read.numa_order.push_back(static_cast<std::uint32_t>(row));
    read.numa_latency = std::move(values);
  }
}

/// The key that ranks a kind of core, lowest first: the forced efficiency, Intel's type, the frequency.
std::optional<std::tuple<std::uint64_t, int, std::uint64_t>> rank_of(xml_element const& kind) {
  if (kind.has("forced_efficiency"))
    return std::tuple{number(kind.attribute("forced_efficiency"), "forced_efficiency"), 0, std::uint64_t{0}};
  std::optional<int> type;
  std::uint64_t frequency = 0;
  for (xml_element const& info : kind.children) {
    std::string_view const name = info.attribute("name");
    std::string_view const value = info.attribute("value");
    if (name == "CoreType" && value == "IntelAtom") type = 0;
    if (name == "CoreType" && value == "IntelCore") type = 1;
    if (name == "FrequencyMaxMHz") frequency = number(value, "FrequencyMaxMHz");
    if (name == "FrequencyBaseMHz" && frequency == 0) frequency = number(value, "FrequencyBaseMHz");
  }
  if (!type && frequency == 0) return std::nullopt;
  return std::tuple{std::uint64_t{0}, type.value_or(0), frequency};
}

/// As hwloc does: if one kind cannot be ranked, or two rank alike, none is ranked; a single kind has rank 0.
void collect_kinds(xml_element const& root, topology_reading& read) {
  std::vector<xml_element const*> kinds;
  for (xml_element const& child : root.children) {
    if (child.name == "cpukind") kinds.push_back(&child);
  }
  auto const rank = [](xml_element const* kind) { return rank_of(*kind); };
  std::ranges::sort(kinds, {}, rank);
  if (kinds.size() > 1) {
    bool const all_ranked = rank(kinds.front()).has_value();
    if (!all_ranked || std::ranges::adjacent_find(kinds, {}, rank) != kinds.end()) return;
  }
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    cpu_mask const members = set_of(*kinds[i], "cpuset");
    for (topology_pu& pu : read.pus) {
      if (members.contains(pu.os_index)) pu.efficiency = static_cast<int>(i);
    }
  }
}

void collect(xml_element const& root, topology_reading& read) {
  if (root.name != "topology") throw wrong("the root element is <" + std::string{root.name} + ">, not <topology>");
  if (!root.attribute("version").starts_with("2.")) {
    throw wrong("it was not written by hwloc 2; `lstopo -i OLD.xml NEW.xml` of hwloc 2 converts it");
  }
  auto const machine = std::ranges::find_if(
      root.children, [](xml_element const& c) { return c.name == "object" && c.attribute("type") == "Machine"; });
  if (machine == root.children.end()) throw wrong("it has no Machine object");
  std::optional<cpu_mask> allowed;
  if (machine->has("allowed_cpuset")) allowed = set_of(*machine, "allowed_cpuset");
  collect_pus(*machine, allowed, read);
  if (read.pus.empty()) throw wrong("it has no PU that may be used");
  if (read.pus.size() > max_workers) throw wrong("it has more than " + std::to_string(max_workers) + " PUs");
  std::unordered_set<std::uint32_t> seen;
  for (topology_pu const& pu : read.pus) {
    if (!seen.insert(pu.os_index).second) throw wrong("PU " + std::to_string(pu.os_index) + " is there twice");
  }
  range_finder finder{read};
  collect_elements(*machine, finder);
  collect_latencies(root, read);
  collect_kinds(root, read);
}

}  // namespace

topology topology::from_xml(std::string const& path) {
  file_text const file = read_file(path, longest_file_bytes);
  if (file.wrong == std::errc::file_too_large)
    throw usage_error("cannot read topology file " + path + ": it is larger than 256 MiB");
  if (file.wrong) throw usage_error("cannot read topology file " + path + ": " + file.wrong.message());
  topology_reading read;
  read.source = path;
  try {
    collect(scan_xml(file.text), read);
  } catch (xml_error const& e) {
    throw usage_error("topology file " + path + " is not the XML that hwloc writes: " + e.what());
  } catch (wrong const& e) {
    throw usage_error("topology file " + path + ": " + e.what());
  }
  return topology{read};
}

}}}  // namespace skua::v0::runtime
