// SPDX-License-Identifier: MIT
// Whether other threads, of other programs or of another runtime in this one, keep the processors busy. A thread that spins there uses up the time slice in
// which the one that it waits for would run, and then stands behind others itself: under load, spins of 50 us cost 1.2 to 1.7 times the run (docs/openmp.md).
#pragma once

#include <atomic>
#include <cstdint>

namespace skua { inline namespace v0 { namespace runtime {

/// Any thread. Times in ns of a monotonic clock. Each look after a spell costs a time slice if the machine is still busy, so spells that follow each other become longer.
class busy_spell {
 public:
  /// The process's: whoever spins tells it what it sees, and heeds it.
  [[nodiscard]] static busy_spell& of_process() noexcept {
    static constinit busy_spell all;
    return all;
  }

  /// Between two looks at the clock that are a few microseconds of spinning apart: a long gap means that the thread had no processor. Returns the end of the
  /// spell if this began one, else 0.
  std::uint64_t saw(std::uint64_t before_ns, std::uint64_t now_ns) noexcept {
    if (now_ns - before_ns <= lost_ns) return 0;
    std::uint64_t ended = ends_ns_.load(std::memory_order_relaxed);  // relaxed, here and below: advice
    if (now_ns < ended) return 0;
    std::uint32_t const lasts = lasts_ns_.load(std::memory_order_relaxed);
    std::uint32_t const next = ended == 0 || now_ns - ended > lasts ? first_ns
                               : lasts < longest_ns                 ? 2 * lasts
                                                                    : longest_ns;
    // Of threads that see it at once, one begins the spell.
    if (!ends_ns_.compare_exchange_strong(ended, now_ns + next, std::memory_order_relaxed)) return 0;
    lasts_ns_.store(next, std::memory_order_relaxed);
    return now_ns + next;
  }
  /// For tests: begins or ends a spell.
  void lasts_until(std::uint64_t end_ns) noexcept { ends_ns_.store(end_ns, std::memory_order_relaxed); }
  /// True: do not spin, or let others run between two looks.
  [[nodiscard]] bool is_on(std::uint64_t now_ns) const noexcept {
    return now_ns < ends_ns_.load(std::memory_order_relaxed);  // relaxed: as above
  }

  static constexpr std::uint64_t lost_ns = 300'000;       ///< longer than an interrupt, shorter than a time slice
  static constexpr std::uint32_t first_ns = 100'000'000;  ///< then a spin tries again
  static constexpr std::uint32_t longest_ns = 1'600'000'000;

 private:
  std::atomic<std::uint64_t> ends_ns_{0};
  std::atomic<std::uint32_t> lasts_ns_{first_ns};
};

}}}  // namespace skua::v0::runtime
