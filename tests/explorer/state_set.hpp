// SPDX-License-Identifier: MIT
// The states that a search has seen: millions of 64-bit numbers, to which it only adds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace skua { inline namespace v0 { namespace explorer {

/// Open addressing with linear probing: the numbers are hashes already. At most half full.
class state_set {
 public:
  /// False if it was there.
  bool insert(std::uint64_t state) {
    if (state == free) state = ~free;
    std::uint64_t& place = place_of(state);
    if (place == state) return false;
    place = state;
    if (++size_ * 2 > slots_.size()) grow();
    return true;
  }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  static constexpr std::uint64_t free = 0;

  std::uint64_t& place_of(std::uint64_t state) noexcept {
    std::size_t const mask = slots_.size() - 1;
    std::size_t at = static_cast<std::size_t>(state) & mask;
    while (slots_[at] != free && slots_[at] != state) at = (at + 1) & mask;
    return slots_[at];
  }
  void grow() {
    std::vector<std::uint64_t> old(slots_.size() * 2, free);
    old.swap(slots_);
    for (std::uint64_t const state : old) {
      if (state != free) place_of(state) = state;
    }
  }

  std::vector<std::uint64_t> slots_ = std::vector<std::uint64_t>(1024, free);
  std::size_t size_ = 0;
};

}}}  // namespace skua::v0::explorer
