// SPDX-License-Identifier: MIT
// The iterations of a run, and the balance of each. Programs name them in three ways; the first one present counts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/report/activity.hpp"

namespace skua::cli::traced {

struct iteration {
  std::int64_t number = 0;
  std::uint64_t from_ns = 0, to_ns = 0;
};

struct iterations_of_run {
  std::string by;  ///< what tells them apart, in words; empty: nothing does
  std::vector<iteration> all;
};

/// By marks named "iteration", each up to the next; by iteration_began and iteration_ended; or by the calls from outside that
/// have the same name and follow each other, if there are at least two.
[[nodiscard]] iterations_of_run iterations_of(run const& of);

struct iteration_balance {
  std::uint64_t steals = 0;
  std::uint64_t moved = 0;           ///< tasks sent and frames moved to another worker by the policy
  std::optional<double> efficiency;  ///< work / (workers x length), of what is known; unset if nothing is
};

/// One per iteration.
[[nodiscard]] std::vector<iteration_balance> balance_of(run const& of, history const& h,
                                                        std::vector<iteration> const& all);

}  // namespace skua::cli::traced
