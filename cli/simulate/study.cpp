// SPDX-License-Identifier: MIT
#include "cli/simulate/study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "cli/text/interrupt.hpp"
#include "cli/text/report.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/policy/registry.hpp"

namespace skua::cli {
namespace {

constexpr sim::tick ticks_per_ns = 1000;

/// The model's costs, noted per node; a scheduler that is `free` takes no time. An interrupt ends the run, as with
/// interruptible_costs, without a call more at every event.
class noted_costs final : public sim::costs {
 public:
  noted_costs(sim::model_costs& model, bool free, std::vector<double>& taken_s)
      : model_(model), free_(free), taken_s_(taken_s) {
    taken_s_.clear();
  }
  sim::tick run(sim::tick now, worker_id w, task_tree const& program, tree_node_id id) override {
    stop_if_interrupted();
    sim::tick const took = model_.run(begin_ + now, w, program, id);
    if (id >= taken_s_.size()) taken_s_.resize(program.size());
    taken_s_[id] = seconds_of(took);
    if (program[id].kind != tree_node_kind::leaf) outside_of_leaves_ += took;
    return took;
  }
  sim::tick price(sim::tick now, sim::operation what, worker_id w, worker_id whom) override {
    stop_if_interrupted();
    if (!free_) return model_.price(begin_ + now, what, w, whom);
    return what == sim::operation::rest || what == sim::operation::miss ? 1
                                                                        : 0;  // or waiting workers would stop the clock
  }
  [[nodiscard]] sim::tick first_touches_until() const noexcept override {
    return std::max(model_.first_touches_until(), begin_) - begin_;
  }
  void own(std::span<owned_range const> ranges, layout const& where) override { model_.own(ranges, where); }
  [[nodiscard]] double task_s() const noexcept { return seconds_of(outside_of_leaves_); }
  /// The next run begins when one of this length has ended: the model's queues know no other clock.
  void begin_after(sim::tick makespan) {
    begin_ += makespan;
    taken_s_.clear();
    outside_of_leaves_ = 0;
  }

