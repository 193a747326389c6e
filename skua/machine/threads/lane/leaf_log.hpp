// SPDX-License-Identifier: MIT
// The leaves that one worker ran, in order. Off by default: then a leaf pays one branch, and a fork nothing.
//
// Invariant (one writer): only the worker's own thread calls note. start, stop and take are called where every leaf
// that has begun has been joined and no other can begin. So nothing is locked; the joins publish the rows.
// (leaf_record.hpp)
#pragma once

#include <atomic>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <vector>

#include "skua/parts/base/platform.hpp"
#include "skua/program/footprint.hpp"

namespace skua { inline namespace v0 {

namespace trace {
class track;
}

/// What one worker ran, in order.
struct leaf_rows {
  std::pmr::vector<footprint> ran;
  std::uint64_t lost = 0;  ///< leaves for which there was no memory
};

namespace runtime {

class alignas(cache_line_bytes) leaf_log {
 public:
  /// True while leaves are recorded, in rows or in a trace. The worker asks before every leaf.
  [[nodiscard]] bool is_recording() const noexcept {
    return recording_.load(std::memory_order_relaxed);  // relaxed: the start of the run publishes it
  }
  /// If memory runs out, rows are lost and counted.
  [[gnu::cold, gnu::noinline]] void note(footprint const& leaf) noexcept;

  /// From now on leaves are also written to the trace. Call it before the worker runs.
  void trace_to(trace::track* to) noexcept;

  /// Returns false if the log is already recording. `memory` must outlive `stop`.
  [[nodiscard]] bool start(std::pmr::memory_resource* memory) noexcept;
  void stop() noexcept;
  /// Swaps the rows since the previous call into `rows`, whose own storage (made with the memory of `start`) serves for
  /// the next ones. Constant work.
  void take(leaf_rows& rows) noexcept;

 private:
  std::atomic<bool> recording_{false};
  std::optional<leaf_rows> rows_;  ///< set while rows are recorded
  trace::track* trace_ = nullptr;  ///< null: there is no trace
};

}  // namespace runtime
}}  // namespace skua::v0
