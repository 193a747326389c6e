// SPDX-License-Identifier: MIT
// The ranks from which a thief could get tasks now: those whose queue shares some. simulated.md has their purpose.
#pragma once

#include <cstdint>
#include <vector>

namespace skua { inline namespace v0 { namespace ranks {

class givers {
 public:
  explicit givers(std::uint32_t ranks) : place_(ranks, nowhere) {}

  [[nodiscard]] std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(all_.size()); }
  /// The i-th giver, in an order that depends on the run alone.
  [[nodiscard]] std::uint32_t at(std::uint32_t i) const noexcept { return all_[i]; }

  /// `gives`: the rank shares tasks now. O(1).
  void note(std::uint32_t rank, bool gives) {
    bool const is_in = place_[rank] != nowhere;
    if (gives == is_in) return;
    if (gives) {
      place_[rank] = size();
      all_.push_back(rank);
      return;
    }
    std::uint32_t const last = all_.back();
    all_[place_[rank]] = last;
    place_[last] = place_[rank];
    place_[rank] = nowhere;
    all_.pop_back();
  }

 private:
  static constexpr std::uint32_t nowhere = ~0U;

  std::vector<std::uint32_t> all_;
  std::vector<std::uint32_t> place_;  ///< by rank
};

}}}  // namespace skua::v0::ranks
