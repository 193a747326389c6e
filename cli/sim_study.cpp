// SPDX-License-Identifier: MIT
#include "cli/sim_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/interrupt.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/policy/registry.hpp"

namespace skua::cli {
namespace {

constexpr double seconds_per_tick = 1e-12;
constexpr sim::tick ticks_per_ns = 1000;

/// The model's answers, kept by node; a scheduler that is `free` takes no time.
class kept_costs final : public sim::costs {
 public:
  kept_costs(sim::model_costs& model, bool free, std::vector<double>& taken_s)
      : model_(model), free_(free), taken_s_(taken_s) {
    taken_s_.clear();
  }
  sim::tick run(sim::tick now, worker_id w, task_tree const& program, node_id id) override {
    sim::tick const took = model_.run(now, w, program, id);
    if (id >= taken_s_.size()) taken_s_.resize(program.size());
    taken_s_[id] = static_cast<double>(took) * seconds_per_tick;
    if (program[id].kind != node_kind::leaf) outside_of_leaves_ += took;
    return took;
  }
  sim::tick price(sim::tick now, sim::operation what, worker_id w, worker_id whom) override {
    if (!free_) return model_.price(now, what, w, whom);
    return what == sim::operation::rest || what == sim::operation::miss
               ? 1
               : 0;  // or somebody who waits would stop the clock
  }
  [[nodiscard]] double task_s() const noexcept { return static_cast<double>(outside_of_leaves_) * seconds_per_tick; }

 private:
  sim::model_costs& model_;
  bool const free_;
  std::vector<double>& taken_s_;
  sim::tick outside_of_leaves_ = 0;
};

sim_outcome outcome_of(sim::run_result&& result, layout const& where, std::uint64_t seed) {
  sim_outcome all{.seed = seed,
                  .time_s = static_cast<double>(result.makespan) * seconds_per_tick,
                  .events = result.moves,
                  .steals_by_distance = std::move(result.steals_by_distance),
                  .workers = std::move(result.workers),
                  .makespan = result.makespan};
  sim::tick work = 0;
  sim::tick scheduling = 0;
  for (sim::worker_counters const& w : all.workers) {
    all.steals += w.steals;
    all.naps += w.naps;
    work += w.work;
    scheduling += w.scheduling;
  }
  all.work_s = static_cast<double>(work) * seconds_per_tick;
  all.scheduling_s = static_cast<double>(scheduling) * seconds_per_tick;
  // A steal under way when the program ends is paid for after it.
  all.idle_s = std::max(0.0, all.time_s * where.workers() - all.work_s - all.scheduling_s);
  all.steals_by_distance.resize(where.distance_classes());
  for (std::uint32_t d = 0; d < where.distance_classes(); ++d) all.distance_names.push_back(where.distance_name(d));
  return all;
}

}  // namespace

sim_outcome sim_study::play(std::string const& policy_name, std::uint32_t workers, std::uint64_t seed, bool free) {
  layout const where = machine_.layout_of({.workers = workers, .order = seats_});
  sim::cost_options how = how_;
  how.seed = seed;
  sim::model_costs model(machine_, numbers_, where, how);
  kept_costs prices(model, free, taken_s_);
  auto const scheduler = policies::make_policy(policy_name, where, seed);
  sim::rules const by{.seed = seed,
                      .spin_ticks = model.spin(),
                      .most_searching = std::max(1U, (workers + 1) / 2),  // as the threads machine
                      .ticks_per_ns = ticks_per_ns};
  try {
    sim_outcome all = outcome_of(program_.play(*scheduler, where, by, prices), where, seed);
    all.task_s = prices.task_s();
    all.memory = model.total();
    return all;
  } catch (sim::unlawful const& fault) {
    throw error(fmt::format("{} (policy {}, {} workers, seed {})", fault.what(), policy_name, workers, seed));
  }
}

sim_outcome sim_study::run(std::string const& policy_name, std::uint32_t workers, std::uint64_t seed) {
  return play(policy_name, workers, seed, false);
}

sim_outcome sim_study::run_serial() { return play("random", 1, how_.seed, true); }

sim_row sim_study::run_seeds(std::string const& policy_name, std::uint32_t workers, std::uint64_t first,
                             std::uint32_t seeds, std::function<void()> const& tell) {
  std::vector<sim_outcome> all;
  for (std::uint32_t i = 0; i < seeds; ++i) {
    stop_if_interrupted();
    tell();
    all.push_back(run(policy_name, workers, first + i));
  }
  std::ranges::sort(all, {}, [](sim_outcome const& o) { return std::pair{o.time_s, o.seed}; });
  return {.policy = policy_name,
          .workers = workers,
          .median = all[(all.size() - 1) / 2],
          .min_s = all.front().time_s,
          .max_s = all.back().time_s};
}

}  // namespace skua::cli
