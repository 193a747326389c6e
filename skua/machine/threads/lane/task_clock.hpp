// SPDX-License-Identifier: MIT
// How long a task has run, without the time that it waited. Only for policies that need times: two readings of the clock
// per task, and two per wait. Of short tasks of one kind that follow each other some have one reading together: it takes 20 ns, and waits
// for the instructions before it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "skua/parts/base/clock.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// Off until `begin(true)`. Then `go` and `stop` alternate; a repeated call has no effect.
class task_clock {
 public:
  /// A task begins: it has run for no time. `is_needed`: its policy needs times.
  void begin(bool is_needed) noexcept {
    is_on_ = is_needed;
    ran_ns_ = 0;
    since_ns_ = 0;
    untold_ = 0;
    together_ = 1;
    go();
  }
  void go() noexcept {
    if (is_on_ && since_ns_ == 0) since_ns_ = clock_ns();
  }
  void stop() noexcept {
    if (since_ns_ == 0) return;
    ran_ns_ += clock_ns() - since_ns_;
    since_ns_ = 0;
  }
  /// How long the task has run since it began, or since the last lap; the next one begins. One reading of the clock.
  [[nodiscard]] std::uint64_t lap() noexcept {
    if (!is_on_) return 0;
    std::uint64_t const now = clock_ns();
    return std::exchange(ran_ns_, 0) + (now - std::exchange(since_ns_, now));
  }
  /// The task has ended, and another one begins. `is_alike`: one of the same kind. Returns how long the task has run: the mean of those that
  /// ended since the last reading; or `otherwise`, without a reading, while these have taken less than `together_ns` by what the last
  /// reading told.
  [[nodiscard]] std::uint64_t lap(bool is_alike, std::uint64_t otherwise) noexcept {
    if (!is_on_) return 0;
    if (++untold_ < together_ && is_alike) return otherwise;
    std::uint64_t const mean = mean_of(lap(), untold_);
    untold_ = 0;
    together_ =
        is_alike ? static_cast<std::uint32_t>(std::clamp<std::uint64_t>(together_ns / mean, 1, most_together)) : 1;
    return mean;
  }
  static constexpr std::uint64_t together_ns = 4'000;
  static constexpr std::uint32_t most_together = 8;

  /// Stops the clock; as lap. 0 if it was never on.
  [[nodiscard]] std::uint64_t read() noexcept {
    stop();
    return untold_ == 0 ? ran_ns_ : mean_of(ran_ns_, untold_ + 1);
  }

 private:
  static std::uint64_t mean_of(std::uint64_t ns, std::uint32_t tasks) noexcept {
    return std::max<std::uint64_t>(tasks == 1 ? ns : ns / tasks, 1);
  }

  std::uint64_t ran_ns_ = 0;
  std::uint64_t since_ns_ = 0;  ///< 0: stopped
  std::uint32_t untold_ = 0;    ///< tasks that have ended since the last reading
  std::uint32_t together_ = 1;  ///< tasks that have one reading
  bool is_on_ = false;
};

}}}  // namespace skua::v0::runtime
