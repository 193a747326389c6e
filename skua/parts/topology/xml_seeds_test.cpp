// SPDX-License-Identifier: MIT
#include "skua/parts/topology/xml_seeds_test.hpp"

#include <hwloc.h>
#include <hwloc/cpukinds.h>
#include <hwloc/distances.h>
#include <hwloc/export.h>
#include <hwloc/memattrs.h>

#include <cstring>
#include <fstream>
#include <memory>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <utility>
#include <vector>

namespace skua { inline namespace v0 { namespace runtime { namespace testing {
namespace {

struct destroy_machine {
  void operator()(hwloc_topology* t) const noexcept { hwloc_topology_destroy(t); }
};
using machine_handle = std::unique_ptr<hwloc_topology, destroy_machine>;

struct free_set {
  void operator()(hwloc_bitmap_s* s) const noexcept { hwloc_bitmap_free(s); }
};
using set_handle = std::unique_ptr<hwloc_bitmap_s, free_set>;

void require(bool good, char const* what) {
  if (!good) throw std::runtime_error(std::string{"hwloc refused: "} + what);
}

/// Distinct numbers in any order, sparse enough that some words of masks are zero.
std::string scattered(dice& d, std::uint32_t count) {
  std::vector<std::uint32_t> all(std::size_t{count} + d.below(2'000));
  std::iota(all.begin(), all.end(), 0U);
  std::string text;
  for (std::uint32_t i = 0; i < count; ++i) {
    std::swap(all[i], all[i + d.below(static_cast<std::uint32_t>(all.size()) - i)]);
    text += (i == 0 ? "" : ",") + std::to_string(all[i]);
  }
  return text;
}

/// A text for hwloc_topology_set_synthetic.
std::string random_description(dice& d) {
  std::string text;
  std::uint32_t pus = 1;
  bool has_memory = false;
  for (char const* const word : {"pack", "l3", "l2", "core", "pu"}) {
    std::uint32_t const most = std::min(1'024 / pus, d.below(4) == 0 ? 64U : 6U);
    std::uint32_t const count = 1 + d.below(most);
    bool const is_pu = std::strcmp(word, "pu") == 0;
    if (!is_pu && d.below(3) == 0) continue;
    pus *= count;
    text += (text.empty() ? "" : " ") + std::string{word} + ":" + std::to_string(count);
    if (is_pu && d.below(3) == 0) text += "(indexes=" + scattered(d, pus) + ")";
    // At most one memory for 16 PUs, or hwloc takes long for distances and attributes.
    for (std::uint32_t n = d.below(3); !is_pu && n > 0 && (pus <= 64 || !has_memory); --n) {
      text += " [numa]";
      has_memory = true;
    }
  }
  return text;
}

std::vector<hwloc_obj_t> memories_of(hwloc_topology* t) {
  std::vector<hwloc_obj_t> all;
  for (hwloc_obj_t o = nullptr; (o = hwloc_get_next_obj_by_type(t, HWLOC_OBJ_NUMANODE, o)) != nullptr;)
    all.push_back(o);
  return all;
}

void describe_memories(dice& d, hwloc_topology* t) {
  bool const has_attributes = d.below(2) == 0;
  for (hwloc_obj_t const o : memories_of(t)) {
    if (d.below(4) == 0) o->attr->numanode.local_memory = d.below(2) == 0 ? 0 : d.next() >> 20U;
    if (!has_attributes || hwloc_bitmap_iszero(o->cpuset)) continue;
    for (hwloc_memattr_id_t const which : {HWLOC_MEMATTR_ID_BANDWIDTH, HWLOC_MEMATTR_ID_LATENCY}) {
      hwloc_location from{.type = HWLOC_LOCATION_TYPE_CPUSET, .location = {.cpuset = o->cpuset}};
      if (d.below(4) != 0)
        require(hwloc_memattr_set_value(t, which, o, &from, 0, 1 + d.below(100'000)) == 0, "attribute");
    }
  }
}

void add_distances(dice& d, hwloc_topology* t) {
  std::vector<hwloc_obj_t> nodes = memories_of(t);
  if (nodes.size() < 2 || d.below(2) == 0) return;
  std::vector<hwloc_uint64_t> values(nodes.size() * nodes.size());
  for (hwloc_uint64_t& v : values) v = 10 + d.below(90);
  auto* const h = hwloc_distances_add_create(t, "NUMALatency",
                                             HWLOC_DISTANCES_KIND_FROM_OS | HWLOC_DISTANCES_KIND_MEANS_LATENCY, 0);
  require(hwloc_distances_add_values(t, h, static_cast<unsigned>(nodes.size()), nodes.data(), values.data(), 0) == 0,
          "values");
  require(hwloc_distances_add_commit(t, h, 0) == 0, "distances");
}

set_handle random_part(dice& d, hwloc_const_bitmap_t whole) {
  set_handle part{hwloc_bitmap_alloc()};
  std::uint32_t const share = 1 + d.below(8);
  for (int i = hwloc_bitmap_first(whole); i >= 0; i = hwloc_bitmap_next(whole, i)) {
    if (d.below(8) < share) hwloc_bitmap_set(part.get(), static_cast<unsigned>(i));
  }
  return part;
}

void add_core_kinds(dice& d, hwloc_topology* t) {
  if (d.below(3) != 0) return;
  set_handle const fast = random_part(d, hwloc_topology_get_topology_cpuset(t));
  set_handle const slow{hwloc_bitmap_alloc()};
  hwloc_bitmap_andnot(slow.get(), hwloc_topology_get_topology_cpuset(t), fast.get());
  for (auto const& [set, type] : {std::pair{fast.get(), "IntelCore"}, std::pair{slow.get(), "IntelAtom"}}) {
    std::string key = "CoreType";
    std::string value = type;
    hwloc_info_s info{.name = key.data(), .value = value.data()};
    if (!hwloc_bitmap_iszero(set)) require(hwloc_cpukinds_register(t, set, -1, 1, &info, 0) == 0, "core kind");
  }
}

/// False if nothing that may be used would be left.
bool take_parts_away(dice& d, hwloc_topology* t, std::string& what) {
  set_handle const pus = random_part(d, hwloc_topology_get_topology_cpuset(t));
  set_handle const nodes = random_part(d, hwloc_topology_get_topology_nodeset(t));
  switch (d.below(4)) {
    case 0: return true;
    case 1:
      what += ", restricted";
      return hwloc_topology_restrict(t, pus.get(), HWLOC_RESTRICT_FLAG_REMOVE_CPULESS) == 0;
    case 2:
      what += ", with PUs that are not allowed";
      return hwloc_topology_allow(t, pus.get(), nullptr, HWLOC_ALLOW_FLAG_CUSTOM) == 0;
    default:
      what += ", with PUs and nodes that are not allowed";
      return hwloc_topology_allow(t, pus.get(), nodes.get(), HWLOC_ALLOW_FLAG_CUSTOM) == 0;
  }
}

}  // namespace

std::string write_random_machine(dice& d, std::string const& path) {
  std::string what = random_description(d);
  hwloc_topology* raw = nullptr;
  require(hwloc_topology_init(&raw) == 0, "init");
  machine_handle const t{raw};
  require(hwloc_topology_set_synthetic(raw, what.c_str()) == 0, what.c_str());
  hwloc_topology_set_all_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_ALL);
  hwloc_topology_set_flags(raw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  require(hwloc_topology_load(raw) == 0, what.c_str());
  describe_memories(d, raw);
  add_distances(d, raw);
  add_core_kinds(d, raw);
  if (!take_parts_away(d, raw, what)) return {};
  require(hwloc_topology_export_xml(raw, path.c_str(), 0) == 0, "export");
  return what;
}

std::string content_of(std::string const& path) {
  std::ifstream in{path, std::ios::binary};
  std::ostringstream out;
  out << in.rdbuf();
  return std::move(out).str();
}

}}}}  // namespace skua::v0::runtime::testing
