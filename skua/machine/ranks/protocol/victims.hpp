// SPDX-License-Identifier: MIT
// Chooses the rank that is asked for tasks: first one that shares the thief's memory, then any.
#pragma once

#include <algorithm>
#include <cstdint>

#include "skua/machine/ranks/transport/transport.hpp"
#include "skua/parts/base/dice.hpp"

namespace skua { inline namespace v0 { namespace ranks {

/// Ranks draw from streams of their own: equal streams would send all thieves to the same victims.
class victims {
 public:
  victims(std::uint64_t seed, rank_number rank, rank_number ranks, transport::neighbours node) noexcept
      : dice_(runtime::dice(seed ^ (0x9e37'79b9'7f4a'7c15ULL * (rank + 1))).next()), rank_(rank), ranks_(ranks),
        node_(node) {}

  /// Another rank; there must be one. `failed`: failed attempts since the last success.
  [[nodiscard]] rank_number next(std::uint32_t failed) noexcept {
    return draws_anybody(failed) ? another_in({0, ranks_}) : another_in(node_);
  }

  /// True if `next` draws from all ranks.
  [[nodiscard]] bool draws_anybody(std::uint32_t failed) const noexcept {
    std::uint32_t const peers = node_.last - node_.first - 1;
    return failed >= std::min(peers, tries_on_the_node);
  }

 private:
  static constexpr std::uint32_t tries_on_the_node = 2;

  /// Draws uniformly from all ranks of the interval but this one.
  [[nodiscard]] rank_number another_in(transport::neighbours all) noexcept {
    rank_number const drawn = all.first + dice_.below(all.last - all.first - 1);
    return drawn < rank_ ? drawn : drawn + 1;
  }

  runtime::dice dice_;
  rank_number rank_;
  rank_number ranks_;
  transport::neighbours node_;
};

}}}  // namespace skua::v0::ranks
