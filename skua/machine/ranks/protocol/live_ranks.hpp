// SPDX-License-Identifier: MIT
// The ranks that have not died, numbered anew without gaps. Ranks keep their own numbers; trees and rings are built on positions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "skua/machine/ranks/transport/message.hpp"

namespace skua { inline namespace v0 { namespace ranks {

/// The lowest one, at(0), leads (recovery.md). O(dead ranks) memory and per call.
class live_ranks {
 public:
  explicit live_ranks(rank_number ranks) noexcept : ranks_(ranks) {}

  /// The job's number of ranks at its begin.
  [[nodiscard]] rank_number ranks() const noexcept { return ranks_; }
  [[nodiscard]] rank_number size() const noexcept { return ranks_ - static_cast<rank_number>(dead_.size()); }
  [[nodiscard]] bool is_live(rank_number rank) const noexcept { return !std::ranges::binary_search(dead_, rank); }
  /// In ascending order.
  [[nodiscard]] std::span<rank_number const> dead() const noexcept { return dead_; }

  /// Returns false if the rank was dead before.
  bool remove(rank_number rank) {
    if (!is_live(rank)) return false;
    dead_.insert(std::ranges::lower_bound(dead_, rank), rank);
    return true;
  }

  /// The position of a live rank, 0 .. size() - 1.
  [[nodiscard]] rank_number position_of(rank_number rank) const noexcept {
    return rank - static_cast<rank_number>(std::ranges::lower_bound(dead_, rank) - dead_.begin());
  }
  [[nodiscard]] rank_number at(rank_number position) const noexcept {
    rank_number rank = position;
    for (rank_number const d : dead_) rank += d <= rank ? 1 : 0;
    return rank;
  }
  /// The next live rank after this one, in a ring; the rank itself if it is the only one.
  [[nodiscard]] rank_number after(rank_number rank) const noexcept {
    do {
      rank = rank + 1 < ranks_ ? rank + 1 : 0;
    } while (!is_live(rank));
    return rank;
  }

  /// Calls f(rank) for each live rank.
  template <class F>
  void each(F f) const {
    for (rank_number r = 0; r < ranks_; ++r) {
      if (is_live(r)) f(r);
    }
  }

 private:
  rank_number ranks_;
  std::vector<rank_number> dead_;
};

}}}  // namespace skua::v0::ranks
