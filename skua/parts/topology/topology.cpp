// SPDX-License-Identifier: MIT
#include "skua/parts/topology/topology.hpp"

#include <algorithm>
#include <array>
#include <tuple>

#include "skua/parts/base/assert.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/topology/reading.hpp"

namespace skua { inline namespace v0 { namespace runtime {

std::string_view level_name(level kind) noexcept {
  constexpr std::array<std::string_view, 7> names{"machine", "package", "numa_node", "l3", "l2", "core", "pu"};
  return names[static_cast<std::size_t>(kind)];
}

std::string element_name(level kind, std::uint32_t os_index) {
  std::string name{level_name(kind)};
  if (os_index != no_index) name += ' ' + std::to_string(os_index);
  return name;
}

range_finder::range_finder(topology_reading& read) : read_(read) {
  for (std::uint32_t i = 0; i < read.pus.size(); ++i) position_.emplace(read.pus[i].os_index, i);
}

void range_finder::add(level kind, std::uint32_t os_index, cpu_mask const& members, std::uint64_t bytes) {
  std::uint32_t first = no_index;
  std::uint32_t last = 0;
  std::uint32_t found = 0;
  for (std::uint32_t const member : members.members()) {
    auto const known = position_.find(member);
    if (known == position_.end()) continue;
    first = std::min(first, known->second);
    last = std::max(last, known->second);
    ++found;
  }
  if (found == 0) return;
  if (last - first + 1 != found) {
    read_.remarks.push_back(element_name(kind, os_index) + " is left out: its PUs are spread between those of others");
    return;
  }
  read_.elements.push_back({.kind = kind, .os_index = os_index, .first = first, .pus = found, .bytes = bytes});
}

cpu_mask range_finder::known_of(cpu_mask const& members) const {
  cpu_mask known;
  for (std::uint32_t const member : members.members()) {
    if (position_.contains(member)) known.insert(member);
  }
  return known;
}

topology topology::named(std::string const& description_or_path) {
  bool const is_path = description_or_path.ends_with(".xml") || description_or_path.find('/') != std::string::npos;
  return is_path ? from_xml(description_or_path) : synthetic(description_or_path);
}

topology::topology(topology_reading const& read)
    : pus_(read.pus), numa_order_(read.numa_order), numa_latency_(read.numa_latency), remarks_(read.remarks),
      source_(read.source), machine_pus_(std::max(read.machine_pus, static_cast<std::uint32_t>(read.pus.size()))),
      this_system_(read.this_system), can_bind_(read.can_bind) {
  if (pus_.empty()) throw resource_error(source_ + ": there is no PU that this process may use");
  expects(numa_latency_.size() == numa_order_.size() * numa_order_.size(), "the latency matrix is square");
  nest(read);
}

namespace {

/// NUMA nodes that are empty. If no node has a size, none is known to be empty.
std::vector<std::uint32_t> nodes_without_memory(std::vector<read_element> const& all) {
  std::vector<std::uint32_t> empty;
  bool sizes_are_known = false;
  for (read_element const& e : all) {
    if (e.kind != level::numa_node) continue;
    sizes_are_known = sizes_are_known || e.bytes > 0;
    if (e.bytes == 0) empty.push_back(e.os_index);
  }
  if (!sizes_are_known) empty.clear();
  return empty;
}

}  // namespace

/// One walk in preorder (first PU, widest, outermost); a stack holds the path from the root to the last node.
void topology::nest(topology_reading const& read) {
  auto const total = static_cast<std::uint32_t>(pus_.size());
  std::vector<read_element> all = read.elements;
  std::erase_if(all, [](read_element const& e) { return e.kind == level::machine || e.kind == level::pu; });
  all.push_back({.kind = level::machine, .os_index = no_index, .first = 0, .pus = total});
  for (std::uint32_t i = 0; i < total; ++i)
    all.push_back({.kind = level::pu, .os_index = pus_[i].os_index, .first = i, .pus = 1});
  std::vector<std::uint32_t> const empty = nodes_without_memory(all);
  auto const is_empty = [&](read_element const& e) {
    return e.kind == level::numa_node && std::ranges::find(empty, e.os_index) != empty.end();
  };
  std::ranges::sort(
      all, {}, [&](read_element const& e) { return std::tuple(e.first, ~e.pus, e.kind, is_empty(e), e.os_index); });
  for (std::uint32_t const os_index : empty)
    remarks_.push_back(element_name(level::numa_node, os_index) + " has no memory");

  std::vector<std::uint32_t> path;
  auto const end_of = [this](std::uint32_t n) { return nodes_[n].first_pu + nodes_[n].pus; };
  auto const leave = [&] {
    nodes_[path.back()].end = static_cast<std::uint32_t>(nodes_.size());
    path.pop_back();
  };
  for (read_element const& e : all) {
    while (!path.empty() && end_of(path.back()) <= e.first) leave();
    if (!path.empty()) {
      topology_node const& above = nodes_[path.back()];
      if (e.first + e.pus > end_of(path.back())) {
        remarks_.push_back(element_name(e.kind, e.os_index) + " is left out: it overlaps " +
                           element_name(above.kind, above.os_index));
        continue;
      }
      // Two memories of the same PUs (DRAM and HBM): the lower index is the default one of the OS, unless it is empty.
      if (above.kind == e.kind && above.first_pu == e.first && above.pus == e.pus) {
        remarks_.push_back(element_name(e.kind, e.os_index) + " has the same PUs as " +
                           element_name(above.kind, above.os_index));
        continue;
      }
    }
    auto const self = static_cast<std::uint32_t>(nodes_.size());
    nodes_.push_back({.kind = e.kind,
                      .os_index = e.os_index,
                      .parent = path.empty() ? no_index : path.back(),
                      .end = self + 1,
                      .depth = static_cast<std::uint32_t>(path.size()),
                      .first_pu = e.first,
                      .pus = e.pus,
                      .bytes = e.bytes});
    if (e.kind == level::pu) pus_[e.first].node = self;
    path.push_back(self);
  }
  while (!path.empty()) leave();
  invariant(std::ranges::all_of(pus_, [](topology_pu const& p) { return p.node != no_index; }), "nested");
}

std::uint32_t topology::count(level kind) const noexcept {
  return static_cast<std::uint32_t>(std::ranges::count(nodes_, kind, &topology_node::kind));
}

std::uint32_t topology::ancestor(std::uint32_t pu, level kind) const noexcept {
  std::uint32_t at = pus_[pu].node;
  while (at != no_index && nodes_[at].kind != kind) at = nodes_[at].parent;
  return at;
}

cpu_mask topology::mask() const {
  cpu_mask all;
  for (topology_pu const& p : pus_) all.insert(p.os_index);
  return all;
}

std::optional<std::uint64_t> topology::numa_latency(std::uint32_t from, std::uint32_t to) const noexcept {
  auto const row = std::ranges::find(numa_order_, from);
  auto const column = std::ranges::find(numa_order_, to);
  if (row == numa_order_.end() || column == numa_order_.end()) return std::nullopt;
  auto const r = static_cast<std::size_t>(row - numa_order_.begin());
  auto const c = static_cast<std::size_t>(column - numa_order_.begin());
  std::size_t const n = numa_order_.size();
  return std::max(numa_latency_[r * n + c], numa_latency_[c * n + r]);
}

}}}  // namespace skua::v0::runtime
