// SPDX-License-Identifier: MIT
#include "cli/simulate/program.hpp"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "cli/simulate/interruptible_costs.hpp"
#include "cli/text/app_arguments.hpp"
#include "cli/text/interrupt.hpp"
#include "cli/text/option_values.hpp"
#include "cli/text/report.hpp"
#include "skua/machine/sim/costs.hpp"
#include "skua/machine/sim/here.hpp"
#include "skua/machine/sim/simulate.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/policy/registry.hpp"
#include "skua/program/recorder.hpp"

namespace skua::cli {
namespace {

bool is_bare_leaf(tree_node const& n) {
  return n.kind == tree_node_kind::leaf && !(n.flops > 0 && std::isfinite(n.flops));
}

sim_content content_of(task_tree const& tree) {
  sim_content all;
  for (tree_node_id i = 0; i < tree.size(); ++i) {
    all.tasks += tree[i].kind == tree_node_kind::task ? 1U : 0U;
    all.spawned += tree[i].region != no_tree_node ? 1U : 0U;
    all.leaves += tree[i].kind == tree_node_kind::leaf ? 1U : 0U;
    all.bare_leaves += is_bare_leaf(tree[i]) ? 1U : 0U;
  }
  return all;
}

/// In the order of the serial program; numbers of nodes differ from run to run, since a step that takes no time is none.
std::vector<tree_node_id> leaves_of(task_tree const& tree) {
  std::vector<tree_node_id> all;
  for (tree_node_id i = 0; i < tree.size(); ++i) {
    if (tree[i].kind == tree_node_kind::leaf) all.push_back(i);
  }
  return all;
}

/// Processor time of this thread.
double thread_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double quotient_or_one(double above, double below) { return below > 0 ? above / below : 1; }

/// Leaves without flops take the times that are measured.
void forget_arithmetic(task_tree& tree) {
  for (tree_node_id i = 0; i < tree.size(); ++i) tree[i].flops = 0;
}

}  // namespace

apps::simulable& simulation_of(apps::app& what) {
  if (auto* const able = what.simulation()) return *able;
  throw usage_error(fmt::format("app is '{}', whose program runs on threads only; allowed: {}", what.name(),
                                joined(apps_that([](apps::app& other) { return other.simulation() != nullptr; }))));
}

sim_program::sim_program(apps::app& what, sim_way how, sim_times times, bool verify)
    : app_(what), program_(simulation_of(what)), way_(how), times_(times), verify_(verify) {
  record(1);
  content_ = content_of(tree_);
  determine_times();
  write_times_into_tree();
}

task_tree sim_program::serial_tree(timing measured, std::uint32_t places) {
  if (program_.can_be_recorded()) {
    recorder here(measured);
    program_.run_recorded(here, places);
    return here.take();
  }
  layout const alone(topology::synthetic("core:1"), {.workers = 1});
  sim::rules const by;
  sim::flat_costs flat(by);
  interruptible_costs free(flat);
  sim::observer nobody;
  auto const scheduler = policies::make_policy("random", alone, by.seed);
  auto const body = [&](sim::here& h) { program_.run_simulated(h, places); };
  return simulate(body, *scheduler, alone, by, free, nobody, {.measured = measured}).tree;
}

void sim_program::record(std::uint32_t places) {
  app_.reset();
  tree_ = serial_tree(timing::off, places);
  stop_if_interrupted();
  check("when it was recorded");
  stop_if_interrupted();
  if (forgets_arithmetic()) forget_arithmetic(tree_);
  tree_.set_owned(owned(places));
  places_ = places;
}

std::vector<owned_range> sim_program::owned(std::uint32_t places) {
  return apps::ranges_of(app_.owned(places), app_.unowned());
}

void sim_program::determine_times() {
  if (content_.leaves == 0) {
    content_.assumed.task = times_.given_ns.value_or(0);
    if (times_.given_ns) return;
    apps::serial_elision* const serial = app_.elision();
    if (serial == nullptr) {
      throw usage_error(fmt::format(
          "--task-ns is missing; allowed: the duration of a task, because {} has no serial elision to measure it by",
          app_.name()));
    }
    auto took = std::chrono::nanoseconds::max();
    time_repeatedly([&] {
      auto const begin = std::chrono::steady_clock::now();
      serial->run_serial();
      took = std::min<std::chrono::nanoseconds>(took, std::chrono::steady_clock::now() - begin);
    });
    content_.assumed.task = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(took.count()) / content_.tasks);
    return;
  }
  if (content_.bare_leaves > 0) {
    content_.assumed.leaf = times_.given_ns.value_or(0);
    if (!times_.given_ns) measure_bare_leaves();
  }
  if (times_.measure_leaves && way_ == sim_way::live) measure_live_leaves();
  content_.between_leaves_s = seconds_between_leaves();
}

