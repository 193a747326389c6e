// SPDX-License-Identifier: MIT
#include "skua/machine/sim/model/assumed_prices.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "skua/machine/sim/model/model_file.hpp"
#include "skua/machine/sim/model/model_rules.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/base/printable.hpp"
#include "skua/parts/topology/core_kinds.hpp"

namespace skua { inline namespace v0 { namespace sim {
namespace {

using runtime::level;

/// What two machines are compared by; 0: not known.
struct outline {
  double nodes = 0;
  double sharers = 0;  ///< PUs over an L3 cache
  double l3_bytes = 0;
  double l2_bytes = 0;
  double pus = 0;  ///< tells machines of the same places apart
};

runtime::topology_node const* first_of(topology const& tree, level kind) {
  auto const at = std::ranges::find(tree.nodes(), kind, &runtime::topology_node::kind);
  return at == tree.nodes().end() ? nullptr : &*at;
}

double figure_of(machine_model const& m, std::string_view key) {
  auto const at = std::ranges::find(m.figures(), key, &figure::key);
  return at == m.figures().end() ? 0 : at->value;
}

/// An L2 cache over several cores serves each with its share.
std::uint64_t private_bytes(topology const& tree) {
  auto const* const l2 = first_of(tree, level::l2);
  auto const* const core = first_of(tree, level::core);
  if (l2 == nullptr || core == nullptr || core->pus == 0) return 0;
  return l2->bytes / std::max<std::uint32_t>(1, l2->pus / core->pus);
}

outline outline_of(topology const& tree) {
  auto const* const l3 = first_of(tree, level::l3);
  return {.nodes = static_cast<double>(tree.count(level::numa_node)),
          .sharers = l3 == nullptr ? 0.0 : static_cast<double>(l3->pus),
          .l3_bytes = l3 == nullptr ? 0.0 : static_cast<double>(l3->bytes),
          .l2_bytes = static_cast<double>(private_bytes(tree)),
          .pus = static_cast<double>(tree.pus().size())};
}

outline outline_of(machine_model const& m) {
  outline o = outline_of(m.tree());
  o.l3_bytes = figure_of(m, "shared_cache.bytes");
  o.l2_bytes = figure_of(m, "private_cache.bytes");
  return o;
}

double doublings(double a, double b) { return a > 0 && b > 0 ? std::abs(std::log2(a / b)) : 0; }

/// Ordered; the number of PUs counts between machines that are otherwise equally unlike.
using unlikeness = std::pair<double, double>;

unlikeness unlikeness_of(outline const& a, outline const& b) {
  return {doublings(a.nodes, b.nodes) + doublings(a.sharers, b.sharers) + doublings(a.l3_bytes, b.l3_bytes) +
              doublings(a.l2_bytes, b.l2_bytes),
          doublings(a.pus, b.pus)};
}

std::vector<machine_model> const& shipped_models() {
  static std::vector<machine_model> const all = [] {
    std::vector<machine_model> made;
    for (std::string_view const name : machine_model::shipped()) made.push_back(machine_model::load(name));
    return made;
  }();
  return all;
}

/// Row by row in the order of the tree; empty if the machine does not say.
std::vector<std::uint64_t> distances_of(topology const& tree) {
  std::vector<std::uint32_t> nodes;
  for (auto const& n : tree.nodes()) {
    if (n.kind == level::numa_node) nodes.push_back(n.os_index);
  }
  std::vector<std::uint64_t> all;
  for (std::uint32_t const a : nodes) {
    for (std::uint32_t const b : nodes) {
      auto const latency = tree.numa_latency(a, b);
      if (!latency) return {};
      all.push_back(*latency);
    }
  }
  return all;
}

std::size_t classes_of(std::span<std::uint64_t const> distances, std::size_t nodes) {
  std::vector<std::uint64_t> seen;
  for (std::size_t a = 0; a < nodes; ++a) {
    for (std::size_t b = 0; b < a; ++b)
      seen.push_back(distances.empty() ? 1 : std::max(distances[a * nodes + b], distances[b * nodes + a]));
  }
  std::ranges::sort(seen);
  return static_cast<std::size_t>(std::ranges::unique(seen).begin() - seen.begin());
}

figure assumed_from(machine_model const& other, figure f) {
  bool const is_share = f.key == "core.hidden_share";
  if (!f.assumed && f.low == f.high) {
    f.low = f.value / 2;
    f.high = is_share ? std::min(1.0, f.value * 2) : f.value * 2;
  }
  f.source =
      "assumed to be as of " + other.name() + ", the most similar model" + (f.source.empty() ? "" : ": " + f.source);
  f.assumed = true;
  f.line = 0;
  return f;
}

void set_bytes(std::vector<figure>& all, std::string_view key, double bytes, std::string const& origin) {
  auto const at = std::ranges::find(all, key, &figure::key);
  if (bytes > 0 && at != all.end())
    *at = {.key = std::string{key}, .value = bytes, .low = bytes, .high = bytes, .source = origin};
}

/// A list has one figure for each distance; the other machine's furthest serves all beyond.
void add_list(std::vector<figure>& to, figure_rule const& rule, machine_model const& other, std::size_t classes) {
  std::string const key = std::string{rule.table} + "." + std::string{rule.name} + "[";
  std::vector<figure> given;
  for (figure const& f : other.figures()) {
    if (f.key.starts_with(key)) given.push_back(f);
  }
  for (std::size_t i = 0; i < classes && !given.empty(); ++i) {
    figure f = given[std::min(i, given.size() - 1)];
    f.key = key + std::to_string(i) + "]";
    to.push_back(assumed_from(other, std::move(f)));
  }
}

std::vector<figure> figures_of(topology const& tree, machine_model const& other, std::size_t classes,
                               std::string const& origin) {
  std::vector<figure> all;
  for (figure_rule const& rule : figure_rules()) {
    if (rule.need == need::by_kind) continue;  // another machine's small cores: in proportion to the speed instead
    if (is_list(rule.need)) {
      add_list(all, rule, other, classes);
      continue;
    }
    std::string const key = std::string{rule.table} + "." + std::string{rule.name};
    auto const at = std::ranges::find(other.figures(), key, &figure::key);
    if (at != other.figures().end()) all.push_back(assumed_from(other, *at));
  }
  outline const own = outline_of(tree);
  set_bytes(all, "shared_cache.bytes", own.l3_bytes, origin);
  set_bytes(all, "private_cache.bytes", own.l2_bytes, origin);
  auto const first = std::ranges::find(all, std::string_view{"first_level_cache.bytes"}, &figure::key);
  auto const second = std::ranges::find(all, std::string_view{"private_cache.bytes"}, &figure::key);
  if (first != all.end()) {  // the range that assumed_from has given it could reach beyond the private cache
    first->value = std::min(first->value, second->low);
    first->low = first->high = first->value;
  }
  return all;
}

/// Throws unless every PU has a core and an L3 cache.
void require_caches(topology const& tree, std::string const& origin) {
  for (std::uint32_t pu = 0; pu < tree.pus().size(); ++pu) {
    for (level const kind : {level::l3, level::core}) {
      if (tree.ancestor(pu, kind) == runtime::no_index)
        throw usage_error("machine model is '" + runtime::printable(origin) + "' (PU " +
                          std::to_string(tree.pus()[pu].os_index) + " has no " +
                          (kind == level::l3 ? "L3 cache" : "core") +
                          ", without which there are no prices); allowed: machines whose cores share L3 caches; "
                          "docs/machine-models.md says how to write a model of another one");
    }
  }
}

}  // namespace

machine_model const& nearest_shipped(topology const& tree) {
  outline const own = outline_of(tree);
  bool const has_kinds = runtime::core_kinds_of(tree).size() > 1;
  machine_model const* best = nullptr;
  unlikeness least;
  for (machine_model const& m : shipped_models()) {
    if (own.nodes > 1 && m.nodes() == 1) continue;
    if (m.kind_speeds().size() > 1 && !has_kinds) continue;
    unlikeness const here = unlikeness_of(own, outline_of(m));
    if (best != nullptr && here >= least) continue;
    best = &m;
    least = here;
  }
  return *best;
}

machine_model model_of(topology tree, std::string const& origin) {
  require_caches(tree, origin);
  machine_model const& other = nearest_shipped(tree);
  std::vector<std::uint64_t> distances = distances_of(tree);
  std::size_t const classes = classes_of(distances, tree.count(level::numa_node));
  model_file made = other.frame_of_file();
  made.origin = origin;
  made.name = runtime::printable(std::filesystem::path(origin).stem().string());
  made.about =
      "a real machine's topology, with the prices of " + other.name() + ", the most similar model, all assumed";
  made.distances = std::move(distances);
  made.links = wiring::all;
  made.figures = figures_of(tree, other, classes, origin);
  return machine_model(std::move(made), std::move(tree));
}

}}}  // namespace skua::v0::sim
