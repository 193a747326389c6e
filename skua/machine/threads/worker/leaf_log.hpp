// SPDX-License-Identifier: MIT
// The leaves that one worker ran, in its order. Off by default: then a leaf pays one branch, and a fork nothing.
//
// Invariant (one writer): only the worker's own thread notes. Whoever starts, stops or takes does so where every leaf that
// has begun has been joined and no other can begin, so nothing is locked: the joins publish the rows. (leaf_record.hpp)
#pragma once

#include <atomic>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <vector>

#include "skua/parts/base/platform.hpp"
#include "skua/program/footprint.hpp"

namespace skua {

/// What one worker ran, in the order in which it ran it.
struct leaf_rows {
  std::pmr::vector<footprint> ran;
  std::uint64_t lost = 0;  ///< leaves for which there was no memory
};

namespace runtime {

class alignas(cache_line_bytes) leaf_log {
 public:
  /// For the worker, before every leaf.
  [[nodiscard]] bool is_recording() const noexcept {
    return recording_.load(std::memory_order_relaxed);  // relaxed: the run's start publishes it
  }
  /// Where memory ends, rows are lost and counted.
  [[gnu::cold, gnu::noinline]] void note(footprint const& what) noexcept;

  /// False: it is being kept already. `memory` must outlive `stop`.
  [[nodiscard]] bool start(std::pmr::memory_resource* memory) noexcept;
  void stop() noexcept;
  /// What was noted since the last time comes into `rows`, which was made with the memory of `start`; what was there
  /// serves for what comes next. Constant work.
  void take(leaf_rows& rows) noexcept;

 private:
  std::atomic<bool> recording_{false};
  std::optional<leaf_rows> rows_;  ///< while it is kept
};

}  // namespace runtime
}  // namespace skua
