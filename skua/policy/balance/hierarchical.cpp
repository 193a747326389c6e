// SPDX-License-Identifier: MIT
#include "skua/policy/balance/hierarchical.hpp"

#include <utility>

#include "skua/policy/balance/balance_tree.hpp"
#include "skua/policy/balance/donors.hpp"
#include "skua/policy/balance/tree_node.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace balance {
namespace {

/// What a node sends to its parent.
struct upward {
  subtree whole;
  std::vector<donated_task> tasks;
};

/// Processes one level on the way up: `below` holds the messages of its nodes' children. Returns the messages of its
/// nodes.
std::vector<upward> fill_level(balance_tree const& tree, std::uint32_t level, std::vector<upward> below,
                               fill_rule const& rule, std::vector<tree_node>& nodes) {
  std::vector<upward> sent;
  sent.reserve(tree.nodes(level));
  for (std::uint32_t i = 0; i < tree.nodes(level); ++i) {
    std::vector<subtree> children;
    std::vector<donated_task> pool;
    for (std::uint32_t c = 0; c < tree.children({level, i}); ++c) {
      upward const& from = below[tree.child({level, i}, c).index];
      children.push_back(from.whole);
      pool.insert(pool.end(), from.tasks.begin(), from.tasks.end());
    }
    tree_node& node = nodes.emplace_back(std::move(children), rule);
    std::vector<donated_task> left = node.fill(std::move(pool));
    sent.push_back({node.whole(), std::move(left)});
  }
  return sent;
}

/// Processes one level on the way down: `from_above` holds what each of its nodes receives. Returns what each child
/// receives.
std::vector<std::vector<donated_task>> spread_level(std::vector<std::vector<donated_task>> from_above,
                                                    std::vector<tree_node>& nodes) {
  std::vector<std::vector<donated_task>> below;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (auto& tasks : nodes[i].spread(std::move(from_above[i]))) below.push_back(std::move(tasks));
  }
  return below;
}

/// Sweeps up the tree and down again: `up` holds what each leaf sends. Returns what each leaf receives.
std::vector<std::vector<donated_task>> sweep(balance_tree const& tree, std::vector<upward> up, fill_rule const& rule) {
  std::vector<std::vector<tree_node>> levels(tree.root_level());
  for (std::uint32_t level = 1; level <= tree.root_level(); ++level) {
    up = fill_level(tree, level, std::move(up), rule, levels[level - 1]);
  }
  std::vector<std::vector<donated_task>> down{std::move(up[0].tasks)};
  for (std::uint32_t level = tree.root_level(); level > 0; --level) {
    down = spread_level(std::move(down), levels[level - 1]);
  }
  return down;
}

}  // namespace

balance_plan hierarchical(machine_loads const& loads, hierarchical_options const& options) {
  if (loads.empty()) return {};
  balance_tree const tree(static_cast<std::uint32_t>(loads.size()), options.arity);
  double const average = average_of(totals_of(loads));
  fill_rule const rule{options.fill * average, options.fits};
  std::vector<donation> ranks = donations_of(loads, options.loads, options.donate);
  std::vector<migration> migrations;
  for (std::uint32_t i = 0; i < options.sweeps; ++i) {
    double const least = sweep_limit(i, options.sweeps, average);
    std::vector<upward> up;
    up.reserve(ranks.size());
    for (donation& d : ranks) up.push_back({subtree{d.kept, 1}, take_longer(d.tasks, least)});
    auto const down = sweep(tree, std::move(up), rule);
    for (std::uint32_t r = 0; r < tree.ranks(); ++r) {
      for (donated_task const& t : down[r]) ranks[r].kept = plus(ranks[r].kept, t.load);
      add_migrations(down[r], r, migrations);
    }
  }
  return plan_of(loads, std::move(migrations), options.arity);
}

}}}}  // namespace skua::v0::policies::balance