/// Up to three times, or twice if that takes long: other load on the machine made a run longer, never shorter.
void sim_program::time_repeatedly(std::function<void()> const& run) {
  constexpr int most_runs = 3;
  constexpr double long_s = 2;
  double all_s = 0;
  for (int i = 0; i < most_runs && (i < 2 || all_s < long_s); ++i) {
    stop_if_interrupted();
    app_.reset();
    double const cpu = thread_seconds();
    auto const begin = std::chrono::steady_clock::now();
    run();
    std::chrono::duration<double> const wall = std::chrono::steady_clock::now() - begin;
    double const ratio = std::max(1.0, quotient_or_one(wall.count(), thread_seconds() - cpu));
    content_.wall_over_cpu = i == 0 ? ratio : std::min(content_.wall_over_cpu, ratio);
    all_s += wall.count();
  }
  content_.measured = true;
}

/// Every leaf took the shortest of its times.
task_tree sim_program::timed_tree() {
  task_tree shortest;
  std::vector<tree_node_id> leaves;
  time_repeatedly([&] {
    task_tree now = serial_tree(timing::on, 1);
    note_steps(now);
    std::vector<tree_node_id> const these = leaves_of(now);
    if (these.size() == leaves.size()) {
      for (std::size_t i = 0; i < leaves.size(); ++i) {
        std::uint64_t& ns = shortest[leaves[i]].ns;
        ns = std::min(ns, now[these[i]].ns);
      }
    } else {
      shortest = std::move(now);
      leaves = these;
    }
  });
  return shortest;
}

void sim_program::note_steps(task_tree const& timed) {
  if (!forgets_arithmetic()) return;
  std::vector<measured_step> now = steps_of(timed);
  steps_ = has_steps_ ? shorter_steps(steps_, now) : std::move(now);
  has_steps_ = true;
}

/// Of the steps that with_steps keeps.
double sim_program::seconds_between_leaves() const {
  double ns = 0;
  for (measured_step const& s : steps_) ns += s.ns >= least_step_ns ? static_cast<double>(s.ns) : 0;
  return ns * 1e-9;
}

void sim_program::measure_bare_leaves() {
  task_tree timed = timed_tree();
  if (forgets_arithmetic()) forget_arithmetic(timed);
  for (tree_node_id i = 0; i < timed.size(); ++i) {
    if (is_bare_leaf(timed[i])) leaf_ns_.push_back(timed[i].ns);
  }
  content_.assumed.leaf = std::accumulate(leaf_ns_.begin(), leaf_ns_.end(), std::uint64_t{0}) / leaf_ns_.size();
}

/// A live simulation cannot tell which leaf of the serial run a leaf is, so leaves with as many flops stand for it.
void sim_program::measure_live_leaves() {
  struct sum {
    double ns = 0;
    double leaves = 0;
  };
  task_tree const timed = timed_tree();
  std::map<double, sum> by_flops;
  sum all;
  double flops = 0;
  for (tree_node_id i = 0; i < timed.size(); ++i) {
    tree_node const& n = timed[i];
    if (n.kind != tree_node_kind::leaf || is_bare_leaf(n)) continue;
    sum& like = by_flops[n.flops];
    for (sum* to : {&like, &all}) {
      to->ns += static_cast<double>(n.ns);
      ++to->leaves;
    }
    flops += n.flops;
  }
  for (auto const& [amount, like] : by_flops) leaf_times_.ns[amount] = std::max(1.0, like.ns / like.leaves);
  if (all.ns > 0) leaf_times_.flops_per_ns = content_.flops_per_ns = flops / all.ns;
}

sim::cost_options sim_program::priced(sim::cost_options costs) const {
  costs.measured = leaf_times_;
  return costs;
}

/// The cost model reads them there.
void sim_program::write_times_into_tree() {
  std::size_t next = 0;
  for (tree_node_id i = 0; i < tree_.size(); ++i) {
    tree_node& n = tree_[i];
    if (n.kind == tree_node_kind::task) n.ns = content_.assumed.task;
    if (is_bare_leaf(n)) n.ns = next < leaf_ns_.size() ? leaf_ns_[next++] : content_.assumed.leaf;
  }
  if (has_steps_) tree_ = with_steps(tree_, steps_);
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

sim::run_result sim_program::run(policies::policy& scheduler, layout const& where, sim::rules const& by,
                                 sim::costs& costs, sim::observer& watcher) {
  if (way_ == sim_way::recorded) {
    if (places_ != where.places()) {
      record(where.places());
      write_times_into_tree();
      stop_if_interrupted();
    }
    if (deal_) return simulate(deal_(tree_, where.workers()), scheduler, where, by, costs, watcher).result;
    sim::simulation done = simulate(std::move(tree_), scheduler, where, by, costs, watcher);
    tree_ = std::move(done.tree);
    return std::move(done.result);
  }
  app_.reset();
  costs.own(owned(where.places()), where);
  auto const body = [&](sim::here& h) { program_.run_simulated(h, where.places()); };
  sim::simulation done = simulate(body, scheduler, where, by, costs, watcher, {.assumed = content_.assumed});
  check(fmt::format("in virtual time (policy {}, {}, seed {})", scheduler.name(), in_words(where.workers(), "worker"),
                    by.seed));
  tree_ = std::move(done.tree);
  return std::move(done.result);
}

std::map<std::string, double> sim_program::facts() const {
  std::map<std::string, double> all;
  apps::json_value const reported = app_.facts();
  for (auto const& [key, value] : reported.items()) {
    if (value.is_number()) all.emplace(key, value.get<double>());
  }
  return all;
}

}  // namespace skua::cli
