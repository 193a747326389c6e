// SPDX-License-Identifier: MIT
// Reads this machine through hwloc. Filters out I/O devices, instruction caches, L1 and the like before the read, and
// destroys the hwloc topology as soon as it has been copied: both keep the footprint small.
#include <hwloc.h>
#include <hwloc/cpukinds.h>
#include <hwloc/memattrs.h>
#include <algorithm>
#include <cerrno>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>

#include "skua/parts/base/error.hpp"
#include "skua/parts/base/fork_handlers.hpp"
#include "skua/parts/topology/affinity.hpp"
#include "skua/parts/topology/core_kinds.hpp"
#include "skua/parts/topology/machine_details.hpp"
#include "skua/parts/topology/reading.hpp"
#include "skua/parts/topology/topology.hpp"

namespace skua { inline namespace v0 { namespace runtime {
namespace {

struct destroy {
  void operator()(hwloc_topology* t) const noexcept { hwloc_topology_destroy(t); }
};
using hwloc_handle = std::unique_ptr<hwloc_topology, destroy>;

/// Around all use of hwloc, which has a lock of its own: fork() waits for its end, because a child would find that lock taken for ever.
class hwloc_use {
 public:
  hwloc_use() { lock().lock(); }
  ~hwloc_use() { lock().unlock(); }
  hwloc_use(hwloc_use const&) = delete;
  hwloc_use& operator=(hwloc_use const&) = delete;

  static void before_fork() noexcept { lock().lock(); }
  static void after_fork() noexcept { lock().unlock(); }

