// SPDX-License-Identifier: MIT
// How the next iteration of simulated ranks starts under --balance auto: what real ranks would have measured, for policy/balance/balance_choice.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "skua/machine/ranks/simulated/simulated_ranks.hpp"
#include "skua/policy/balance/balance_choice.hpp"

namespace skua::cli {

class choice_of_start {
 public:
  /// `durations`: of each task in the iteration that was run last, in ns; outlives this.
  choice_of_start(std::uint32_t ranks, std::vector<std::uint64_t> const& durations)
      : ranks_(ranks), durations_(durations) {}

  /// After an iteration. `seeded`: where its tasks started; `balance_s`: what the balancing before it took.
  [[nodiscard]] policies::balance::next_start next(ranks::simulated_iteration const& run,
                                                   std::optional<double> balance_s,
                                                   std::vector<std::vector<std::uint32_t>> const& seeded,
                                                   std::vector<std::vector<std::uint32_t>> const& executed);
  [[nodiscard]] std::string const& reason() const noexcept { return choice_.reason(); }

 private:
  std::uint32_t ranks_;
  std::vector<std::uint64_t> const& durations_;
  std::vector<std::uint64_t> last_;
  policies::balance::balance_choice choice_;
};

}  // namespace skua::cli
