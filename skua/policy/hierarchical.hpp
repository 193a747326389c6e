// SPDX-License-Identifier: MIT
// Hierarchical work stealing: near before far. The search tries the nearest ring of the topology first; enough misses
// move it one ring out, and a successful steal moves it back to the nearest.
// [min-iancu-yelick-11: hierarchical victim selection; the baseline "hierarchical WS" of adws-sc19 6]
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "skua/parts/base/dice.hpp"
#include "skua/policy/greedy.hpp"

namespace skua { inline namespace v0 { namespace policies {

/// The other workers in rings of equal distance, nearest first. The search leaves a ring of n workers after patience *
/// n misses;
/// leaving the last ring ends the round. Sizes are fixed at construction.
/// leaving the last ring ends the round. Sizes are fixed at construction.
class ring_victims {
 public:
  ring_victims(worker_id self, layout const& where, std::uint32_t patience);

  std::optional<worker_id> next(runtime::dice& roll) noexcept;
  void missed() noexcept;
  void leave_ring() noexcept {
    misses_ = 0;
    ++ring_;
  }
  void restart() noexcept;

  [[nodiscard]] std::uint32_t rings() const noexcept { return static_cast<std::uint32_t>(ends_.size()); }

 private:
  [[nodiscard]] std::uint32_t begin() const noexcept { return ring_ == 0 ? 0 : ends_[ring_ - 1]; }
  [[nodiscard]] std::uint32_t size() const noexcept { return ends_[ring_] - begin(); }

  std::vector<worker_id> others_;    ///< by distance, then by number
  std::vector<std::uint32_t> ends_;  ///< ring r is others_[ends_[r-1] .. ends_[r]); no ring is empty
  std::uint32_t patience_;
  std::uint32_t ring_ = 0;
  std::uint32_t misses_ = 0;  ///< in this ring
};

/// The policy `hierarchical`. Hints are ignored. `patience` >= 1: see ring_victims.
class hierarchical_stealing final : public greedy_policy<ring_victims> {
 public:
  hierarchical_stealing(layout const& where, std::uint64_t seed, std::uint32_t patience = 1);
  [[nodiscard]] std::string_view name() const noexcept override { return "hierarchical"; }
};

}}}  // namespace skua::v0::policies
