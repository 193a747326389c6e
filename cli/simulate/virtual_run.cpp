// SPDX-License-Identifier: MIT
#include "cli/simulate/virtual_run.hpp"

#include <fmt/format.h>

#include <exception>
#include <optional>
#include <utility>
#include <vector>

#include "cli/simulate/interruptible_costs.hpp"
#include "cli/simulate/program.hpp"
#include "cli/simulate/study.hpp"
#include "cli/text/interrupt.hpp"
#include "cli/text/json_row.hpp"
#include "cli/text/progress.hpp"
#include "skua/machine/sim/costs.hpp"
#include "skua/machine/sim/simulate.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/policy/registry.hpp"

namespace skua::cli {
namespace {

/// In ticks of a fork: about as long as workers of a pool search.
constexpr sim::tick spin_ticks = 10'000;

std::string command_of(apps::app const& app, virtual_run const& how, std::uint64_t seed) {
  std::string command = fmt::format("skua run {}", app.name());
  for (auto const& [option, value] : how.options.items())
    command += fmt::format(" --{} {}", option, value.get<std::string>());
  return fmt::format("{} --virtual --schedule-seed {} --workers {} --policy {}", command, seed, how.where.workers(),
                     how.policy);
}

/// Equal for equal orders of tasks, leaves and fibers on the same workers (FNV-1a).
std::string fingerprint(sim::run_result const& run) {
  std::uint64_t hash = 0xcbf2'9ce4'8422'2325ULL;
  auto const mix = [&hash](std::uint64_t value) { hash = (hash ^ value) * 0x100'0000'01b3ULL; };
  for (tree_node_id const i : run.order) {
    mix(i);
    mix(index(run.turns[i].worker));
  }
  return fmt::format("{:016x}", hash);
}

std::vector<named_cell> run_once(apps::app& app, virtual_run const& how, std::uint64_t seed) {
  sim::rules const by{.seed = seed, .spin_ticks = spin_ticks, .ticks_per_ns = 1};
  sim::flat_costs flat(by);
  interruptible_costs costs(flat);
  sim::observer nobody;
  auto const scheduler = policies::make_policy(how.policy, how.where, seed);
  app.reset();
  apps::simulable& program = simulation_of(app);
  auto const body = [&](sim::here& h) { program.run_simulated(h, how.where.places()); };
  sim::simulation const done = simulate(body, *scheduler, how.where, by, costs, nobody);
  if (how.verify) {
    if (std::string const found = app.wrong(); !found.empty()) throw error("wrong answer: " + found);
  }
  sim::worker_counters const sum = sum_of(done.result.workers);
  common_keys const common{.runner = how.policy,
                           .workers = how.where.workers(),
                           .median_s = {},  // steps have no duration
                           .verified = how.verify ? std::optional(true) : std::nullopt,
                           .simulated = true};
  return row_of(common,
                {{"seed", "seed", cell::of(seed)},
                 {"events", "events", cell::of(done.result.moves)},
                 {"tasks_and_leaves", "tasks and leaves", cell::of(done.result.order.size())},
                 {"steals", "steals", cell::of(sum.steals)},
                 {"probes", "", cell::of(sum.probes)},
                 {"parked", "parked", cell::of(sum.parks)},
                 {"sent", "sent", cell::of(sum.sent)},
                 {"sleeps", "sleeps", cell::of(sum.naps)},
                 {"fingerprint", "fingerprint", cell::of(fingerprint(done.result)), false}},
                {.runner = "", .workers = "", .median = "", .verified = "verified"});
}

}  // namespace

virtual_results run_virtually(apps::app& app, virtual_run const& how) {
  report rows;
  progress bar;
  std::uint32_t done = 0;
  for (; done < how.repeat && !interrupted(); ++done) {
    std::uint64_t const seed = std::uint64_t{how.seed} + done;
    if (done > 0) keep_after_interrupts();
    bar.show(done, how.repeat, fmt::format("{} on virtual workers, seed {}", app.name(), seed));
    try {
      rows.add_named(run_once(app, how, seed));
    } catch (interruption const&) {
      break;
    } catch (std::exception const& fault) {
      throw error(fmt::format("{}; to repeat it: {}", fault.what(), command_of(app, how, seed)));
    }
  }
  if (done == 0) stop_if_interrupted();
  finish_in_spite_of_interrupts();
  std::string heading = fmt::format("{} on {} with {}: the order of events, not their times\n", app.name(), how.policy,
                                    in_words(how.where.workers(), "virtual worker"));
  heading += interrupt_line(done, how.repeat, "run");
  json document = document_of("run --virtual", app.name(), how.options, true);
  document["rows"] = rows.rows();
  return {.document = std::move(document), .text = heading + rows.text("  "), .runs = done};
}

}  // namespace skua::cli
