// SPDX-License-Identifier: MIT
// The tasks of a Fock build: basis functions come in tiles, and a task is a quadruple of tiles. Ids count the first
// tile fastest. [retentive-hpdc12 7.1]
#pragma once

#include <algorithm>
#include <cstdint>

namespace skua::apps::hartree_fock {

/// The tiles (I, J | K, L) of a task.
struct quartet {
  std::uint32_t i;
  std::uint32_t j;
  std::uint32_t k;
  std::uint32_t l;
  friend bool operator==(quartet const&, quartet const&) = default;
};

/// Functions in tiles of one size; the last tile is smaller if the size does not divide their number.
struct tiling {
  std::uint32_t functions = 0;
  std::uint32_t tile = 1;

  /// Tiles.
  [[nodiscard]] std::uint32_t count() const noexcept { return (functions + tile - 1) / tile; }
  [[nodiscard]] std::uint32_t first(std::uint32_t t) const noexcept { return t * tile; }
  [[nodiscard]] std::uint32_t size(std::uint32_t t) const noexcept { return std::min(tile, functions - first(t)); }

  [[nodiscard]] std::uint64_t pairs() const noexcept { return std::uint64_t{count()} * count(); }
  [[nodiscard]] std::uint64_t tasks() const noexcept { return pairs() * pairs(); }

  /// The pair (I, J) as a number below pairs().
  [[nodiscard]] std::uint64_t pair(std::uint32_t i, std::uint32_t j) const noexcept {
    return i + std::uint64_t{count()} * j;
  }
  [[nodiscard]] std::uint64_t id_of(quartet const& q) const noexcept {
    return pair(q.i, q.j) + pairs() * pair(q.k, q.l);
  }
  [[nodiscard]] quartet quartet_of(std::uint64_t id) const noexcept {
    std::uint64_t const ij = id % pairs();
    std::uint64_t const kl = id / pairs();
    auto const low = [&](std::uint64_t p) { return static_cast<std::uint32_t>(p % count()); };
    auto const high = [&](std::uint64_t p) { return static_cast<std::uint32_t>(p / count()); };
    return {.i = low(ij), .j = high(ij), .k = low(kl), .l = high(kl)};
  }
};

}  // namespace skua::apps::hartree_fock
