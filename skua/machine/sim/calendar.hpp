// SPDX-License-Identifier: MIT
// When each worker moves next, and which worker is first: a tournament tree with one leaf per worker. The engine needs
// a single entry per worker, so a tree of winners can answer without moving entries. The winner of a match is close to
// random, so no branch depends on it: 2 to 3 ns per level.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "skua/machine/sim/costs.hpp"
#include "skua/parts/base/ids.hpp"

namespace skua { inline namespace v0 { namespace sim {

class calendar {
 public:
  static constexpr tick never = std::numeric_limits<tick>::max() - 1;  ///< the last tick but one: see `operator<`

  /// The earlier entry wins; at the same tick the lower die wins.
  struct entry {
    tick time = never;
    std::uint64_t die = 0;
    [[nodiscard]] friend constexpr bool operator<(entry const& a, entry const& b) noexcept {
      // Branch-free; the sum cannot overflow, because no entry is later than `never`.
      return a.time < b.time + static_cast<tick>(a.die < b.die);
    }
  };

  /// No worker has a move yet.
  explicit calendar(std::uint32_t workers)
      : slots_(std::bit_ceil(workers < 2 ? 2U : workers)), entries_(slots_), winners_(2 * std::size_t{slots_}) {
    for (std::uint32_t w = 0; w < slots_; ++w) winners_[slots_ + w] = w;
    for (std::uint32_t n = slots_; n-- > 1;) winners_[n] = winners_[2 * n];
  }

  /// Sets the next move of `w`; `never`: it sleeps. Cost: log2(workers) comparisons.
  void set(worker_id w, entry const& e) noexcept {
    entries_[index(w)] = e;
    std::uint32_t best = index(w);
    entry its = e;
    for (std::uint32_t n = slots_ + index(w); n > 1; n /= 2) {
      std::uint32_t const rival = winners_[n ^ 1U];
      entry const against = entries_[rival];
      std::uint64_t const beaten = std::uint64_t{0} - static_cast<std::uint64_t>(against < its);
      best ^= (best ^ rival) & static_cast<std::uint32_t>(beaten);
      its.time ^= (its.time ^ against.time) & beaten;
      its.die ^= (its.die ^ against.die) & beaten;
      winners_[n / 2] = best;
    }
  }

  /// The worker that moves next; entry_of(first()).time tells when (`never`: no worker moves). Cost: two loads.
  [[nodiscard]] worker_id first() const noexcept { return worker_id{winners_[1]}; }
  [[nodiscard]] entry const& entry_of(worker_id w) const noexcept { return entries_[index(w)]; }

 private:
  std::uint32_t slots_;         ///< a power of two
  std::vector<entry> entries_;  ///< by worker
  std::vector<std::uint32_t>
      winners_;  ///< of the subtree below node n; node 1 is the root, node slots_ + w is worker w
};

}}}  // namespace skua::v0::sim
