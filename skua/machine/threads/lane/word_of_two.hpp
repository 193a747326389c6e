// SPDX-License-Identifier: MIT
// The word of a join of two as its owner stores it. (group.md, "The word")
#pragma once

#include <cstdint>

#include "skua/parts/base/assert.hpp"

namespace skua { inline namespace v0 { namespace runtime {

struct stop_node;

/// Two children, and the node that the owner watches when it forks.
class word_of_two {
 public:
  explicit word_of_two(stop_node const* watched) noexcept
      : bits_(reinterpret_cast<std::uintptr_t>(watched) | std::uint64_t{2}) {
    invariant(watched_in(bits_) == watched, "a stop_node's address has three zero bits below, and six above");
  }
  [[nodiscard]] stop_node const* watched() const noexcept {
    return reinterpret_cast<stop_node const*>(static_cast<std::uintptr_t>(bits_ & ~counted));
  }
  [[nodiscard]] std::uint64_t bits() const noexcept { return bits_; }

  /// In any later state of the word.
  [[nodiscard]] static stop_node const* watched_in(std::uint64_t word) noexcept {
    return reinterpret_cast<stop_node const*>(static_cast<std::uintptr_t>(word & address));
  }
  static constexpr std::uint64_t counted = 7;
  static constexpr std::uint64_t address = ((std::uint64_t{1} << 58) - 1) & ~counted;

 private:
  std::uint64_t bits_;
};

}}}  // namespace skua::v0::runtime
