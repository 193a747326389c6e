// SPDX-License-Identifier: MIT
// Whether the process is touching memory for the first time. Then the kernel chooses the NUMA node of each page for good, and a
// policy may want tasks to stay where it put them (rested::first_touches). The indicator is that the process's count of minor
// page faults grows.
#pragma once

#include <atomic>
#include <cstdint>

#include "skua/policy/vocabulary.hpp"

namespace skua { inline namespace v0 { namespace runtime {

class first_touches {
 public:
  explicit first_touches(std::uint32_t workers) noexcept : period_ns_(policies::first_touches_period_ns(workers)) {}

  /// True if the process has touched new memory in one of the last two periods, and before the second look. For an idle worker.
  /// Cost: two loads; once per period, for one of all workers, a system call that visits all threads.
  [[nodiscard]] bool seen(std::uint64_t now_ns) noexcept {
    if (now_ns >= next_look_ns_.load(std::memory_order_relaxed)) look(now_ns);  // relaxed: the exchange decides
    return grew_.load(std::memory_order_relaxed) != 0;                          // relaxed: a hint
  }

 private:
  void look(std::uint64_t now_ns) noexcept;

  std::uint64_t const period_ns_;
  std::atomic<std::uint64_t> next_look_ns_{0};
  std::atomic<std::int64_t> faults_{0};
  std::atomic<std::uint32_t> grew_{3};  ///< bit 0: at the last look, bit 1: at the one before
};

}}}  // namespace skua::v0::runtime
