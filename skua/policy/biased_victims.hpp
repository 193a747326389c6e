// SPDX-License-Identifier: MIT
// Chooses victims by distance: near workers more often than far ones, but each with a chance. The locality-biased steals
// of NUMA-WS.
// [numa-ws-2018 III-B, IV]
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "skua/parts/base/dice.hpp"
#include "skua/parts/topology/layout.hpp"

namespace skua { inline namespace v0 { namespace policies {

/// The other workers in three classes: *local* (in this worker's place), *near* (the nearest places other than its
/// own), *far* (the rest). A local worker is chosen `bias` times as often as a near one, a near one `bias` times as
/// often as a far one.
/// The round ends after as many misses as there are workers. Sizes are fixed at construction.
///
/// Invariant (chance): of P workers each victim is chosen with probability >= 1/(cP), c = bias^2, unless `local_only`;
/// the weights are bias^2, bias and 1, and P-1 of them are at most (P-1) bias^2.
class biased_victims {
 public:
  /// `bias` >= 1; 1: all with the same probability. `local_only`: no worker outside this worker's place.
  biased_victims(worker_id self, layout const& where, std::uint32_t bias, bool local_only = false);

  std::optional<worker_id> next(runtime::dice& roll) noexcept;
  void missed() noexcept { ++misses_; }
  void restart() noexcept { misses_ = 0; }

  /// The probability that this worker is the next victim. Cost: linear in workers.
  [[nodiscard]] double probability_of(worker_id w) const noexcept;

 private:
  struct ring {
    std::uint32_t begin = 0;  ///< in others_
    std::uint32_t size = 0;
    std::uint32_t weight = 0;  ///< of one worker
  };
  [[nodiscard]] std::uint32_t whole() const noexcept;

  std::vector<worker_id> others_;  ///< local, near, far; those that may be chosen
  std::array<ring, 3> rings_{};
  std::uint32_t workers_;
  std::uint32_t misses_ = 0;
};

}}}  // namespace skua::v0::policies
