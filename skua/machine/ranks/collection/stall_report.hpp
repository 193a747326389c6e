// SPDX-License-Identifier: MIT
// Reports on standard error which rank waits for which, for users whose process() or other collective call does not end.
#pragma once

#include <cstdint>
#include <string>

namespace skua { inline namespace v0 { namespace ranks {

/// Of one rank. SKUA_STALL (a duration, as 30s): after this time without a task, a rank within process() reports
/// repeatedly what it waits for, and so does one that waits this long in another collective call; unset or 0: never.
class stall_report {
 public:
  /// Throws usage_error for a value that is not a duration. Reads with getenv.
  stall_report();
  /// The same, but a value that is not a duration counts as never: the program's first collection will refuse it.
  [[nodiscard]] static stall_report or_never() noexcept;

  [[nodiscard]] bool is_on() const noexcept { return every_ns_ > 0; }
  /// A task ran, or the wait begins.
  void restart() noexcept { since_ns_ = 0; }
  /// Called while no task runs: true when the next line is due.
  [[nodiscard]] bool is_due(std::uint64_t now_ns) noexcept {
    if (every_ns_ == 0) return false;
    if (since_ns_ == 0) next_ns_ = (since_ns_ = now_ns) + every_ns_;
    if (now_ns < next_ns_) return false;
    next_ns_ = now_ns + every_ns_;
    return true;
  }
  /// Writes the line: "rank 3: WHAT for 30000 ms: STATE".
  void tell(std::uint32_t rank, std::string const& what, std::string const& state, std::uint64_t now_ns) const;

 private:
  explicit stall_report(std::uint64_t every_ns) noexcept : every_ns_(every_ns) {}

  std::uint64_t every_ns_ = 0;
  std::uint64_t since_ns_ = 0;
  std::uint64_t next_ns_ = 0;
};

}}}  // namespace skua::v0::ranks
