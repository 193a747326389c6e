// SPDX-License-Identifier: MIT
#include "skua/parts/topology/hwloc_twin_test.hpp"

#include <hwloc.h>
#include <hwloc/distances.h>
#include <hwloc/export.h>
#include <hwloc/memattrs.h>

#include <algorithm>
#include <stdexcept>

namespace skua { inline namespace v0 { namespace runtime { namespace testing {
namespace {

hwloc_topology_t of(void* handle) { return static_cast<hwloc_topology_t>(handle); }

void check(bool good, char const* what) {
  if (!good) throw std::runtime_error(std::string{"hwloc refused: "} + what);
}

template <class Source>
void* loaded(Source set_source) {
  hwloc_topology_t t = nullptr;
  check(hwloc_topology_init(&t) == 0, "init");
  check(set_source(t) == 0, "source");
  hwloc_topology_set_all_types_filter(t, HWLOC_TYPE_FILTER_KEEP_NONE);
  for (hwloc_obj_type_t const kept : {HWLOC_OBJ_PACKAGE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_CORE}) {
    hwloc_topology_set_type_filter(t, kept, HWLOC_TYPE_FILTER_KEEP_ALL);
  }
  hwloc_topology_set_type_filter(t, HWLOC_OBJ_GROUP, HWLOC_TYPE_FILTER_KEEP_STRUCTURE);
  check(hwloc_topology_load(t) == 0, "load");
  return t;
}

std::vector<std::uint32_t> members(hwloc_const_bitmap_t set) {
  std::vector<std::uint32_t> all;
  for (int i = hwloc_bitmap_first(set); i >= 0; i = hwloc_bitmap_next(set, i))
    all.push_back(static_cast<std::uint32_t>(i));
  return all;
}

}  // namespace

std::multiset<flat_node> flattened(topology const& machine) {
  std::multiset<flat_node> all;
  for (topology_node const& n : machine.nodes()) {
    if (n.kind == level::machine) continue;
    cpu_mask below;
    for (std::uint32_t pu = n.first_pu; pu < n.first_pu + n.pus; ++pu) below.insert(machine.pus()[pu].os_index);
    all.emplace(n.kind, n.os_index, below.members());
  }
  return all;
}

hwloc_twin hwloc_twin::machine() {
  return hwloc_twin{loaded([](hwloc_topology_t) { return 0; })};
}

hwloc_twin hwloc_twin::synthetic(std::string const& description, extras const& more) {
  void* const handle = loaded([&](hwloc_topology_t t) { return hwloc_topology_set_synthetic(t, description.c_str()); });
  hwloc_topology_t const t = of(handle);
  if (!more.numa_latency.empty()) {
    std::vector<hwloc_obj_t> nodes;
    for (hwloc_obj_t o = nullptr; (o = hwloc_get_next_obj_by_type(t, HWLOC_OBJ_NUMANODE, o)) != nullptr;)
      nodes.push_back(o);
    std::vector<hwloc_uint64_t> values(more.numa_latency.begin(), more.numa_latency.end());
    check(values.size() == nodes.size() * nodes.size(), "size of the latency matrix");
    auto* const h = hwloc_distances_add_create(t, "NUMALatency",
                                               HWLOC_DISTANCES_KIND_FROM_OS | HWLOC_DISTANCES_KIND_MEANS_LATENCY, 0);
    check(hwloc_distances_add_values(t, h, static_cast<unsigned>(nodes.size()), nodes.data(), values.data(), 0) == 0,
          "values");
    check(hwloc_distances_add_commit(t, h, 0) == 0, "distances");
  }
  for (auto const& [first, last, type] : more.core_types) {
    hwloc_bitmap_t const set = hwloc_bitmap_alloc();
    hwloc_bitmap_set_range(set, first, static_cast<int>(last));
    std::string key = "CoreType";
    std::string value = type;
    hwloc_info_s info{.name = key.data(), .value = value.data()};
    int const refused = hwloc_cpukinds_register(t, set, -1, 1, &info, 0);
    hwloc_bitmap_free(set);
    check(refused == 0, "core kind");
  }
  return hwloc_twin{handle};
}

hwloc_twin hwloc_twin::xml(std::string const& path) {
  return hwloc_twin{loaded([&](hwloc_topology_t t) { return hwloc_topology_set_xml(t, path.c_str()); })};
}

hwloc_twin::~hwloc_twin() { hwloc_topology_destroy(of(handle_)); }

void hwloc_twin::export_xml(std::string const& path) const {
  check(hwloc_topology_export_xml(of(handle_), path.c_str(), 0) == 0, "export");
}

std::multiset<flat_node> hwloc_twin::flattened() const {
  std::multiset<flat_node> all;
  for (auto const& [type, kind] :
       {std::pair{HWLOC_OBJ_PACKAGE, level::package}, std::pair{HWLOC_OBJ_NUMANODE, level::numa_node},
        std::pair{HWLOC_OBJ_L3CACHE, level::l3}, std::pair{HWLOC_OBJ_L2CACHE, level::l2},
        std::pair{HWLOC_OBJ_CORE, level::core}, std::pair{HWLOC_OBJ_PU, level::pu}}) {
    for (hwloc_obj_t o = nullptr; (o = hwloc_get_next_obj_by_type(of(handle_), type, o)) != nullptr;) {
      all.emplace(kind, o->os_index, members(o->cpuset));
    }
  }
  return all;
}

std::string in_words(memory_details const& m) {
  auto const or_none = [](std::optional<std::uint64_t> v) { return v ? std::to_string(*v) : "none"; };
  return std::to_string(m.os_index) + " " + m.kind + " " + std::to_string(m.bytes) + " " + to_text(m.near) + " " +
         or_none(m.bandwidth_mib_per_s) + " " + or_none(m.latency_ns);
}

std::vector<std::string> in_words(std::vector<memory_details> const& all) {
  std::vector<std::string> words;
  for (memory_details const& m : all) words.push_back(in_words(m));
  return words;
}

latency_map latencies(topology const& machine) {
  latency_map all;
  for (topology_node const& a : machine.nodes()) {
    for (topology_node const& b : machine.nodes()) {
      if (a.kind != level::numa_node || b.kind != level::numa_node) continue;
      if (auto const l = machine.numa_latency(a.os_index, b.os_index)) all[{a.os_index, b.os_index}] = *l;
    }
  }
  return all;
}

std::multiset<flat_node> hwloc_twin::flattened_once() const {
  std::multiset<flat_node> all = flattened();
  std::erase_if(all, [](flat_node const& n) { return std::get<2>(n).empty(); });
  std::vector<memory_details> const nodes = memories();
  bool const sizes_are_known =
      std::ranges::any_of(nodes, [](memory_details const& m) { return m.bytes > 0 && !m.near.empty(); });
  auto const rank = [&](memory_details const& m) { return std::pair(sizes_are_known && m.bytes == 0, m.os_index); };
  for (memory_details const& m : nodes) {
    bool const comes_after_another = std::ranges::any_of(
        nodes, [&](memory_details const& other) { return other.near == m.near && rank(other) < rank(m); });
    if (comes_after_another) all.erase({level::numa_node, m.os_index, m.near.members()});
  }
  return all;
}

std::vector<memory_details> hwloc_twin::memories() const {
  std::vector<memory_details> all;
  for (hwloc_obj_t o = nullptr; (o = hwloc_get_next_obj_by_type(of(handle_), HWLOC_OBJ_NUMANODE, o)) != nullptr;) {
    memory_details& m = all.emplace_back();
    m.os_index = o->os_index;
    m.kind = o->subtype == nullptr ? "" : o->subtype;
    m.bytes = o->attr->numanode.local_memory;
    for (std::uint32_t const pu : members(o->cpuset)) m.near.insert(pu);
    hwloc_uint64_t value = 0;
    hwloc_location from{};
    if (hwloc_memattr_get_best_initiator(of(handle_), HWLOC_MEMATTR_ID_BANDWIDTH, o, 0, &from, &value) == 0)
      m.bandwidth_mib_per_s = value;
    if (hwloc_memattr_get_best_initiator(of(handle_), HWLOC_MEMATTR_ID_LATENCY, o, 0, &from, &value) == 0)
      m.latency_ns = value;
  }
  std::ranges::sort(all, {}, &memory_details::os_index);
  return all;
}

latency_map hwloc_twin::latencies() const {
  latency_map all;
  unsigned count = 1;
  hwloc_distances_s* found = nullptr;
  hwloc_distances_get_by_type(of(handle_), HWLOC_OBJ_NUMANODE, &count, &found, HWLOC_DISTANCES_KIND_MEANS_LATENCY, 0);
  if (count == 0) return all;
  std::multiset<flat_node> const shown = flattened_once();
  auto const is_shown = [&](hwloc_obj_t o) {
    return shown.contains({level::numa_node, o->os_index, members(o->cpuset)});
  };
  for (unsigned a = 0; a < found->nbobjs; ++a) {
    for (unsigned b = 0; b < found->nbobjs; ++b) {
      if (!is_shown(found->objs[a]) || !is_shown(found->objs[b])) continue;
      all[{found->objs[a]->os_index, found->objs[b]->os_index}] =
          std::max(found->values[a * found->nbobjs + b], found->values[b * found->nbobjs + a]);
    }
  }
  hwloc_distances_release(of(handle_), found);
  return all;
}

std::vector<int> hwloc_twin::efficiencies() const {
  std::vector<int> all;
  for (hwloc_obj_t o = nullptr; (o = hwloc_get_next_obj_by_type(of(handle_), HWLOC_OBJ_PU, o)) != nullptr;) {
    int efficiency = -1;
    int const kind = hwloc_cpukinds_get_by_cpuset(of(handle_), o->cpuset, 0);
    if (kind >= 0)
      hwloc_cpukinds_get_info(of(handle_), static_cast<unsigned>(kind), nullptr, &efficiency, nullptr, nullptr, 0);
    all.push_back(efficiency);
  }
  return all;
}

}}}}  // namespace skua::v0::runtime::testing
