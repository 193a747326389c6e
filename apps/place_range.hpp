// SPDX-License-Identifier: MIT
// Ownership: things in a row, shared out over the places of a pool in equal contiguous pieces. [numa-ws-2018 III-A]
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "skua/parts/base/ids.hpp"

namespace skua::apps {

/// `count` neighbouring places from `first` on. 0, the default: the program gives no place hints.
struct place_range {
  std::uint32_t first = 0;
  std::uint32_t count = 0;

  /// The place that owns thing i of n, i < n; nothing if there are no places.
  [[nodiscard]] constexpr std::optional<place_id> owner(std::size_t i, std::size_t n) const noexcept {
    if (count == 0) return std::nullopt;
    return place_id{first + static_cast<std::uint32_t>(i * count / n)};
  }

  /// The places of the i-th of four parts of the work: its share, but at least one. No places divide into no places.
  [[nodiscard]] constexpr place_range quarter(std::uint32_t i) const noexcept {
    if (count == 0) return {};
    std::uint32_t const begin = count * i / 4;
    std::uint32_t const end = count * (i + 1) / 4;
    return {first + begin, end > begin ? end - begin : 1};
  }

  /// The places of two parts of the work. A single place is not divided: both parts get it.
  [[nodiscard]] constexpr std::pair<place_range, place_range> halves() const noexcept {
    if (count < 2) return {*this, *this};
    std::uint32_t const left = count / 2;
    return {{first, left}, {first + left, count - left}};
  }
};

}  // namespace skua::apps
