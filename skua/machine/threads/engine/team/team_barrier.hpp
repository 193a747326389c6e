// SPDX-License-Identifier: MIT
// The counts of a team: who is at the barrier, and who has left. Generic in the atomics; every schedule:
// team_barrier_model.cpp. States and proof: team.md.
#pragma once

#include <atomic>
#include <cstdint>

#include "skua/parts/base/sync.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// Each member has its own way to wait; whoever is told to lets all go that wait. Between `arrive` and being let go, and
/// after `depart`, a member touches nothing here.
template <synchronisation Sync = real_sync>
class team_barrier {
 public:
  explicit team_barrier(std::uint32_t members) noexcept : word_(members) {}

  /// True: all others that have not left wait. The caller calls `open`, and then lets them go.
  [[nodiscard]] bool arrive() noexcept {
    // acq_rel: what we did, and that we wait, for whoever opens; what the others did, if that is us. Pairs with: itself
    return is_full(word_.fetch_add(one_there, std::memory_order_acq_rel) + one_there);
  }
  /// Nobody else touches the barrier: the others wait.
  void open() noexcept {
    std::uint64_t const w = word_.load(std::memory_order_relaxed);  // relaxed: nobody else writes
    word_.store(w % one_there, std::memory_order_relaxed);          // relaxed: letting go orders
  }

  enum class departure : std::uint8_t {
    unnoticed,  ///< others are still at work
    opens,      ///< all others wait: the caller calls `open`, and then lets them go
    last,       ///< nobody is left, and what all members did is visible
  };
  [[nodiscard]] departure depart() noexcept {
    std::uint64_t const w = word_.fetch_sub(1, std::memory_order_acq_rel) - 1;  // acq_rel: as in arrive
    if (w == 0) return departure::last;
    return is_full(w) ? departure::opens : departure::unnoticed;
  }

 private:
  static constexpr std::uint64_t one_there = std::uint64_t{1} << 32;
  static bool is_full(std::uint64_t w) noexcept { return w / one_there == w % one_there; }

  typename Sync::template atomic<std::uint64_t> word_;  ///< members that are there, and members that have not left
};

}}}  // namespace skua::v0::runtime
