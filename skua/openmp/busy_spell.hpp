// SPDX-License-Identifier: MIT
// Whether other programs keep the processors busy. A thread that spins there uses up the time slice in which the one that it waits for would run, and then
// stands behind others itself: under load, spins of 50 us cost 1.2 to 1.7 times the run (docs/openmp.md).
#pragma once

#include <atomic>
#include <cstdint>

namespace skua { inline namespace v0 { namespace openmp {

/// Any thread. Times in ns of a monotonic clock.
class busy_spell {
 public:
  /// Between two looks at the clock that are a few microseconds of spinning apart: a long gap means that the thread had no processor.
  void saw(std::uint64_t before_ns, std::uint64_t now_ns) noexcept {
    if (now_ns - before_ns > lost_ns) ends_ns_.store(now_ns + lasts_ns, std::memory_order_relaxed);  // relaxed: advice
  }
  /// True: do not spin.
  [[nodiscard]] bool is_on(std::uint64_t now_ns) const noexcept {
    return now_ns < ends_ns_.load(std::memory_order_relaxed);  // relaxed: as above
  }

  static constexpr std::uint64_t lost_ns = 300'000;       ///< longer than an interrupt, shorter than a time slice
  static constexpr std::uint64_t lasts_ns = 100'000'000;  ///< then a spin tries again

 private:
  std::atomic<std::uint64_t> ends_ns_{0};
};

}}}  // namespace skua::v0::openmp
