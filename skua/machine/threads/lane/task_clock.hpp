// SPDX-License-Identifier: MIT
// How long a task has run, without the time that it waited. Only for policies that need times: two readings of the clock
// per task, and two per wait.
#pragma once

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
  /// Stops the clock. 0 if it was never on.
  [[nodiscard]] std::uint64_t read() noexcept {
    stop();
    return ran_ns_;
  }

 private:
  std::uint64_t ran_ns_ = 0;
  std::uint64_t since_ns_ = 0;  ///< 0: stopped
  bool is_on_ = false;
};

}}}  // namespace skua::v0::runtime
