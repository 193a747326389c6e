// SPDX-License-Identifier: MIT
// The bottlenecks of a run, in plain words, and what to try: pure functions of a few numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/report/again.hpp"

namespace skua::cli::traced {

/// Shares are parts of 1. Those of time are parts of the time of all workers, if nothing else is said.
struct run_numbers {
  start_of_run how;
  std::string policy;
  std::uint32_t workers = 1;
  double work = 1, scheduling = 0, idle = 0, asleep = 0;
  double mean_busy = 1;          ///< workers that worked at once, on average
  double with_one = 0;           ///< of the run's length: exactly one worker worked
  double with_none = 0;          ///< of the run's length: no worker worked
  double starved = 0;            ///< of the workers' time: they search or sleep while several others work
  std::uint32_t processors = 0;  ///< of the workers; 0: unknown
  double tail = 0;               ///< of the run's length, at its end: one worker worked, the others had finished
  double known = 1;       ///< of the run's length, what all workers did is known; with_one and others are parts of that
  bool is_whole = true;   ///< nothing is missing: counts are those of the run, and not lower bounds
  std::string tail_task;  ///< that ran then
  std::uint64_t tasks = 0;  ///< that ended
  double mean_task_s = 0;   ///< own time
  std::uint64_t attempts = 0, steals = 0;
  std::optional<double> far_steals;  ///< of the steals, from another NUMA node; unset: nodes are unknown
  std::optional<double> inflation;   ///< W_P / T_1
  std::optional<double> overlap;     ///< of tasks over iterations
  std::size_t iterations = 0;
};

struct finding {
  std::string key;       ///< for machines
  double cost = 0;       ///< about the share of the workers' time that it takes: the order of findings
  std::string limit;     ///< the bottleneck: a sentence
  std::string evidence;  ///< with the numbers
  std::string advice;    ///< what to change, and why that helps
  std::string command;   ///< that tries it, or measures the change; empty if there is none
};

/// The thresholds of findings. Below these, a change of the schedule gains less than runs differ from each other.
struct thresholds {
  double scheduling = 0.10;        ///< per-task costs: a fork and a steal are some ns and some us
  double scheduling_aim = 0.05;    ///< what longer tasks should bring it down to
  double starved = 0.20;           ///< searching, or asleep, while others work
  double tasks_per_worker = 8;     ///< fewer leave nothing to steal when tasks differ
  double attempts_per_steal = 10;  ///< more means that there was nothing to find
  double far_steals = 0.50;        ///< a random victim on two nodes is far in half of all steals
  double inflation = 1.20;         ///< work that takes a fifth longer than on one worker
  double overlap = 0.80;           ///< of bytes that stay, in the middle of all iterations
  double tail = 0.10;              ///< of the run's length
  double waiting = 0.10;           ///< searching, or asleep: below that, workers that do not work schedule
  double with_one = 0.20;          ///< of the run's length; more than one part in five is Amdahl's bound of 5
  double with_none = 0.20;         ///< of the run's length
};

/// The most expensive first; none if nothing limits the run.
[[nodiscard]] std::vector<finding> findings_of(run_numbers const& n, thresholds const& t = {});

/// What findings_of looks for, a sentence each with its threshold.
[[nodiscard]] std::vector<std::string> looked_for(thresholds const& t = {});

}  // namespace skua::cli::traced
