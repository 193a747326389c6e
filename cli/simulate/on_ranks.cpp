// SPDX-License-Identifier: MIT
#include "cli/simulate/on_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "apps/ranks_plan.hpp"
#include "cli/simulate/choice_of_start.hpp"
#include "cli/text/app_arguments.hpp"
#include "cli/text/interrupt.hpp"
#include "cli/text/json_row.hpp"
#include "cli/text/option_values.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/base/options.hpp"
#include "skua/policy/balance/balancers.hpp"

namespace skua::cli {

namespace {

namespace balance = policies::balance;

/// The work of each task as a duration, with the same mean whatever the floor.
std::vector<std::uint64_t> durations_of(apps::ranks_load const& load, double floor) {
  double const mean = std::accumulate(load.work.begin(), load.work.end(), 0.0) / static_cast<double>(load.work.size());
  std::vector<std::uint64_t> all;
  all.reserve(load.work.size());
  for (std::uint64_t const w : load.work) {
    double const units = (1 - floor) * static_cast<double>(w) + floor * mean;
    all.push_back(static_cast<std::uint64_t>(units * load.unit_ns));
  }
  return all;
}

/// What every rank ran, as the balancers take it.
balance::machine_loads loads_of(std::vector<std::vector<std::uint32_t>> const& executed,
                                std::vector<std::uint64_t> const& durations) {
  balance::machine_loads loads(executed.size());
  for (std::size_t r = 0; r < executed.size(); ++r) {
    for (std::uint32_t const t : executed[r]) loads[r].push_back(durations[t]);
  }
  return loads;
}

constexpr std::uint64_t task_bytes = 32;  // of a task that moves

/// Moves tasks between the lists; those that stay keep their order, those that come are last.
void rebalance(std::vector<std::vector<std::uint32_t>>& lists, std::vector<std::uint64_t> const& durations,
               ranks::cluster const& where, balance::balancer const& by, std::uint64_t seed, ranks_iteration& into) {
  balance::machine_loads const loads = loads_of(lists, durations);
  auto const plan = balance::rebalance(loads, by, seed);
  constexpr std::uint32_t gone = ~0U;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> arrivals;
  for (auto const& m : plan.migrations) {
    arrivals.emplace_back(m.receiver, lists[m.donor][m.task]);
    lists[m.donor][m.task] = gone;
  }
  for (auto& list : lists) std::erase(list, gone);
  for (auto const& [to, task] : arrivals) lists[to].push_back(task);
  into.migrations = plan.migrations.size();
  into.over_ideal = plan.report.over_ideal_after();
  into.balancing = ranks::time_to_balance(where, loads, by, seed, task_bytes, stop_if_interrupted);
}

double share_of(std::string_view option, std::string const& text) {
  return read_number(option, text, 0, 1, "a share from 0 to 1");
}

}  // namespace

void rank_flags::add_to(parser command) {
  command = command.in_group("Ranks");
  command.add_option(
      "--ranks", ranks_, "N",
      "simulate ranks of a cluster (--machine hopper, the default, intrepid, titan or FILE) instead of workers");
  command.mode("--balance none", [this] { return balance_ == "none" ? "--balance none" : ""; });
  command.mode("--victims lifelines", [this] { return victims_ == "lifelines" ? "--victims lifelines" : ""; });
  command = command.only_with("--ranks", "only simulated ranks take it");
  parser const of_stealing = command.never_with("--balance none", "no rank tries to steal then");
  command.add_option("--iterations", iterations_, "N", "how often the collection is processed (default: 5)");
  command.add_option("--balance", balance_, "HOW",
                     "between iterations: auto (default), none, steal, retentive, or a balancer");
  command.add_option("--floor", floor_, "SHARE",
                     "fixed time of every task, as a fraction of the mean (default: 0.25; an assumption)");
  command.add_option("--variation", variation_, "SHARE",
                     "by which a task's time differs between iterations, at most (default: 0)");
  command.add_option(
      "--pattern", pattern_, "WORD",
      "of --variation: each (default; anew in each iteration), drift (a wave through the tasks), jump (anew "
      "every 8 iterations) or oscillate (between two)");
  of_stealing.add_option("--longest-pause", pause_, "TIME", "of a rank between two attempts to steal (default: 2ms)");
  of_stealing.add_option("--victims", victims_, "WORD",
                         "of an idle rank: random (default), or lifelines: it asks a few ranks and then waits until a "
                         "buddy sends it tasks");
  parser const of_random = of_stealing.never_with("--victims lifelines", "all their attempts are simulated");
  of_random.add_flag("--every-attempt", every_attempt_, "simulate also the attempts to steal that fail (slow)");
}

void rank_flags::check() const {
  static_cast<void>(ranks());
  static_cast<void>(iterations());
  static_cast<void>(balance());
  static_cast<void>(floor());
  static_cast<void>(variation());
  static_cast<void>(pattern());
  static_cast<void>(longest_pause_ns());
  static_cast<void>(lifelines());
}

std::uint32_t rank_flags::ranks() const { return read_whole_number("--ranks", *ranks_, 1, 10'000'000); }
std::uint32_t rank_flags::iterations() const { return read_whole_number("--iterations", iterations_, 1, 1000); }

rank_flags rank_flags::with(json const& of_app) const {
  rank_flags same = *this;
  auto const take = [&](char const* option, auto& into) {
    if (of_app.contains(option)) into = of_app[option].get<std::string>();
  };
  take("iterations", same.iterations_);
  take("variation", same.variation_);
  take("pattern", same.pattern_);
  return same;
}

void rank_flags::forbid_floor(std::string_view app) {
  if (floor_) refuse_together("--floor", app, "its tasks take no time besides their work");
  floor_ = "0";
}

std::string const& rank_flags::balance() const {
  apps::ranks_plan plan;
  plan.balance = balance_;
  plan.check();
  return balance_;
}

bool rank_flags::lifelines() const {
  if (victims_ != "random" && victims_ != "lifelines") refuse("--victims", victims_, "random or lifelines");
  return victims_ == "lifelines";
}

double rank_flags::floor() const { return share_of("--floor", floor_.value_or("0.25")); }
double rank_flags::variation() const { return share_of("--variation", variation_); }
apps::synthetic::variation_pattern rank_flags::pattern() const {
  using apps::synthetic::pattern_words;
  if (!pattern_) return apps::synthetic::variation_pattern::each;
  apps::synthetic::require_variation(true, variation());
  auto const found = std::ranges::find(pattern_words, *pattern_);
  if (found == pattern_words.end()) refuse("--pattern", *pattern_, "each, drift, jump or oscillate");
  return static_cast<apps::synthetic::variation_pattern>(found - pattern_words.begin());
}

std::uint64_t rank_flags::longest_pause_ns() const {
  auto const pause = runtime::read_duration("--longest-pause", pause_);
  if (pause.count() == 0 || pause == runtime::spin_forever)
    refuse("--longest-pause", pause_, "a time above 0, such as 2ms");
  return static_cast<std::uint64_t>(pause.count());
}

apps::ranks_load load_for_ranks(apps::app& what) {
  apps::ranks_load load = what.ranks() != nullptr ? what.ranks()->load() : apps::ranks_load{};
  if (load.work.empty()) {
    throw usage_error(
        fmt::format("{} has no tasks for simulated ranks: it spawns them, or it does not run on ranks", what.name()));
  }
  return load;
}

std::vector<ranks_iteration> simulate_on_ranks(apps::ranks_load const& load, ranks::cluster const& where,
                                               rank_flags const& flags, std::uint64_t seed,
                                               std::function<void(std::uint32_t)> const& before) {
  apps::ranks_plan plan;
  plan.balance = flags.balance();
  std::vector<std::uint64_t> durations = durations_of(load, flags.floor());
  apps::synthetic::varied_times varied(durations, load.position, flags.variation(), flags.pattern(), seed);
  std::uint32_t const count = flags.ranks();
  std::vector<std::vector<std::uint32_t>> first(count);
  for (std::uint32_t t = 0; t < durations.size(); ++t) {
    first[std::min(static_cast<std::uint32_t>(load.position[t] * count), count - 1)].push_back(t);
  }
  ranks::simulated_ranks all(where, count, durations,
                             {.seed = seed,
                              .longest_pause_ns = flags.longest_pause_ns(),
                              .every_attempt = flags.every_attempt(),
                              .lifelines = flags.lifelines(),
                              .interruption_point = stop_if_interrupted});
  std::vector<ranks_iteration> iterations;
  std::vector<std::vector<std::uint32_t>> lists = first;
  choice_of_start choice(count, durations);
  balance::next_start start{.from = balance::start_of_tasks::original, .steals = plan.steals_in(0)};
  auto const run = [&](std::uint32_t i) {
    stop_if_interrupted();
    before(i);
    ranks_iteration now;
    if (start.from == balance::start_of_tasks::balanced) {
      rebalance(lists, durations, where, balance::make_balancer(plan.is_balancer() ? plan.balance : "hierarchical"),
                seed + i, now);
    } else if (start.from == balance::start_of_tasks::original) {
      lists = first;
    }
    varied.write(i, durations);
    for (std::uint32_t r = 0; r < count; ++r) {
      for (std::uint32_t const t : lists[r]) all.seed(r, t);
    }
    all.stealing(start.steals);
    now.run = all.process();
    if (plan.balance == "auto") {
      auto const balance_s = now.balancing ? std::optional(now.balancing->seconds) : std::nullopt;
      start = choice.next(now.run, balance_s, lists, all.executed());
      now.next = choice.reason();
    } else {
      start = {.from = plan.is_balancer()        ? balance::start_of_tasks::balanced
                       : plan.balance == "steal" ? balance::start_of_tasks::original
                                                 : balance::start_of_tasks::retained,
               .steals = plan.steals_in(i + 1)};
    }
    iterations.push_back(std::move(now));
    lists = all.executed();
  };
  try {
    for (std::uint32_t i = 0; i < flags.iterations(); ++i) run(i);
  } catch (interruption const&) {
    if (iterations.empty()) throw;
  }
  return iterations;
}

report report_of(std::vector<ranks_iteration> const& all, std::string const& balance) {
  report r;
  auto const number = [](double v) { return cell{v, fmt::format("{:.1f}", v)}; };
  for (std::size_t i = 0; i < all.size(); ++i) {
    ranks::simulated_iteration const& run = all[i].run;
    auto const& by = all[i].balancing;
    auto const of_balancing = [&](auto value) { return by ? cell::of(value(*by)) : cell::of(nullptr); };
    using time = ranks::balance_time;
    cell const balancing = by ? cell::seconds(by->seconds) : cell::of(nullptr);
    cell const left = by ? cell::share(all[i].over_ideal) : cell::of(nullptr);
    r.add_named(row_of({.runner = balance, .median_s = run.seconds, .simulated = true},
                       {{"iteration", "iteration", cell::of(i + 1)},
                        {"ideal_s", "ideal", cell::seconds(run.ideal_seconds)},
                        {"efficiency", "efficiency", cell::share(run.efficiency)},
                        {"attempted_mean", "attempts/rank", number(run.attempted.mean)},
                        {"attempted_deviation", "+-", number(run.attempted.deviation)},
                        {"successful_mean", "steals/rank", number(run.successful.mean)},
                        {"successful_deviation", "+-", number(run.successful.deviation)},
                        {"tasks_mean", "tasks/rank", number(run.tasks.mean)},
                        {"tasks_deviation", "+-", number(run.tasks.deviation)},
                        {"tasks_stolen", "", cell::of(run.moved)},
                        {"migrations", "migrations", cell::of(all[i].migrations)},
                        {"balance_s", "balancing", balancing},
                        {"over_ideal_after", "", left},
                        {"balance_messages", "", of_balancing([](time const& t) { return t.messages; })},
                        {"balance_most_messages", "", of_balancing([](time const& t) { return t.most_messages; })},
                        {"balance_most_times", "", of_balancing([](time const& t) { return t.most_times; })},
                        {"next", "", all[i].next.empty() ? cell::of(nullptr) : cell::of(all[i].next)},
                        {"rounds", "", cell::of(run.rounds)},
                        {"events", "", cell::of(run.events)},
                        {"busy_shares", "", cell::of(run.busy)}},
                       {.runner = "", .workers = ""}));
  }
  return r;
}

}  // namespace skua::cli
