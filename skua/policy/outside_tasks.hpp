// SPDX-License-Identifier: MIT
// The tasks that enter a region from outside. A policy that spreads or follows such a task does so with one at a time,
// the root; the others are free: thieves may steal from them. adws/root_model.cpp runs every schedule.
#pragma once

#include <cstdint>

#include "skua/parts/base/sync.hpp"

namespace skua { inline namespace v0 { namespace policies {

/// Shared by the workers of one region; any of them may call anything.
template <runtime::synchronisation Sync = runtime::real_sync>
class outside_tasks {
 public:
  /// A task arrives. True: it is the root until `root_ends` or `root_is_freed`, and sees everything done before the
  /// last root's end. False: it is free until `free_ends`.
  [[nodiscard]] bool begin(bool may_be_root) noexcept {
    // acquire: after the last root has ended. Partner: root_ends.
    if (may_be_root && !has_root_.exchange(true, std::memory_order_acquire)) return true;
    free_.fetch_add(1, std::memory_order_relaxed);  // relaxed: a hint for thieves
    return false;
  }
  void root_ends() noexcept {
    has_root_.store(false, std::memory_order_release);  // release: what the root did. Partner: begin
  }
  /// The root is no longer spread or followed, and ends with `free_ends`.
  void root_is_freed() noexcept {
    free_.fetch_add(1, std::memory_order_relaxed);  // relaxed: as in begin
    root_ends();
  }
  void free_ends() noexcept {
    free_.fetch_sub(1, std::memory_order_relaxed);  // relaxed: as in begin
  }
  [[nodiscard]] bool any_free() const noexcept {
    return free_.load(std::memory_order_relaxed) > 0;  // relaxed: a hint
  }

 private:
  typename Sync::template atomic<bool> has_root_{false};
  typename Sync::template atomic<std::uint32_t> free_{0};
};

}}}  // namespace skua::v0::policies
