// SPDX-License-Identifier: MIT
// The loads that SMPI's ranks and our simulated ranks both run: what each task takes, who has it first, and the line that tells of an iteration.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "skua/parts/base/dice.hpp"

namespace skua { inline namespace v0 { namespace loads {

struct plan {
  std::uint32_t tasks_per_rank = 16;
  std::uint32_t mean_us = 500;
  std::uint32_t iterations = 4;
  std::uint64_t seed = 1;  ///< of the victims; the tasks are the same for all seeds
};

/// argv[first], ... : tasks per rank, mean in microseconds, iterations, seed.
inline plan plan_of(int argc, char** argv, int first) {
  auto const number = [&](int at, std::uint32_t otherwise) {
    return first + at < argc ? static_cast<std::uint32_t>(std::strtoul(argv[first + at], nullptr, 10)) : otherwise;
  };
  return {number(0, 16), number(1, 500), number(2, 4), number(3, 1)};
}

/// Task t is first on rank t / tasks_per_rank. Tasks of rank 0 take twice the mean, those of the last rank nearly nothing, each up to a half more or
/// less. Whole microseconds, since that is what usleep takes.
inline std::vector<std::uint64_t> durations_us(plan const& p, std::uint32_t ranks) {
  std::uint64_t const count = std::uint64_t{p.tasks_per_rank} * ranks;
  runtime::dice dice(12345);
  std::vector<std::uint64_t> all;
  for (std::uint64_t t = 0; t < count; ++t) {
    double const place = static_cast<double>(t / p.tasks_per_rank) / ranks;
    all.push_back(1 + static_cast<std::uint64_t>(p.mean_us * 2 * (1 - place) * (0.5 + dice.unit())));
  }
  return all;
}

struct iteration {
  std::uint32_t number;
  double attempted;
  double successful;
  std::uint64_t moved;
  std::uint64_t not_once;  ///< tasks that did not run exactly once
  double seconds;
};

inline void print(iteration const& i) {
  std::printf("iteration %u attempted %.0f successful %.0f moved %llu not_once %llu seconds %.9f\n", i.number,
              i.attempted, i.successful, static_cast<unsigned long long>(i.moved),
              static_cast<unsigned long long>(i.not_once), i.seconds);
  std::fflush(stdout);
}

}}}  // namespace skua::v0::loads
