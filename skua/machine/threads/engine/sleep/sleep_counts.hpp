// SPDX-License-Identifier: MIT
// How many workers of a pool search and how many sleep, in one word (sleep.md). The others run tasks.
#pragma once

#include <cstdint>

namespace skua { inline namespace v0 { namespace runtime {

struct sleep_counts {
  std::uint64_t word = 0;

  static constexpr std::uint64_t one_asleep = 1;
  static constexpr std::uint64_t one_searching = std::uint64_t{1} << 32;

  [[nodiscard]] constexpr std::uint32_t asleep() const noexcept { return static_cast<std::uint32_t>(word); }
  [[nodiscard]] constexpr std::uint32_t searching() const noexcept { return static_cast<std::uint32_t>(word >> 32); }
};

}}}  // namespace skua::v0::runtime
