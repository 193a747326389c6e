// SPDX-License-Identifier: MIT
#include "skua/parts/topology/seating.hpp"

#include <algorithm>
#include <compare>
#include <functional>
#include <set>

namespace skua { inline namespace v0 { namespace runtime {
namespace {

using pu_list = std::vector<std::uint32_t>;

/// One worker per core first, and fast cores first: orders PUs by their rank inside their core, then by speed, then by position.
pu_list compact(topology const& machine, pu_list const& usable) {
  struct candidate {
    std::uint32_t rank;
    double slowness;
    std::uint32_t order, pu;
    auto operator<=>(candidate const&) const = default;
  };
  std::vector<candidate> ranked;
  pu_list taken(machine.nodes().size(), 0);
  for (std::uint32_t const pu : usable) {
    std::uint32_t const core = machine.ancestor(pu, level::core);
    ranked.push_back({.rank = core == no_index ? 0 : taken[core]++,
                      .slowness = -machine.pus()[pu].speed,
                      .order = static_cast<std::uint32_t>(ranked.size()),
                      .pu = pu});
  }
  std::ranges::sort(ranked);
  pu_list result;
  for (candidate const& c : ranked) result.push_back(c.pu);
  return result;
}

/// Merges the lists of the children, one element of each in turn.
pu_list interleaved(std::vector<pu_list> const& lists) {
  pu_list result;
  std::size_t longest = 0;
  for (pu_list const& l : lists) longest = std::max(longest, l.size());
  for (std::size_t i = 0; i < longest; ++i) {
    for (pu_list const& l : lists) {
      if (i < l.size()) result.push_back(l[i]);
    }
  }
  return result;
}

pu_list scatter_below(topology const& machine, std::uint32_t node, std::vector<bool> const& usable) {
  topology_node const& self = machine.nodes()[node];
  if (self.kind == level::pu) return usable[self.first_pu] ? pu_list{self.first_pu} : pu_list{};
  std::vector<pu_list> lists;
  for (std::uint32_t child = node + 1; child < self.end; child = machine.nodes()[child].end) {
    lists.push_back(scatter_below(machine, child, usable));
  }
  return interleaved(lists);
}

}  // namespace

std::vector<std::uint32_t> binding_order(topology const& machine, std::vector<std::uint32_t> const& usable,
                                         spread order) {
  if (order == spread::compact) return compact(machine, usable);
  std::set<double, std::greater<>> speeds;
  for (std::uint32_t const pu : usable) speeds.insert(machine.pus()[pu].speed);
  pu_list all;
  for (double const speed : speeds) {  // fast cores first, of which there may be some in each package
    std::vector<bool> marked(machine.pus().size());
    for (std::uint32_t const pu : usable) marked[pu] = machine.pus()[pu].speed == speed;
    pu_list const next = scatter_below(machine, 0, marked);
    all.insert(all.end(), next.begin(), next.end());
  }
  return all;
}

}}}  // namespace skua::v0::runtime