 private:
  sim::model_costs& model_;
  bool const free_;
  std::vector<double>& taken_s_;
  sim::tick outside_of_leaves_ = 0;
  sim::tick begin_ = 0;
};

/// What came to pass between two looks at the same account.
sim::memory_account between(sim::memory_account const& before, sim::memory_account const& after) {
  return {.first_level_bytes = after.first_level_bytes - before.first_level_bytes,
          .private_bytes = after.private_bytes - before.private_bytes,
          .shared_bytes = after.shared_bytes - before.shared_bytes,
          .neighbour_bytes = after.neighbour_bytes - before.neighbour_bytes,
          .local_bytes = after.local_bytes - before.local_bytes,
          .remote_bytes = after.remote_bytes - before.remote_bytes,
          .transfer_bytes = after.transfer_bytes - before.transfer_bytes,
          .written_back_bytes = after.written_back_bytes - before.written_back_bytes,
          .leaves = after.leaves - before.leaves,
          .ran = after.ran - before.ran,
          .arithmetic = after.arithmetic - before.arithmetic,
          .waited = after.waited - before.waited,
          .noise = after.noise - before.noise};
}

sim_outcome outcome_of(sim::run_result&& run, layout const& where, std::uint64_t seed) {
  sim_outcome all{.seed = seed,
                  .time_s = seconds_of(run.makespan),
                  .events = run.moves,
                  .widths = std::move(run.widths),
                  .partitions = std::move(run.partitions),
                  .steals_by_distance = std::move(run.steals_by_distance),
                  .workers = std::move(run.workers),
                  .makespan = run.makespan};
  all.sum = sum_of(all.workers);
  all.work_s = seconds_of(all.sum.work);
  all.scheduling_s = seconds_of(all.sum.scheduling);
  // A steal under way when the program ends is paid for after it.
  all.idle_s = std::max(0.0, all.time_s * where.workers() - all.work_s - all.scheduling_s);
  all.steals_by_distance.resize(where.distance_classes());
  for (std::uint32_t d = 0; d < where.distance_classes(); ++d) all.distance_names.push_back(where.distance_name(d));
  return all;
}

}  // namespace

sim::worker_counters sum_of(std::span<sim::worker_counters const> workers) noexcept {
  using counters = sim::worker_counters;
  counters all;
  for (counters const& w : workers) {
    for (auto const count : {&counters::probes, &counters::steals, &counters::parks, &counters::sent, &counters::naps,
                             &counters::revocations, &counters::heavy_fences, &counters::interrupts, &counters::spawns,
                             &counters::conversions, &counters::dead, &counters::work, &counters::scheduling})
      all.*count += w.*count;
  }
  return all;
}

time_shares shares_of(sim_outcome const& o) {
  double const all = std::max(o.work_s + o.scheduling_s + o.idle_s, 1e-18);
  double const arithmetic = std::min(o.work_s, seconds_of(o.memory.arithmetic) + o.task_s);
  double const queues = std::min(o.work_s - arithmetic, seconds_of(o.memory.waited));
  double const noise = std::min(o.work_s - arithmetic - queues, seconds_of(o.memory.noise));
  return {.arithmetic = arithmetic / all,
          .memory = (o.work_s - arithmetic - queues - noise) / all,
          .queues = queues / all,
          .noise = noise / all,
          .scheduling = o.scheduling_s / all,
          .idle = o.idle_s / all};
}

sim_outcome sim_study::simulate(std::string const& policy_name, std::uint32_t workers, std::uint64_t seed, bool free) {
  layout const where = machine_.layout_of({.workers = workers, .order = stage_.seats});
  sim::cost_options how = how_;
  how.seed = seed;
  sim::model_costs model(machine_, stage_.numbers, where, how);
  noted_costs costs(model, free, taken_s_);
  auto const scheduler = policies::make_policy(policy_name, where, seed);
  sim::rules const by{.seed = seed, .spin_ticks = model.spin(), .ticks_per_ns = ticks_per_ns, .deques = stage_.deques};
  sim::observer nobody;
  try {
    for (std::uint32_t i = 0; i < stage_.warm_up; ++i)
      costs.begin_after(program_.run(*scheduler, where, by, costs, nobody).makespan);
    sim::memory_account const before = model.total();
    std::unique_ptr<sim::observer> const watcher =
        watch_ && !free ? watch_(policy_name, where, seed, ticks_per_ns) : nullptr;
    sim_outcome all = outcome_of(program_.run(*scheduler, where, by, costs, watcher ? *watcher : nobody), where, seed);
    all.task_s = costs.task_s();
    all.memory = between(before, model.total());
    all.report = scheduler->report();
    if (!free) fmt::print(stderr, "{}", all.report);
    if (stage_.with_facts) all.facts = program_.facts();
    return all;
  } catch (sim::unlawful const& fault) {
    throw error(
        fmt::format("{} (policy {}, {}, seed {})", fault.what(), policy_name, in_words(workers, "worker"), seed));
  }
}

sim_outcome sim_study::run(std::string const& policy_name, std::uint32_t workers, std::uint64_t seed) {
  return simulate(policy_name, workers, seed, false);
}

/// Spawned tasks run serially in the order of their strategies.
sim_outcome sim_study::run_serial() {
  return simulate(program_.content().spawned > 0 ? "strategies" : "random", 1, how_.seed, true);
}

sim_row sim_study::run_seeds(std::string const& policy_name, std::uint32_t workers, std::uint64_t first,
                             std::uint32_t seeds, std::function<void()> const& before_run) {
  std::vector<sim_outcome> all;
  try {
    for (std::uint32_t i = 0; i < seeds; ++i) {
      stop_if_interrupted();
      before_run();
      all.push_back(run(policy_name, workers, first + i));
    }
  } catch (interruption const&) {
    if (all.empty()) throw;
  }
  std::ranges::sort(all, {}, [](sim_outcome const& o) { return std::pair{o.time_s, o.seed}; });
  return {.policy = policy_name,
          .workers = workers,
          .median = all[(all.size() - 1) / 2],
          .min_s = all.front().time_s,
          .max_s = all.back().time_s,
          .runs = static_cast<std::uint32_t>(all.size())};
}

}  // namespace skua::cli
