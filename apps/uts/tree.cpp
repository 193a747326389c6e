// SPDX-License-Identifier: MIT
#include "apps/uts/tree.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "apps/checks.hpp"

namespace skua::apps::uts {
namespace {

constexpr std::int64_t most_children = 100;  ///< of any node but a binomial root, as published

std::array constexpr families{std::pair<std::string_view, family>{"binomial", family::binomial},
                              std::pair<std::string_view, family>{"geometric", family::geometric},
                              std::pair<std::string_view, family>{"hybrid", family::hybrid}};
std::array constexpr outlines{std::pair<std::string_view, outline>{"linear", outline::linear},
                              std::pair<std::string_view, outline>{"expdec", outline::expdec},
                              std::pair<std::string_view, outline>{"cyclic", outline::cyclic},
                              std::pair<std::string_view, outline>{"fixed", outline::fixed}};

using enum family;
using enum outline;

constexpr std::array all_published{
    published_tree{
        "T1", {.kind = geometric, .shape = fixed, .depth = 10, .branching = 4, .seed = 19}, {4'130'071, 3'305'118, 10}},
    published_tree{"T2",
                   {.kind = geometric, .shape = cyclic, .depth = 16, .branching = 6, .seed = 502},
                   {4'117'769, 2'342'762, 81}},
    published_tree{"T3",
                   {.kind = binomial, .branching = 2000, .probability = 0.124875, .children = 8, .seed = 42},
                   {4'112'897, 3'599'034, 1572}},
    published_tree{"T4",
                   {.kind = hybrid,
                    .shape = linear,
                    .depth = 16,
                    .branching = 6,
                    .probability = 0.234375,
                    .children = 4,
                    .seed = 1},
                   {4'132'453, 3'108'986, 134}},
    published_tree{"T5",
                   {.kind = geometric, .shape = linear, .depth = 20, .branching = 4, .seed = 34},
                   {4'147'582, 2'181'318, 20}},
    published_tree{"T1L",
                   {.kind = geometric, .shape = fixed, .depth = 13, .branching = 4, .seed = 29},
                   {102'181'082, 81'746'377, 13}},
    published_tree{"T2L",
                   {.kind = geometric, .shape = cyclic, .depth = 23, .branching = 7, .seed = 220},
                   {96'793'510, 53'791'152, 67}},
    published_tree{"T3L",
                   {.kind = binomial, .branching = 2000, .probability = 0.200014, .children = 5, .seed = 7},
                   {111'345'631, 89'076'904, 17844}},
    published_tree{"T1XL",
                   {.kind = geometric, .shape = fixed, .depth = 15, .branching = 4, .seed = 29},
                   {1'635'119'272, 1'308'100'063, 15}},
};

template <class Table, class NameOf>
std::string names(Table const& table, NameOf name_of) {
  std::string list;
  for (auto const& row : table) list += (list.empty() ? "" : ", ") + std::string(name_of(row));
  return list;
}

template <class Table>
auto named(Table const& table, std::string_view option, std::string_view name) {
  for (auto const& [word, meaning] : table) {
    if (word == name) return meaning;
  }
  throw usage_error("uts: " + std::string(option) + " is '" + std::string(name) +
                    "'; allowed: " + names(table, [](auto const& row) { return row.first; }));
}

/// The mean number of children at a depth of a geometric tree.
double mean_geometric(tree const& t, std::uint32_t at_depth) noexcept {
  if (at_depth == 0) return t.branching;
  double const d = at_depth;
  double const most = static_cast<double>(t.depth);
  switch (t.shape) {
    case linear: return t.branching * (1.0 - d / most);
    case expdec: return t.branching * std::pow(d, -std::log(t.branching) / std::log(most));
    case cyclic: return d > 5 * most ? 0.0 : std::pow(t.branching, std::sin(2.0 * std::numbers::pi * d / most));
    case fixed: return d < most ? t.branching : 0.0;
  }
  return 0.0;
}

/// The inverse of the geometric distribution's cumulative function. A mean of 0 makes
/// the divisor minus infinity: no child.
std::int64_t geometric_children(tree const& t, node const& parent) noexcept {
  double const p = 1.0 / (1.0 + mean_geometric(t, parent.depth));
  return static_cast<std::int64_t>(std::floor(std::log(1.0 - parent.random.number()) / std::log(1.0 - p)));
}

std::int64_t binomial_children(tree const& t, node const& parent) noexcept {
  return parent.random.number() < t.probability ? t.children : 0;
}

bool is_geometric_at(tree const& t, std::uint32_t at_depth) noexcept {
  return t.kind == geometric || (t.kind == hybrid && at_depth < t.shift * static_cast<double>(t.depth));
}

}  // namespace

std::uint32_t tree::children_of(node const& parent) const noexcept {
  if (kind == binomial && parent.depth == 0) return static_cast<std::uint32_t>(branching);
  std::int64_t const n =
      is_geometric_at(*this, parent.depth) ? geometric_children(*this, parent) : binomial_children(*this, parent);
  return static_cast<std::uint32_t>(std::min(n, most_children));
}

double tree::mean_children(std::uint32_t at_depth) const noexcept {
  if (kind == binomial && at_depth == 0) return std::floor(branching);
  if (!is_geometric_at(*this, at_depth)) return probability * static_cast<double>(children);
  return std::clamp(mean_geometric(*this, at_depth), 0.0, static_cast<double>(most_children));
}

void tree::validate() const {
  require_between("uts: --depth", depth, 1, 1'000'000);
  require_between("uts: --children", children, 1, most_children);
  require_between("uts: --seed", seed, 0, 0x7fff'ffff);
  require_between("uts: --branching", branching, 1.0, 1e6);
  require_between("uts: --probability", probability, 0.0, 1.0);
  require_between("uts: --shift", shift, 0.0, 1.0);
  if (kind != geometric && probability * static_cast<double>(children) >= 1) {
    throw usage_error("uts: --probability times --children is 1 or more; allowed: below 1, or the tree never ends");
  }
}

std::string in_words(tally const& counts) {
  return std::to_string(counts.nodes) + " nodes, " + std::to_string(counts.leaves) + " leaves, depth " +
         std::to_string(counts.depth);
}

std::span<published_tree const> published() noexcept { return all_published; }

published_tree const& published(std::string_view name) {
  auto const at = std::ranges::find(all_published, name, &published_tree::name);
  if (at != all_published.end()) return *at;
  throw usage_error("uts: --tree is '" + std::string(name) +
                    "'; allowed: " + names(all_published, [](auto const& row) { return row.name; }));
}

family family_named(std::string_view name) { return named(families, "--type", name); }
outline outline_named(std::string_view name) { return named(outlines, "--shape", name); }

tally survey(tree const& which, std::uint64_t most_nodes) {
  tally seen;
  std::vector<node> open{which.root()};
  while (!open.empty()) {
    node const here = open.back();
    open.pop_back();
    std::uint32_t const born = which.children_of(here);
    for (std::uint32_t i = 0; i < born; ++i) open.push_back(child(here, i));
    seen = seen + tally{1, born == 0 ? 1U : 0U, here.depth};
    if (seen.nodes + open.size() > most_nodes) {
      throw usage_error("uts: the tree has more than " + std::to_string(most_nodes) +
                        " nodes; allowed: fewer, or a published tree, whose counts are known");
    }
  }
  return seen;
}

}  // namespace skua::apps::uts
