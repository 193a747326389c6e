// SPDX-License-Identifier: MIT
#include "cli/report/findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string_view>

#include "cli/text/report.hpp"
#include "skua/policy/registry.hpp"

namespace skua::cli::traced {
namespace {

/// Runs the program again as the user has changed it, and compares the two traces.
std::string try_changed(run_numbers const& n, std::string const& trace) {
  return command_again(n.how, setting::none, "", trace);
}

/// Runs the program again under `policy`, and compares the two traces.
std::string try_policy(run_numbers const& n, std::string const& policy) {
  return command_again(n.how, setting::policy, policy, policy + ".trace");
}

/// What shares of time are parts of.
std::string_view of_run(run_numbers const& n) { return n.known < 1 ? "the known part of the run" : "the run"; }

bool is_for_places(std::string const& policy) {
  std::string_view const name = policies::without_prefixes(policy);
  return name.starts_with("adws") || name.starts_with("numa-ws");
}

std::optional<finding> tasks_too_short(run_numbers const& n, thresholds const& t) {
  if (n.scheduling <= t.scheduling || n.work <= 0) return std::nullopt;
  // Longer tasks are fewer by the same factor, and so is what they cost.
  double const factor = std::max(2.0, std::ceil(n.scheduling / n.work / t.scheduling_aim));
  std::string const mean =
      n.tasks > 0 ? fmt::format(" A traced task works {} on average.", in_seconds(n.mean_task_s)) : "";
  return finding{.key = "tasks_too_short",
                 .cost = n.scheduling,
                 .limit = "The tasks are too short for the cost of scheduling them.",
                 .evidence = fmt::format("Scheduling takes {} of the workers' time.{}", in_percent(n.scheduling), mean),
                 .advice = fmt::format("Stop forking {:.0f} times earlier: a larger cut-off, or a larger grain of the "
                                       "loop. Then scheduling falls to about {}.",
                                       factor, in_percent(t.scheduling_aim, 0)),
                 .command = try_changed(n, "coarser.trace")};
}

std::optional<finding> too_few_tasks(run_numbers const& n, thresholds const& t) {
  if (n.workers < 2 || n.starved <= t.starved || n.known <= 0) return std::nullopt;
  double const per_worker = static_cast<double>(n.tasks) / n.workers;
  bool const in_vain = static_cast<double>(n.attempts) > t.attempts_per_steal * static_cast<double>(n.steals);
  bool const are_few = n.is_whole && per_worker < t.tasks_per_worker;
  if (!are_few && !in_vain && n.asleep < n.idle) return std::nullopt;  // who sleeps has found nothing for long
  std::string advice = are_few ? fmt::format(
                                     "Cut the work into more tasks: with {:.0f} per worker, the other workers balance "
                                     "one long task.",
                                     t.tasks_per_worker)
                               : "Fork earlier, so that thieves find tasks; or use fewer workers.";
  auto const enough =
      static_cast<std::uint32_t>(std::clamp(std::ceil(n.mean_busy), 1.0, static_cast<double>(n.workers)));
  return finding{
      .key = "too_few_tasks",
      .cost = n.starved,
      .limit = "There are too few tasks at a time to keep all workers busy.",
      .evidence = fmt::format(
          "Workers search without success or sleep for {} of their time while others work: {} to steal "
          "got {}; {:.1f} of {} workers work on average.",
          in_percent(n.starved), in_words(n.attempts, "attempt"), in_words(n.steals, "task"), n.mean_busy, n.workers),
      .advice = std::move(advice),
      .command = command_again(n.how, setting::workers, fmt::format("{}", enough), "fewer.trace")};
}

std::optional<finding> steals_from_far(run_numbers const& n, thresholds const& t) {
  if (!n.far_steals || *n.far_steals < t.far_steals) return std::nullopt;
  if (!n.inflation || *n.inflation < t.inflation) return std::nullopt;
  std::string const policy = n.policy.starts_with("numa-ws") ? "adws" : "numa-ws";
  return finding{
      .key = "steals_from_far",
      .cost = n.work * (1 - 1 / *n.inflation),
      .limit = "Tasks run far from their data.",
      .evidence = fmt::format("{} of the steals cross to another NUMA node, and the same work takes {:.2f} times as "
                              "long as on one worker.",
                              in_percent(*n.far_steals, 0), *n.inflation),
      .advice = policies::without_prefixes(policy) == "numa-ws"
                    ? "Give the tasks place hints, skua::at{place}, and let the policy numa-ws prefer "
                      "near victims; or give them work hints, and let adws keep them in place."
                    : "Give the tasks work hints and let the policy adws keep them in place.",
      .command = try_policy(n, policy)};
}

bool has_too_many_workers(run_numbers const& n) { return n.processors > 0 && n.workers > n.processors; }

std::optional<finding> too_many_workers(run_numbers const& n, thresholds const&) {
  if (!has_too_many_workers(n)) return std::nullopt;
  return finding{
      .key = "too_many_workers",
      .cost = n.work * (1 - static_cast<double>(n.processors) / n.workers),
      .limit = "There are more workers than processors: they take turns.",
      .evidence = fmt::format("{} share {}.", in_words(n.workers, "worker"), in_words(n.processors, "processor")),
      .advice = "Give each worker a processor of its own. A worker that is not running holds up others.",
      .command = command_again(n.how, setting::workers, fmt::format("{}", n.processors), "fewer.trace")};
}

std::optional<finding> work_inflates(run_numbers const& n, thresholds const& t) {
  if (has_too_many_workers(n)) return std::nullopt;  // time of others that run in between counts as work
  if (!n.inflation || *n.inflation < t.inflation) return std::nullopt;
  if (n.far_steals && *n.far_steals >= t.far_steals) return std::nullopt;  // far steals are the cause
  std::string const policy = is_for_places(n.policy) ? "hierarchical" : "adws";
  return finding{.key = "work_inflates",
                 .cost = n.work * (1 - 1 / *n.inflation),
                 .limit =
                     "The same work takes longer on several workers: they share memory bandwidth or caches, or pull "
                     "data from each other.",
                 .evidence = fmt::format("W_P/T_1 is {:.2f}.", *n.inflation),
                 .advice =
                     "Keep tasks that share data on one place: work hints with adws, place hints with numa-ws. If "
                     "nothing changes, memory bandwidth is the limit, and blocks that fit the caches help.",
                 .command = try_policy(n, policy)};
}

std::optional<finding> data_moves(run_numbers const& n, thresholds const& t) {
  if (n.workers < 2 || n.iterations < 3 || !n.overlap || *n.overlap >= t.overlap) return std::nullopt;
  bool const has_adws = policies::without_prefixes(n.policy).starts_with("adws");
  return finding{
      .key = "data_moves",
      .cost = n.work * (1 - *n.overlap) * 0.1,
      .limit = "Data change their worker between iterations, so workers reload them from other caches and NUMA nodes.",
      .evidence = fmt::format("{} of the bytes stay on their worker from one iteration to the next.",
                              in_percent(*n.overlap, 0)),
      .advice = has_adws
                    ? "The work hints do not match the tasks' times: let skua::work::measured measure them, or use the "
                      "policy replay."
                    : "The policy adws gives the same tasks to the same workers, in proportion to their work hints.",
      .command = try_policy(n, has_adws ? "replay" : "adws")};
}

std::optional<finding> long_last_task(run_numbers const& n, thresholds const& t) {
  if (n.workers < 2 || n.tail <= t.tail) return std::nullopt;
  std::string const what = n.tail_task.empty() ? "A task" : fmt::format("A task, {},", n.tail_task);
  return finding{
      .key = "long_last_task",
      .cost = n.tail * (1 - 1.0 / n.workers),
      .limit = "One long task at the end keeps the other workers waiting: it is the critical path.",
      .evidence = fmt::format("{} works alone for the last {} of {}.", what, in_percent(n.tail), of_run(n)),
      .advice = "Split it, or start it first: fork it before its siblings, or give it a larger work or order hint.",
      .command = try_changed(n, "split.trace")};
}

std::optional<finding> serial_part(run_numbers const& n, thresholds const& t) {
  double const alone = n.with_one - n.tail;
  if (n.workers < 2 || n.idle + n.asleep <= t.waiting || alone <= t.with_one) return std::nullopt;
  return finding{
      .key = "serial_part",
      .cost = alone * (1 - 1.0 / n.workers),
      .limit = "A serial part keeps all workers but one waiting.",
      .evidence = fmt::format("Exactly one worker works for {} of {}; workers search or sleep for {} of their time.",
                              in_percent(alone), of_run(n), in_percent(n.idle + n.asleep)),
      .advice = fmt::format("Fork inside that part: find it in the time lines below. As long as it stays, {}.",
                            1 / alone < 1.05
                                ? "more workers do not make the run faster"
                                : fmt::format("more workers make the run at most {:.1f} times as fast", 1 / alone)),
      .command = try_changed(n, "forked.trace")};
}

std::optional<finding> outside_the_pool(run_numbers const& n, thresholds const& t) {
  if (n.with_none <= t.with_none || n.idle + n.asleep <= t.waiting) return std::nullopt;
  return finding{.key = "outside_the_pool",
                 .cost = n.with_none,
                 .limit = "Time is spent outside the pool: no worker has a task.",
                 .evidence = fmt::format("No worker works for {} of {}.", in_percent(n.with_none), of_run(n)),
                 .advice =
                     "Input, output or serial code between calls of the pool takes that time: move it into tasks, or "
                     "let it overlap with them.",
                 .command = try_changed(n, "overlapped.trace")};
}

}  // namespace

std::vector<finding> findings_of(run_numbers const& n, thresholds const& t) {
  std::vector<finding> all;
  for (auto const& rule : {tasks_too_short, too_few_tasks, too_many_workers, steals_from_far, work_inflates, data_moves,
                           long_last_task, serial_part, outside_the_pool}) {
    if (std::optional<finding> f = rule(n, t)) all.push_back(std::move(*f));
  }
  std::ranges::stable_sort(all, std::greater{}, &finding::cost);
  return all;
}

std::vector<std::string> looked_for(thresholds const& t) {
  auto const p = [](double share) { return in_percent(share, 0); };
  return {
      fmt::format("Tasks too short: scheduling takes more than {} of the workers' time.", p(t.scheduling)),
      fmt::format(
          "Too few tasks: workers search without success, or sleep, for more than {} of their time while others "
          "work, and there are fewer than {:.0f} tasks per worker, more than {:.0f} attempts per steal, or more "
          "sleep than search.",
          p(t.starved), t.tasks_per_worker, t.attempts_per_steal),
      "Too many workers: several have the same processor.",
      fmt::format(
          "Steals from far: at least {} of them cross to another NUMA node, and work inflation W_P/T_1 is at least "
          "{:.1f}. Inflation needs the trace of a run of the same program on one worker beside this one.",
          p(t.far_steals), t.inflation),
      fmt::format("Work inflation of at least {:.1f} without that.", t.inflation),
      fmt::format("Data that move: less than {} of the bytes stay on their worker between iterations.", p(t.overlap)),
      fmt::format("A long last task: one worker works alone for more than {} of the run at its end.", p(t.tail)),
      fmt::format("A serial part: one worker works alone for more than {} of the run, and workers search or sleep for "
                  "more than "
                  "{} of their time.",
                  p(t.with_one), p(t.waiting)),
      fmt::format("Time outside the pool: no worker works for more than {} of the run.", p(t.with_none)),
  };
}

}  // namespace skua::cli::traced
