// SPDX-License-Identifier: MIT
#include "cli/simulate/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/text/interrupt.hpp"
#include "cli/text/progress.hpp"
#include "cli/text/report.hpp"

namespace skua::cli {
namespace {

class sweeper {
 public:
  sweeper(sim_study& study, sweep_plan const& plan) : study_(study), plan_(plan) {
    auto const has_one = std::ranges::find(plan.workers, 1U) != plan.workers.end();
    std::size_t const rows = plan.workers.size() + (plan.with_one_worker && !has_one ? 1 : 0);
    all_.planned_runs = plan.policies.size() * rows * plan.seeds;
  }

  sim_sweep take() {
    try {
      for (std::string const& policy : plan_.policies) run(policy);
    } catch (interruption const&) {
      // What is complete is kept.
    }
    return std::move(all_);
  }

 private:
  void run(std::string const& policy) {
    sim_row alone;
    if (plan_.with_one_worker) {
      alone = run(policy, 1);
      alone.alone_s = alone.median.time_s;
    }
    for (std::uint32_t const workers : plan_.workers) {
      all_.rows.push_back(workers == 1 && plan_.with_one_worker ? alone : run(policy, workers));
      all_.rows.back().alone_s = alone.alone_s;
    }
  }

  sim_row run(std::string const& policy, std::uint32_t workers) {
    sim_row made = study_.run_seeds(policy, workers, plan_.first_seed, plan_.seeds, [&] {
      if (begun_ > 0) keep_after_interrupts();
      bar_.show(static_cast<double>(begun_++), static_cast<double>(all_.planned_runs),
                fmt::format("simulated: {} with {}", policy, in_words(workers, "worker")));
    });
    all_.runs += made.runs;
    all_.events += made.median.events * made.runs;
    return made;
  }

  sim_study& study_;
  sweep_plan const& plan_;
  sim_sweep all_;
  std::uint64_t begun_ = 0;
  progress bar_;
};

}  // namespace

std::string interrupt_line(sim_sweep const& swept, std::uint32_t seeds) {
  std::string line = interrupt_note(swept.runs, swept.planned_runs, "run");
  if (line.empty()) return line;
  if (!swept.rows.empty() && swept.rows.back().runs < seeds)
    line += fmt::format("; the last row is of {} of {}", swept.rows.back().runs, in_words(seeds, "seed"));
  return line + "\n";
}

sim_sweep sweep(sim_study& study, sweep_plan const& plan) { return sweeper(study, plan).take(); }

}  // namespace skua::cli
