// SPDX-License-Identifier: MIT
#include "skua/parts/topology/place_sets.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "skua/parts/base/error.hpp"
#include "skua/parts/topology/places.hpp"

namespace skua { inline namespace v0 { namespace runtime {
namespace {

std::uint32_t cores_of(topology const& machine, topology_node const& node) {
  std::uint32_t cores = 0;
  for (std::uint32_t pu = node.first_pu; pu < node.first_pu + node.pus;) {
    // A PU without a core object counts as a core.
    std::uint32_t const core = machine.ancestor(pu, level::core);
    pu += core == no_index ? 1 : machine.nodes()[core].pus;
    ++cores;
  }
  return cores;
}

/// The node that is this PU's default place: the first on the way up that qualifies.
std::uint32_t default_place_of(topology const& machine, std::uint32_t pu, std::vector<std::uint32_t> const& cores) {
  bool const has_l3 = machine.ancestor(pu, level::l3) != no_index;
  std::uint32_t at = machine.pus()[pu].node;
  for (;; at = machine.nodes()[at].parent) {
    bool const shared = cores[at] > 1;
    switch (machine.nodes()[at].kind) {
      case level::pu:
      case level::core: break;
      case level::l2:
        if (shared && !has_l3) return at;
        break;
      case level::l3:
      case level::package:
        if (shared) return at;
        break;
      case level::numa_node:
      case level::machine: return at;
    }
  }
}

/// Groups PUs by the node that `node_of` returns; places in the order of their first PU.
template <class NodeOf>
std::vector<place_set> grouped(topology const& machine, NodeOf node_of) {
  std::vector<place_set> places;
  std::unordered_map<std::uint32_t, std::size_t> place_at;
  for (std::uint32_t pu = 0; pu < machine.pus().size(); ++pu) {
    std::uint32_t const node = node_of(pu);
    auto const [at, is_new] = place_at.try_emplace(node, places.size());
    if (is_new) places.push_back({.kind = level_name(machine.nodes()[node].kind)});
    places[at->second].pus.push_back(pu);
  }
  return places;
}

/// The innermost node of these kinds that holds the PU; the machine if none does.
std::uint32_t innermost(topology const& machine, std::uint32_t pu, std::initializer_list<level> kinds) {
  for (level const kind : kinds) {
    if (std::uint32_t const node = machine.ancestor(pu, kind); node != no_index) return node;
  }
  return 0;
}

std::vector<place_set> places_of_word(topology const& machine, abstract_places const& asked) {
  auto const node_of = [&](std::uint32_t pu) -> std::uint32_t {
    switch (asked.word) {
      case place_word::threads: return machine.pus()[pu].node;
      case place_word::cores: return innermost(machine, pu, {level::core, level::pu});
      case place_word::ll_caches: return innermost(machine, pu, {level::l3, level::l2, level::core, level::pu});
      case place_word::numa_domains: return innermost(machine, pu, {level::numa_node});
      case place_word::sockets: return innermost(machine, pu, {level::package});
    }
    return 0;
  };
  std::vector<place_set> places = grouped(machine, node_of);
  if (asked.count && *asked.count < places.size()) places.resize(*asked.count);
  return places;
}

}  // namespace

std::vector<place_set> default_places(topology const& machine) {
  std::vector<std::uint32_t> cores;
  for (topology_node const& node : machine.nodes()) cores.push_back(cores_of(machine, node));
  return grouped(machine, [&](std::uint32_t pu) { return default_place_of(machine, pu, cores); });
}

std::vector<place_set> places_from(topology const& machine, std::string_view name, std::string_view text) {
  places_spec const spec = read_places(name, text);
  if (auto const* asked = std::get_if<abstract_places>(&spec)) return places_of_word(machine, *asked);

  auto const refuse = [&](std::uint32_t pu, std::string const& why) {
    throw usage_error(std::string{name} + " is '" + std::string{text} + "': PU " + std::to_string(pu) + " " + why);
  };
  std::unordered_map<std::uint32_t, std::uint32_t> free;
  for (std::uint32_t i = 0; i < machine.pus().size(); ++i) free.emplace(machine.pus()[i].os_index, i);
  cpu_mask const usable = machine.mask();
  std::vector<place_set> places;
  for (std::vector<std::uint32_t> const& wanted : std::get<explicit_places>(spec).places) {
    place_set& place = places.emplace_back(place_set{.kind = "given"});
    for (std::uint32_t const os_index : wanted) {
      auto const found = free.extract(os_index);
      if (found) {
        place.pus.push_back(found.mapped());
      } else {
        refuse(os_index, usable.contains(os_index)
                             ? "is in two places; allowed: one"
                             : "does not exist or may not be used here; allowed: " + to_text(usable));
      }
    }
  }
  return places;
}

}}}  // namespace skua::v0::runtime
