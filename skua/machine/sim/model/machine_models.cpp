// SPDX-License-Identifier: MIT
#include "skua/machine/sim/model/machine_models.hpp"

#include <algorithm>
#include <set>
#include <sstream>
#include <utility>

#include "skua/machine/sim/model/assumed_prices.hpp"
#include "skua/machine/sim/model/model_file.hpp"
#include "skua/machine/sim/model/model_rules.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/base/file.hpp"
#include "skua/parts/base/printable.hpp"
#include "skua/parts/topology/core_kinds.hpp"

namespace skua { inline namespace v0 { namespace sim {
namespace {

constexpr std::size_t longest_file_bytes = std::size_t{1} << 20;

std::string names_of_shipped() {
  std::string all;
  for (std::string_view const name : machine_model::shipped()) all += (all.empty() ? "" : ", ") + std::string{name};
  return all;
}

std::string content_of(std::string const& path) {
  runtime::file_text file = runtime::read_file(path, longest_file_bytes);
  std::string why;
  if (file.wrong == std::errc::file_too_large) {
    why = "larger than 1 MiB";
  } else if (file.wrong) {
    why = file.wrong.message();
  } else if (file.text.empty()) {
    why = "empty";
  }
  if (!why.empty())
    throw usage_error(
        "machine model is '" + runtime::printable(path) + "' (" + why +
        "); allowed: the path of a file of up to 1 MiB that can be read, or a shipped model: " + names_of_shipped());
  return std::move(file.text);
}

/// The topology of the file. Its words must name every level that a figure refers to.
topology tree_of(model_file const& read) {
  try {
    topology tree = topology::synthetic(read.words, read.distances);
    for (runtime::level const kind : {runtime::level::l3, runtime::level::core}) {
      if (tree.count(kind) == 0)
        refuse_model(read.origin, read.words_line,
                     "the topology must name " + std::string{runtime::level_name(kind)} +
                         "; an example: \"package:4 numa:1 l3:1 core:16 pu:1\"");
    }
    return tree;
  } catch (usage_error const& fault) {
    std::string const text = fault.what();
    if (text.starts_with(read.origin + ":")) throw;
    refuse_model(read.origin, text.starts_with("distances") ? read.distances_line : read.words_line, text);
  }
}

routes routes_of(model_file const& read, std::uint32_t nodes) {
  try {
    switch (read.links) {
      case wiring::all: return routes(nodes, routes::all_pairs(nodes));
      case wiring::ring: return routes(nodes, routes::ring_of(nodes));
      case wiring::pairs: break;
    }
    return routes(nodes, read.linked);
  } catch (usage_error const& fault) {
    refuse_model(read.origin, read.links_line, std::string{"link.between: "} + fault.what());
  }
}

std::vector<double> speeds_of(topology const& tree) {
  std::vector<double> all;
  for (runtime::core_kind const& kind : runtime::core_kinds_of(tree)) all.push_back(kind.speed);
  return all;
}

/// "kinds.private_bytes[0]" of "kinds.private_bytes"; also the name itself.
bool is_of(figure const& f, std::string_view name) {
  return f.key == name || (f.key.starts_with(name) && f.key[name.size()] == '[');
}

}  // namespace

machine_model machine_model::load(std::string_view name_or_path) {
  if (auto const text = find_shipped(name_or_path)) return parse(*text, "machine model " + std::string{name_or_path});
  if (name_or_path.ends_with(".xml")) {
    std::string const path{name_or_path};
    return model_of(topology::from_xml(path), path);
  }
  if (name_or_path.find('/') == std::string_view::npos && !name_or_path.ends_with(".toml"))
    throw usage_error("machine model is '" + std::string{name_or_path} + "'; allowed: " + names_of_shipped() +
                      ", or the path of a file, with a /, .toml or .xml in it");
  std::string const path{name_or_path};
  return parse(content_of(path), path);
}

machine_model machine_model::parse(std::string_view text, std::string_view origin) {
  return machine_model(read_model(text, origin));
}

std::string_view machine_model::shipped_text(std::string_view name) {
  if (auto const text = find_shipped(name)) return *text;
  throw usage_error("machine model is '" + std::string{name} + "'; allowed: " + names_of_shipped());
}

machine_model::machine_model(model_file read) : machine_model(read, tree_of(read)) {}

machine_model::machine_model(model_file read, topology tree)
    : name_(std::move(read.name)), about_(std::move(read.about)), origin_(read.origin), tree_(std::move(tree)),
      kind_speeds_(speeds_of(tree_)), figures_(std::move(read.figures)), filling_(read.shared_filling),
      line_bytes_(read.line_bytes), block_bytes_(read.block_bytes), page_bytes_(read.page_bytes),
      nodes_(tree_.count(runtime::level::numa_node)), routes_(routes_of(read, nodes_)) {
  rank_distances(read.distances);
  check_lists(hops_by_distance(read));
  check_caches();
}

/// [distance - 1]. Refuses a distance whose number of links is not determined.
std::vector<std::uint32_t> machine_model::hops_by_distance(model_file const& read) const {
  struct example {
    std::uint32_t a = 0;
    std::uint32_t b = 0;
    std::uint32_t hops = 0;
  };
  auto const text_of = [](example const& e) {
    return std::to_string(e.a) + " and " + std::to_string(e.b) + " are " + std::to_string(e.hops) + " hops apart";
  };
  auto const refuse = [&](example const& near, example const& far, std::string const& claim) {
    refuse_model(origin_, read.links_line,
                 "link.between does not agree with topology.distances: nodes " + text_of(near) + ", nodes " +
                     text_of(far) + ", and " + claim + "; allowed: more hops only at larger distances");
  };
  std::vector<example> of(distances_);
  for (std::uint32_t a = 0; a < nodes_; ++a) {
    for (std::uint32_t b = a + 1; b < nodes_; ++b) {
      example const here{a, b, routes_.hops(a, b)};
      example& first = of[distance(a, b) - 1];
      if (first.hops == 0) first = here;
      if (first.hops != here.hops) refuse(first, here, "both are at the same distance");
    }
  }
  std::vector<std::uint32_t> hops;
  for (std::uint32_t d = 0; d < distances_; ++d) {
    if (d > 0 && of[d].hops < of[d - 1].hops) refuse(of[d - 1], of[d], "the first are nearer");
    hops.push_back(of[d].hops);
  }
  return hops;
}

void machine_model::check_lists(std::span<std::uint32_t const> hops) const {
  auto const linked = static_cast<std::uint32_t>(std::ranges::count(hops, 1U));
  for (figure_rule const& rule : figure_rules()) {
    if (!is_list(rule.need)) continue;
    std::string const key = std::string{rule.table} + "." + std::string{rule.name};
    auto const here = [&](figure const& f) { return f.key.starts_with(key + "["); };
    auto const given = std::ranges::count_if(figures_, here);
    auto const others = static_cast<std::uint32_t>(kind_speeds_.size() - 1);
    std::uint32_t const wanted = rule.need == need::by_kind  ? (given == 0 ? 0 : others)
                                 : rule.need == need::linked ? linked
                                                             : distances_;
    if (static_cast<std::uint32_t>(given) == wanted) continue;
    auto const at = std::ranges::find_if(figures_, here);
    refuse_model(origin_, at == figures_.end() ? 1 : at->line,
                 key + " has " + std::to_string(given) + " figures; allowed: " + std::to_string(wanted) +
                     (rule.need == need::by_kind  ? ", one for each kind of core below the fastest in topology.words"
                      : rule.need == need::linked ? ", one for each distance at which NUMA nodes have a link"
                                                  : ", one for each distance between NUMA nodes above the local one"));
  }
}

void machine_model::check_caches() const {
  for (figure const& f : figures_) {
    bool const is_cache =
        is_of(f, "private_cache.bytes") || is_of(f, "shared_cache.bytes") || is_of(f, "kinds.private_bytes");
    if (is_cache && (f.low < 16.0 * static_cast<double>(block_bytes_) || f.high > 0x1.0p36))
      refuse_model(origin_, f.line,
                   f.key + " must be from 16 blocks (of " + std::to_string(block_bytes_) +
                       " bytes) to 64 GiB, its range included");
  }
  for (figure const& f : figures_) {
    if (is_of(f, "first_level_cache.bytes")) check_first_level(f, "private_cache.bytes");
    if (is_of(f, "kinds.first_level_bytes"))
      check_first_level(f, "kinds.private_bytes" + f.key.substr(f.key.find('[')));
  }
}

/// It must fit into the private cache of its kind of cores; a kind that has none of its own has that of the fastest.
void machine_model::check_first_level(figure const& first, std::string_view of_private) const {
  auto second = std::ranges::find(figures_, of_private, &figure::key);
  if (second == figures_.end())
    second = std::ranges::find(figures_, std::string_view{"private_cache.bytes"}, &figure::key);
  if (first.low < 4.0 * static_cast<double>(block_bytes_) || first.high > second->low)
    refuse_model(origin_, first.line,
                 first.key + " must be from 4 blocks (of " + std::to_string(block_bytes_) + " bytes) to " +
                     second->key + ", both with their ranges");
}

void machine_model::rank_distances(std::span<std::uint64_t const> latency) {
  distance_.assign(std::size_t{nodes_} * nodes_, 0);
  std::set<std::uint64_t> seen;
  auto const between = [&](std::uint32_t a, std::uint32_t b) {
    return latency.empty() ? 1 : std::max(latency[a * nodes_ + b], latency[b * nodes_ + a]);
  };
  for (std::uint32_t a = 0; a < nodes_; ++a) {
    for (std::uint32_t b = 0; b < a; ++b) seen.insert(between(a, b));
  }
  distances_ = static_cast<std::uint32_t>(seen.size());
  for (std::uint32_t a = 0; a < nodes_; ++a) {
    for (std::uint32_t b = 0; b < nodes_; ++b) {
      if (a == b) continue;
      auto const rank = std::distance(seen.begin(), seen.find(between(a, b)));
      distance_[a * nodes_ + b] = static_cast<std::uint32_t>(rank) + 1;
    }
  }
}

machine_numbers machine_model::frame() const {
  machine_numbers made;
  made.shared_filling = filling_;
  made.line_bytes = line_bytes_;
  made.block_bytes = block_bytes_;
  made.page_bytes = page_bytes_;
  return made;
}

model_file machine_model::frame_of_file() const {
  model_file made;
  made.shared_filling = filling_;
  made.line_bytes = line_bytes_;
  made.block_bytes = block_bytes_;
  made.page_bytes = page_bytes_;
  return made;
}

machine_numbers machine_model::numbers(bound which) const {
  machine_numbers made = frame();
  for (figure_rule const& rule : figure_rules()) {
    std::string const key = std::string{rule.table} + "." + std::string{rule.name};
    for (figure const& f : figures_) {
      if (rule.many != nullptr && f.key.starts_with(key + "[")) (made.*rule.many).push_back(f.at(which));
      if (rule.one != nullptr && f.key == key) made.*rule.one = f.at(which);
    }
  }
  return made;
}

machine_numbers machine_model::numbers_with(std::string_view key, double value) const {
  auto const named = [key](figure_rule const& r) { return key == std::string{r.table} + "." + std::string{r.name}; };
  auto const list_named = [key](figure_rule const& r) {
    return r.many != nullptr && key.starts_with(std::string{r.table} + "." + std::string{r.name} + "[");
  };
  std::span<figure_rule const> const rules = figure_rules();
  auto const one = std::ranges::find_if(rules, [&](figure_rule const& r) { return r.one != nullptr && named(r); });
  auto const rule = one != rules.end() ? one : std::ranges::find_if(rules, list_named);
  machine_model copy = *this;
  auto at = std::ranges::find(copy.figures_, key, &figure::key);
  bool const may_be_left_out = one != rules.end() && one->need != need::together;
  if (rule == rules.end() || (at == copy.figures_.end() && !may_be_left_out))
    throw usage_error(origin_ + " has no figure " + std::string{key});
  if (!allows(rule->need, value))
    throw usage_error(std::string{key} + " is " + std::to_string(value) +
                      "; allowed: " + (rule->need == need::share ? "0 to 1" : "a positive number from 1e-9 to 1e12"));
  if (at == copy.figures_.end()) at = copy.figures_.insert(at, figure{.key = std::string{key}});
  at->value = at->low = at->high = value;
  copy.check_caches();
  return copy.numbers();
}

}}}  // namespace skua::v0::sim
