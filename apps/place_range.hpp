// SPDX-License-Identifier: MIT
// Ownership: things in a row, shared out over the places of a pool in equal contiguous pieces. [numa-ws-2018 III-A]
#pragma once

#include <algorithm>
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

  /// The place for a part of the work, items begin .. end-1 of n: the owner of its middle, hence of most of it; for a
  /// part larger than a share, the owner of the middle of its first share. The owner of `begin` will not do: a part
  /// that begins just before a boundary would go to the place before it.
  [[nodiscard]] constexpr std::optional<place_id> owner_of_part(std::size_t begin, std::size_t end,
                                                                std::size_t n) const noexcept {
    if (count == 0) return std::nullopt;
    return owner(begin + std::min(end - begin, n / count) / 2, n);
  }

  /// The first of n things that this place, or one after it, owns. Precondition: count > 0.
  [[nodiscard]] constexpr std::size_t first_of(std::uint32_t place, std::size_t n) const noexcept {
    return ((place - first) * n + count - 1) / count;
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
