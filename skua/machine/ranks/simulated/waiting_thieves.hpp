// SPDX-License-Identifier: MIT
// Thieves whose next requests are drawn instead of sent, up to the first that may succeed. simulated.md has the states and why the
// draw is fair.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "skua/machine/ranks/simulated/attempt_times.hpp"
#include "skua/machine/ranks/simulated/givers.hpp"
#include "skua/parts/base/dice.hpp"

namespace skua { inline namespace v0 { namespace ranks {

class waiting_thieves {
 public:
  waiting_thieves(std::uint32_t ranks, std::uint64_t seed);

  /// A rank's queue has changed; `gives`: a thief would get tasks from it now. Returns true if more ranks give than any
  /// draw has assumed: every waiting thief must then stop and draw again.
  [[nodiscard]] bool note(std::uint32_t rank, bool gives);

  [[nodiscard]] bool waits(std::uint32_t rank) const noexcept { return thieves_[rank].waits; }
  /// Draws how many requests surely fail. Returns the time of the next one. Precondition: the rank does not wait.
  std::uint64_t wait(std::uint32_t rank, attempt_times const& times);
  /// The time of a waiting thief's request that may succeed.
  [[nodiscard]] std::uint64_t due_ns(std::uint32_t rank) const noexcept { return thieves_[rank].due_ns; }

  /// The failed requests, and the time of the next one.
  struct failures {
    std::uint64_t attempts = 0;
    std::uint64_t next_ns = 0;
  };
  /// The outcome of the request that is due.
  struct draw {
    std::optional<std::uint32_t> victim;  ///< unset: it failed, too
    failures earlier;                     ///< includes the request if it failed
  };
  /// The thief stops waiting.
  [[nodiscard]] draw request(std::uint32_t rank);
  /// The thief stops waiting; its requests before `now_ns` failed.
  [[nodiscard]] failures stop(std::uint32_t rank, std::uint64_t now_ns);

  /// Precondition: no rank waits and none gives.
  void clear();

 private:
  struct thief {
    attempt_times times;
    std::uint64_t due = 0;  ///< number of the request that may succeed
    std::uint64_t due_ns = 0;
    std::uint32_t bar = 0;
    bool waits = false;
  };

  [[nodiscard]] std::uint32_t bar_for(std::uint32_t giving) const noexcept;

  std::vector<thief> thieves_;
  givers givers_;
  std::uint32_t bar_;  ///< no fewer than the giving ranks
  runtime::dice dice_;
};

}}}  // namespace skua::v0::ranks