 private:
  static std::mutex& lock() noexcept {  // process-wide, because fork() is
    static constinit std::mutex the_only;
    return the_only;
  }
};
[[gnu::init_priority(before_static_objects)]] fork_handlers const hwloc_over_fork{
    &hwloc_use::before_fork, &hwloc_use::after_fork, &hwloc_use::after_fork};

[[noreturn]] void refuse(char const* what) {
  throw resource_error(std::string{"hwloc cannot "} + what + ": " + std::generic_category().message(errno) +
                       "; give a topology by hand (synthetic or XML)");
}

hwloc_handle load() {
  hwloc_topology* raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) refuse("start");
  hwloc_handle machine{raw};
  hwloc_topology_set_all_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_NONE);
  for (hwloc_obj_type_t const kept : {HWLOC_OBJ_PACKAGE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_CORE}) {
    hwloc_topology_set_type_filter(raw, kept, HWLOC_TYPE_FILTER_KEEP_ALL);
  }
  // hwloc puts a NUMA node that matches no kept element into a group; without groups it would widen the node.
  hwloc_topology_set_type_filter(raw, HWLOC_OBJ_GROUP, HWLOC_TYPE_FILTER_KEEP_STRUCTURE);
  // Without this flag hwloc may move the calling thread from PU to PU to ask each for its cpuid.
  hwloc_topology_set_flags(raw, HWLOC_TOPOLOGY_FLAG_DONT_CHANGE_BINDING);
  if (hwloc_topology_load(raw) != 0) refuse("read this machine");
  return machine;
}

cpu_mask to_mask(hwloc_const_bitmap_t set) {
  cpu_mask result;
  for (int i = hwloc_bitmap_first(set); i >= 0; i = hwloc_bitmap_next(set, i))
    result.insert(static_cast<std::uint32_t>(i));
  return result;
}

int efficiency_of(hwloc_topology* machine, hwloc_obj_t pu) {
  int const kind = hwloc_cpukinds_get_by_cpuset(machine, pu->cpuset, 0);
  int efficiency = -1;
  if (kind >= 0)
    hwloc_cpukinds_get_info(machine, static_cast<unsigned>(kind), nullptr, &efficiency, nullptr, nullptr, 0);
  return efficiency;
}

/// The latencies between NUMA nodes (SLIT) as the kernel or the firmware reports them, if there are any.
void read_latencies(hwloc_topology* machine, topology_reading& read) {
  unsigned count = 1;
  hwloc_distances_s* found = nullptr;
  if (hwloc_distances_get_by_type(machine, HWLOC_OBJ_NUMANODE, &count, &found, HWLOC_DISTANCES_KIND_MEANS_LATENCY, 0) !=
          0 ||
      count == 0) {
    return;
  }
  for (unsigned i = 0; i < found->nbobjs; ++i) read.numa_order.push_back(found->objs[i]->os_index);
  std::size_t const cells = std::size_t{found->nbobjs} * found->nbobjs;
  read.numa_latency.assign(found->values, found->values + cells);
  hwloc_distances_release(machine, found);
}

void read_elements(hwloc_topology* machine, topology_reading& read) {
  range_finder finder{read};
  for (auto const& [type, kind] :
       {std::pair{HWLOC_OBJ_PACKAGE, level::package}, std::pair{HWLOC_OBJ_NUMANODE, level::numa_node},
        std::pair{HWLOC_OBJ_L3CACHE, level::l3}, std::pair{HWLOC_OBJ_L2CACHE, level::l2},
        std::pair{HWLOC_OBJ_CORE, level::core}}) {
    for (hwloc_obj_t o = nullptr; (o = hwloc_get_next_obj_by_type(machine, type, o)) != nullptr;) {
      std::uint64_t bytes = 0;
      if (kind == level::l2 || kind == level::l3) bytes = o->attr->cache.size;
      if (kind == level::numa_node) bytes = o->attr->numanode.local_memory;
      finder.add(kind, o->os_index, to_mask(o->cpuset), bytes);
    }
  }
}

/// For a machine where hwloc sees no PU that the kernel lets us use (emulated /sys, exotic containers): trusts the kernel.
void believe_mask(cpu_mask const& allowed, topology_reading& read) {
  read.remarks.push_back("hwloc and the affinity mask (" + to_text(allowed) +
                         ") have no PU in common: taken as unrelated cores");
  for (std::uint32_t const os_index : allowed.members()) {
    read.elements.push_back({.kind = level::core, .first = static_cast<std::uint32_t>(read.pus.size()), .pus = 1});
    read.pus.push_back({.os_index = os_index});
  }
}

/// A value of memory from where it is best, if the firmware or a driver gave one.
std::optional<std::uint64_t> best_value(hwloc_topology* machine, hwloc_memattr_id_t which, hwloc_obj_t node) {
  hwloc_location from{};
  hwloc_uint64_t value = 0;
  if (hwloc_memattr_get_best_initiator(machine, which, node, 0, &from, &value) != 0) return {};
  return value;
}

cpu_mask common(cpu_mask const& a, cpu_mask const& b) {
  cpu_mask both;
  for (std::uint32_t const member : a.members()) {
    if (b.contains(member)) both.insert(member);
  }
  return both;
}

std::vector<core_kind_details> core_kinds_among(hwloc_topology* machine, cpu_mask const& usable) {
  std::vector<core_kind_details> all;
  int const kinds = hwloc_cpukinds_get_nr(machine, 0);
  hwloc_bitmap_t const set = hwloc_bitmap_alloc();
  for (int i = 0; i < kinds; ++i) {
    core_kind_details one;
    unsigned facts = 0;
    hwloc_info_s* fact = nullptr;
    if (hwloc_cpukinds_get_info(machine, static_cast<unsigned>(i), set, &one.efficiency, &facts, &fact, 0) != 0)
      continue;
    one.pus = common(to_mask(set), usable);
    for (unsigned f = 0; f < facts; ++f) one.facts.emplace_back(fact[f].name, fact[f].value);
    if (!one.pus.empty()) all.push_back(std::move(one));
  }
  hwloc_bitmap_free(set);
  return all;
}

machine_details details_of(hwloc_topology* machine, cpu_mask const& usable) {
  machine_details all;
  for (hwloc_obj_t o = nullptr; (o = hwloc_get_next_obj_by_type(machine, HWLOC_OBJ_NUMANODE, o)) != nullptr;) {
    all.memories.push_back({.os_index = o->os_index,
                            .kind = o->subtype == nullptr ? "" : o->subtype,
                            .bytes = o->attr->numanode.local_memory,
                            .near = common(to_mask(o->cpuset), usable),
                            .bandwidth_mib_per_s = best_value(machine, HWLOC_MEMATTR_ID_BANDWIDTH, o),
                            .latency_ns = best_value(machine, HWLOC_MEMATTR_ID_LATENCY, o)});
  }
  std::ranges::sort(all.memories, {}, &memory_details::os_index);
  all.core_kinds = core_kinds_among(machine, usable);
  topology_reading read;
  read_latencies(machine, read);
  if (!read.numa_order.empty())
    all.distances.push_back(
        {.name = "NUMALatency", .is_latency = true, .nodes = read.numa_order, .values = read.numa_latency});
  return all;
}

topology_reading read_with(hwloc_handle const& handle, cpu_mask const& allowed) {
  topology_reading read;
  // False if HWLOC_XMLFILE or HWLOC_SYNTHETIC substitute another machine; our mask means nothing there.
  read.this_system = hwloc_topology_is_thissystem(handle.get()) != 0;
  read.can_bind = hwloc_topology_get_support(handle.get())->cpubind->set_thisthread_cpubind != 0;
  read.source = read.this_system ? "this machine" : "hwloc's environment variables";
  read.machine_pus = static_cast<std::uint32_t>(hwloc_bitmap_weight(hwloc_topology_get_complete_cpuset(handle.get())));
  bool const restricted = read.this_system && !allowed.empty();
  for (hwloc_obj_t o = nullptr; (o = hwloc_get_next_obj_by_type(handle.get(), HWLOC_OBJ_PU, o)) != nullptr;) {
    if (restricted && !allowed.contains(o->os_index)) continue;
    read.pus.push_back({.os_index = o->os_index, .efficiency = efficiency_of(handle.get(), o)});
  }
  if (read.pus.empty() && restricted) {
    believe_mask(allowed, read);
  } else {
    read_elements(handle.get(), read);
    read_latencies(handle.get(), read);
    cpu_mask usable;
    for (topology_pu const& pu : read.pus) usable.insert(pu.os_index);
    set_speeds(core_kinds_among(handle.get(), usable), read);
  }
  return read;
}

}  // namespace

topology topology::machine() { return machine(affinity_of_this_thread()); }

topology topology::machine(cpu_mask const& allowed) {
  hwloc_use const alone;
  return topology{read_with(load(), allowed)};
}

described_machine read_this_machine() {
  hwloc_use const alone;
  hwloc_handle const handle = load();
  described_machine all{topology{read_with(handle, affinity_of_this_thread())}, {}};
  all.details = details_of(handle.get(), all.tree.mask());
  return all;
}

}}}  // namespace skua::v0::runtime
