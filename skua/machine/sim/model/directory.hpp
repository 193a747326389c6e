// SPDX-License-Identifier: MIT
// Which caches hold a part of a block: a bit per core (private cache) and per place (shared cache), and a mask of the
// lines that are newer in some cache than in memory.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "skua/machine/sim/model/cache.hpp"

namespace skua { inline namespace v0 { namespace sim {

/// A set of small numbers; its words belong to the caller.
class bits {
 public:
  bits(std::uint64_t* words, std::uint32_t count) noexcept : words_(words), count_(count) {}

  void set(std::uint32_t i) noexcept { words_[i / 64] |= std::uint64_t{1} << (i % 64); }
  void clear(std::uint32_t i) noexcept { words_[i / 64] &= ~(std::uint64_t{1} << (i % 64)); }
  [[nodiscard]] bool has(std::uint32_t i) const noexcept { return (words_[i / 64] >> (i % 64) & 1) != 0; }

  /// Whether the set holds anything but `i`.
  [[nodiscard]] bool others(std::uint32_t i) const noexcept {
    std::uint64_t all = 0;
    for (std::uint32_t w = 0; w < count_; ++w) all |= words_[w] & ~(w == i / 64 ? std::uint64_t{1} << (i % 64) : 0);
    return all != 0;
  }

  /// Calls visit(i) in ascending order; `visit` may clear i.
  template <class Visit>
  void each(Visit visit) const {
    for (std::uint32_t w = 0; w < count_; ++w) {
      for (std::uint64_t left = words_[w]; left != 0; left &= left - 1)
        visit(w * 64 + static_cast<std::uint32_t>(std::countr_zero(left)));
    }
  }

 private:
  std::uint64_t* words_;
  std::uint32_t count_;
};

class directory {
 public:
  directory(std::uint32_t cores, std::uint32_t places) noexcept
      : core_words_((cores + 63) / 64), place_words_((places + 63) / 64) {}

  /// Makes room for blocks 0 .. blocks-1. Invalidates references and sets.
  void grow(std::size_t blocks) { words_.resize(blocks * stride(), 0); }

  [[nodiscard]] line_set& dirty(block_id b) noexcept { return words_[b * stride()]; }
  [[nodiscard]] bits holders(block_id b) noexcept { return {&words_[b * stride() + 1], core_words_}; }
  [[nodiscard]] bits places(block_id b) noexcept { return {&words_[b * stride() + 1 + core_words_], place_words_}; }

 private:
  [[nodiscard]] std::size_t stride() const noexcept { return std::size_t{1} + core_words_ + place_words_; }

  std::uint32_t core_words_;
  std::uint32_t place_words_;
  std::vector<std::uint64_t> words_;
};

}}}  // namespace skua::v0::sim
