// SPDX-License-Identifier: MIT
#include "skua/parts/topology/hwloc_twin_test.hpp"

#include <hwloc.h>
#include <hwloc/distances.h>
#include <hwloc/export.h>

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
