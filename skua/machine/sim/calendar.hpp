// SPDX-License-Identifier: MIT
// When each worker moves next, and who is first: a tournament tree with a seat for every worker. One entry per worker is
// all that the engine needs, and a tree of winners answers without moving entries: 2 ns per level.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "skua/machine/sim/costs.hpp"
#include "skua/parts/base/ids.hpp"

namespace skua::sim {

class calendar {
 public:
  static constexpr tick never = std::numeric_limits<tick>::max();

  /// An entry: the earlier one wins, of two at the same tick the one with the lower number on its die.
  struct entry {
    tick at = never;
    std::uint64_t die = 0;
    [[nodiscard]] friend constexpr bool operator<(entry const& a, entry const& b) noexcept {
      return a.at != b.at ? a.at < b.at : a.die < b.die;
    }
  };

  /// Nobody moves yet.
  explicit calendar(std::uint32_t workers)
      : seats_(std::bit_ceil(workers < 2 ? 2U : workers)), entries_(seats_), winners_(seats_) {
    for (std::uint32_t n = seats_; n-- > 1;) winners_[n] = winner_below(n);
  }

  /// The next move of `w`; `never`: it sleeps. Cost: log2(workers) comparisons.
  void set(worker_id w, entry const& e) noexcept {
    entries_[index(w)] = e;
    for (std::uint32_t n = (seats_ + index(w)) / 2; n >= 1; n /= 2) winners_[n] = winner_below(n);
  }

  /// Who moves next, and when (never: nobody does). Cost: two loads.
  [[nodiscard]] worker_id first() const noexcept { return worker_id{winners_[1]}; }
  [[nodiscard]] entry const& of(worker_id w) const noexcept { return entries_[index(w)]; }

 private:
  [[nodiscard]] std::uint32_t contender(std::uint32_t n) const noexcept {
    return n >= seats_ ? n - seats_ : winners_[n];
  }
  [[nodiscard]] std::uint32_t winner_below(std::uint32_t n) const noexcept {
    std::uint32_t const a = contender(2 * n);
    std::uint32_t const b = contender(2 * n + 1);
    return entries_[b] < entries_[a] ? b : a;
  }

  std::uint32_t seats_;                 ///< a power of two
  std::vector<entry> entries_;          ///< by worker
  std::vector<std::uint32_t> winners_;  ///< of the subtree below node n; node 1 is the root
};

}  // namespace skua::sim
