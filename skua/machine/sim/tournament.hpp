// SPDX-License-Identifier: MIT
// The least of a number of keys, one per worker: a tournament tree with one leaf per worker. Each node holds its winner's
// key, so that all rivals on a path are read at once, and the winner of a match, which is close to random, decides no branch.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "skua/parts/base/ids.hpp"

namespace skua { inline namespace v0 { namespace sim {

class tournament {
 public:
  /// Two words, the upper one first: two compare as one number.
  __extension__ using key = unsigned __int128;
  static constexpr key none = ~key{0};  ///< above every other

  explicit tournament(std::uint32_t workers)
      : slots_(std::bit_ceil(workers < 2 ? 2U : workers)), winners_(2 * std::size_t{slots_}, none) {}

  /// Cost: log2(workers) comparisons.
  void set(worker_id w, key its) noexcept {
    std::uint32_t n = slots_ + index(w);
    winners_[n] = its;
    for (; n > 1; n /= 2) {
      key const rival = winners_[n ^ 1U];
      its = rival < its ? rival : its;
      winners_[n / 2] = its;
    }
  }

  [[nodiscard]] key least() const noexcept { return winners_[1]; }
  [[nodiscard]] key of(worker_id w) const noexcept { return winners_[slots_ + index(w)]; }

 private:
  std::uint32_t slots_;       ///< a power of two
  std::vector<key> winners_;  ///< of the subtree below node n; node 1 is the root, node slots_ + w is worker w
};

}}}  // namespace skua::v0::sim
