// SPDX-License-Identifier: MIT
// Scheduling strategies: each worker runs its own tasks in the order of their strategies until it has none, then steals
// half of the work of a near worker, in its own order of those tasks. [strategies-2013 2, 3]
// Where strategies have a global key, a worker now and then takes a task of another worker that is more urgent than its own first one
// (parts/ordered/urgency_board.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "skua/policy/greedy.hpp"
#include "skua/policy/hierarchical.hpp"

namespace skua { inline namespace v0 { namespace policies {

/// One random victim of each ring of the topology, the nearest ring first. [strategies-2013 3]
class one_per_ring {
 public:
  one_per_ring(worker_id self, layout const& where) : rings_(self, where, 1) {}

  std::optional<worker_id> next(runtime::dice& roll) noexcept { return rings_.next(roll); }
  void missed() noexcept { rings_.leave_ring(); }
  void restart() noexcept { rings_.restart(); }

 private:
  ring_victims rings_;
};

/// A spawn runs inline if its expected number of tasks is below the square of the number queued here: the longer the
/// own queue, the heavier the tasks that need not be in it. The paper leaves the rule open; this one is from its
/// authors' code.
/// [strategies-2013 2]
[[nodiscard]] constexpr bool converts(std::uint64_t weight, std::uint64_t queued) noexcept {
  return queued >= (std::uint64_t{1} << 32) || weight <= queued * queued;
}

class strategies_worker final : public greedy_worker<one_per_ring> {
 public:
  strategies_worker(worker_id self, layout const& where, std::uint64_t seed);
  [[nodiscard]] bool calls_instead(std::uint64_t weight, std::uint64_t queued) const noexcept override {
    return converts(weight, queued);
  }
};

struct strategies_options {
  bool lifo = false;              ///< ignores strategies: all tasks have the root's order, and none runs inline
  std::uint32_t urgency_us = 20;  ///< between two looks of a worker for more urgent tasks of others; 0: it never looks
};

[[nodiscard]] constexpr policy_needs needs_of(strategies_options const& chosen) noexcept {
  return {.lanes = {lane::ordered}, .strategies = !chosen.lifo, .urgency_us = chosen.lifo ? 0 : chosen.urgency_us};
}

/// The policy `strategies`. Hints are ignored.
class configurable_strategies final : public per_worker<strategies_worker> {
 public:
  configurable_strategies(layout const& where, std::uint64_t seed, strategies_options options = {});
  [[nodiscard]] std::string_view name() const noexcept override { return "strategies"; }
  [[nodiscard]] policy_needs needs() const noexcept override { return needs_of(options_); }

 private:
  strategies_options const options_;
};

}}}  // namespace skua::v0::policies
