// SPDX-License-Identifier: MIT
// When the owner of a deque takes the bias back: after a number of pops in a row without a steal. The cost of the last
// revocation determines the number. The deque of the threads machine (deque.hpp) and the simulated one follow this rule.
#pragma once

#include <algorithm>
#include <cstdint>

namespace skua { inline namespace v0 { namespace runtime {

struct bias_rule {
  std::uint16_t least = 64;   ///< pops, at first and at least
  std::uint16_t most = 4096;  ///< ... and at most

  /// The owner answered the thief: the revocation cost little more than a steal.
  [[nodiscard]] constexpr std::uint16_t after_answer(std::uint16_t pops) const noexcept {
    return std::max<std::uint16_t>(pops / 2, least);
  }
  /// The thief needed a heavy fence, which interrupts every running worker.
  [[nodiscard]] constexpr std::uint16_t after_heavy_fence(std::uint16_t pops) const noexcept {
    return static_cast<std::uint16_t>(std::min<int>(4 * pops, most));
  }
};

}}}  // namespace skua::v0::runtime
