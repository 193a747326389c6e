// SPDX-License-Identifier: MIT
// How often a rank with tasks looks for messages.
#pragma once

#include <algorithm>
#include <cstdint>

namespace skua { inline namespace v0 { namespace ranks {

/// Looking costs below a microsecond, but Open MPI yields the processor in each look if the node is oversubscribed, and comes back
/// after a time slice of whatever else runs there. So the pause after a look is some times what the look took. A thief waits at most for the longest pause.
class poll_pace {
 public:
  static constexpr std::uint64_t shortest_ns = 10'000;
  static constexpr std::uint64_t longest_ns = 10'000'000;
  /// Looking takes at most a ninth of the time, unless one takes longer than longest_ns / pauses_per_look.
  static constexpr std::uint64_t pauses_per_look = 8;

  /// Between two tasks.
  [[nodiscard]] bool is_due(std::uint64_t now_ns) const noexcept {
    return now_ns >= ended_ns_ + std::max(pause_ns_, shortest_ns);
  }
  /// Where a task asks for it: at once, unless the last look took long.
  [[nodiscard]] bool is_due_in_task(std::uint64_t now_ns) const noexcept { return now_ns >= ended_ns_ + pause_ns_; }
  void looked(std::uint64_t began_ns, std::uint64_t ended_ns) noexcept {
    ended_ns_ = ended_ns;
    pause_ns_ = std::min(pauses_per_look * (ended_ns - began_ns), longest_ns);
  }

 private:
  std::uint64_t ended_ns_ = 0;
  std::uint64_t pause_ns_ = 0;
};

}}}  // namespace skua::v0::ranks
