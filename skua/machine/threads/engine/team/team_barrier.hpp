// SPDX-License-Identifier: MIT
// The counts of a team: the members at the barrier, and the members that have not left. Generic in the atomics; every schedule:
// team_barrier_model.cpp. States and proof: team.md.
#pragma once

#include <atomic>
#include <cstdint>

#include "skua/parts/base/sync.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// The last arriver releases the waiters; how they wait is up to the caller. Between `arrive` and its release, and after
/// `depart`, a member touches nothing here.
template <synchronisation Sync = real_sync>
class team_barrier {
 public:
  explicit team_barrier(std::uint32_t members) noexcept : word_(members) {}

  /// True: all other members that have not left are waiting. The caller calls `open`, and then releases them.
  [[nodiscard]] bool arrive() noexcept {
    // acq_rel: publishes what we did, and that we wait, to the last arriver, which acquires it. Pairs with: itself
    return is_full(word_.fetch_add(one_there, std::memory_order_acq_rel) + one_there);
  }
  /// No other member touches the barrier meanwhile: all of them wait.
  void open() noexcept {
    std::uint64_t const w = word_.load(std::memory_order_relaxed);  // relaxed: no other member writes
    word_.store(w % one_there, std::memory_order_relaxed);          // relaxed: the release of the waiters orders
  }

  enum class departure : std::uint8_t {
    unnoticed,  ///< other members still run
    opens,      ///< all others wait: the caller calls `open`, and then releases them
    last,       ///< no member is left, and what all members did is visible
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
