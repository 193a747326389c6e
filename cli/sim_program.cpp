// SPDX-License-Identifier: MIT
#include "cli/sim_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <utility>

#include "skua/machine/sim/here.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/program/recorder.hpp"

namespace skua::cli {
namespace {

bool is_bare_leaf(node const& n) { return n.kind == node_kind::leaf && !(n.flops > 0 && std::isfinite(n.flops)); }

sim_content content_of(task_tree const& tree) {
  sim_content all;
  for (node_id i = 0; i < tree.size(); ++i) {
    all.tasks += tree[i].kind == node_kind::task ? 1U : 0U;
    all.leaves += tree[i].kind == node_kind::leaf ? 1U : 0U;
    all.bare_leaves += is_bare_leaf(tree[i]) ? 1U : 0U;
  }
  return all;
}

/// So that they take what they are measured to take.
void forget_arithmetic(task_tree& tree) {
  for (node_id i = 0; i < tree.size(); ++i) tree[i].flops = 0;
}

}  // namespace

sim_program::sim_program(apps::app& what, sim_way how, sim_times times, bool verify)
    : app_(what), way_(how), times_(times), verify_(verify) {
  record(1);
  content_ = content_of(tree_);
  settle_times();
  mark_times();
}

void sim_program::record(std::uint32_t places) {
  app_.reset();
  recorder here;
  app_.run_recorded(here, places);
  check("when it was recorded");
  tree_ = here.take();
  if (times_.measure_leaves) forget_arithmetic(tree_);
  places_ = places;
}

void sim_program::settle_times() {
  if (content_.leaves == 0) {
    content_.assumed.task = times_.given_ns.value_or(0);
    if (times_.given_ns) return;
    app_.reset();
    auto const begin = std::chrono::steady_clock::now();
    app_.run_serial();
    auto const took = std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - begin);
    content_.assumed.task = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(took.count()) / content_.tasks);
    content_.measured = true;
  } else if (content_.bare_leaves > 0) {
    content_.assumed.leaf = times_.given_ns.value_or(0);
    if (times_.given_ns) return;
    leaf_ns_ = measure_bare_leaves();
    content_.assumed.leaf = std::accumulate(leaf_ns_.begin(), leaf_ns_.end(), std::uint64_t{0}) / leaf_ns_.size();
    content_.measured = true;
  }
}

std::vector<std::uint64_t> sim_program::measure_bare_leaves() {
  app_.reset();
  recorder here(timing::on);
  app_.run_recorded(here, 1);
  task_tree timed = here.take();
  if (times_.measure_leaves) forget_arithmetic(timed);
  std::vector<std::uint64_t> all;
  for (node_id i = 0; i < timed.size(); ++i) {
    if (is_bare_leaf(timed[i])) all.push_back(timed[i].ns);
  }
  return all;
}

/// Into the tree, for its cost model.
void sim_program::mark_times() {
  std::size_t next = 0;
  for (node_id i = 0; i < tree_.size(); ++i) {
    node& n = tree_[i];
    if (n.kind == node_kind::task) n.ns = content_.assumed.task;
    if (is_bare_leaf(n)) n.ns = next < leaf_ns_.size() ? leaf_ns_[next++] : content_.assumed.leaf;
  }
  if (adjust_) adjust_(tree_);
}

void sim_program::set_adjustment(std::function<void(task_tree&)> adjust) {
  adjust_ = std::move(adjust);
  if (adjust_) adjust_(tree_);
}

void sim_program::check(std::string const& after) {
  if (!verify_) return;
  if (std::string const found = app_.wrong(); !found.empty())
    throw error(fmt::format("wrong answer {}: {}", after, found));
}

sim::result sim_program::play(policy& players, layout const& where, sim::rules const& by, sim::costs& prices) {
  sim::onlooker nobody;
  if (way_ == sim_way::recorded) {
    if (places_ != where.places()) {
      record(where.places());
      mark_times();
    }
    if (deal_) return simulate(deal_(tree_, where.workers()), players, where, by, prices, nobody).game;
    sim::simulation done = simulate(std::move(tree_), players, where, by, prices, nobody);
    tree_ = std::move(done.tree);
    return std::move(done.game);
  }
  app_.reset();
  auto const run = [&](sim::here& h) { app_.run_simulated(h, where.places()); };
  sim::simulation done = simulate(run, players, where, by, prices, nobody, {.assumed = content_.assumed});
  check(fmt::format("in virtual time (policy {}, {} workers, seed {})", players.name(), where.workers(), by.seed));
  tree_ = std::move(done.tree);
  return std::move(done.game);
}

}  // namespace skua::cli
