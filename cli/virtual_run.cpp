// SPDX-License-Identifier: MIT
#include "cli/virtual_run.hpp"

#include <fmt/format.h>

#include <exception>

#include "cli/interrupt.hpp"
#include "cli/table.hpp"
#include "skua/machine/sim/costs.hpp"
#include "skua/machine/sim/simulate.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/policy/registry.hpp"

namespace skua::cli {
namespace {

/// As the threads machine does, in ticks of a fork.
constexpr sim::tick spin_ticks = 10'000;

std::string command_of(apps::app const& app, virtual_run const& how, std::uint64_t seed) {
  std::string words = fmt::format("skua run {}", app.name());
  for (auto const& [option, value] : how.options.items())
    words += fmt::format(" --{} {}", option, value.get<std::string>());
  return fmt::format("{} --virtual --schedule-seed {} --workers {} --policy {}", words, seed, how.where.workers(),
                     how.policy);
}

/// Equal for runs with the same order of tasks, leaves and steps on the same workers (FNV-1a).
std::string fingerprint(sim::run_result const& result) {
  std::uint64_t hash = 0xcbf2'9ce4'8422'2325ULL;
  auto const mix = [&hash](std::uint64_t value) { hash = (hash ^ value) * 0x100'0000'01b3ULL; };
  for (node_id const i : result.order) {
    mix(i);
    mix(index(result.turns[i].who));
  }
  return fmt::format("{:016x}", hash);
}

json run_one(apps::app& app, virtual_run const& how, std::uint64_t seed) {
  sim::rules const by{
      .seed = seed, .spin_ticks = spin_ticks, .most_searching = (how.where.workers() + 1) / 2, .ticks_per_ns = 1};
  sim::flat_costs prices(by);
  sim::observer nobody;
  auto const scheduler = policies::make_policy(how.policy, how.where, seed);
  app.reset();
  auto const run = [&](sim::here& h) { app.run_simulated(h, how.where.places()); };
  sim::simulation const done = simulate(run, *scheduler, how.where, by, prices, nobody);
  if (how.verify) {
    if (std::string const found = app.wrong(); !found.empty()) throw error("wrong answer: " + found);
  }
  sim::worker_counters sum;
  for (sim::worker_counters const& w : done.result.workers) {
    sum.steals += w.steals;
    sum.probes += w.probes;
    sum.parks += w.parks;
    sum.sent += w.sent;
    sum.naps += w.naps;
  }
  return {{"policy", how.policy},
          {"workers", how.where.workers()},
          {"seed", seed},
          {"verified", how.verify ? json(true) : json()},
          {"events", done.result.moves},
          {"tasks_and_leaves", done.result.order.size()},
          {"steals", sum.steals},
          {"probes", sum.probes},
          {"parks", sum.parks},
          {"sent", sum.sent},
          {"naps", sum.naps},
          {"fingerprint", fingerprint(done.result)}};
}

}  // namespace

json run_virtually(apps::app& app, virtual_run const& how) {
  json all{{"app", app.name()}, {"virtual", true}, {"options", how.options}, {"rows", json::array()}};
  for (std::uint32_t i = 0; i < how.repeat; ++i) {
    stop_if_interrupted();
    std::uint64_t const seed = std::uint64_t{how.seed} + i;
    try {
      all["rows"].push_back(run_one(app, how, seed));
    } catch (std::exception const& fault) {
      throw error(fmt::format("{}; to repeat it: {}", fault.what(), command_of(app, how, seed)));
    }
  }
  stop_if_interrupted();
  return all;
}

std::string virtual_text(json const& document) {
  table t({{"seed", true},
           {"events", true},
           {"tasks and leaves", true},
           {"steals", true},
           {"parks", true},
           {"sent", true},
           {"naps", true},
           {"fingerprint"},
           {"answer"}});
  for (json const& row : document["rows"]) {
    std::vector<std::string> cells;
    for (char const* key : {"seed", "events", "tasks_and_leaves", "steals", "parks", "sent", "naps"})
      cells.push_back(row[key].dump());
    cells.push_back(row["fingerprint"].get<std::string>());
    cells.push_back(row["verified"].is_null() ? "not checked" : "right");
    t.add(std::move(cells));
  }
  json const& first = document["rows"].front();
  return fmt::format("{} on {} with {} virtual workers: who does what when, but no times\n{}",
                     document["app"].get<std::string>(), first["policy"].get<std::string>(),
                     first["workers"].get<unsigned>(), t.text("  "));
}

}  // namespace skua::cli
