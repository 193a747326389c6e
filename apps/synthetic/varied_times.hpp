// SPDX-License-Identifier: MIT
// Times of tasks that differ between the iterations of a collection, to test what chooses how an iteration starts. Simulated ranks
// and real ones run the same times.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "skua/parts/base/dice.hpp"

namespace skua::apps::synthetic {

/// How tasks' times differ between iterations.
enum class variation_pattern : std::uint8_t {
  each,       ///< anew in each iteration
  drift,      ///< a wave through the tasks, of 16 iterations
  jump,       ///< anew every 8 iterations
  oscillate,  ///< between two draws
};
inline constexpr std::array<std::string_view, 4> pattern_words{"each", "drift", "jump", "oscillate"};

/// Throws usage_error if a pattern is given without a share above 0: then tasks' times do not differ.
void require_variation(bool pattern_is_given, double share);

/// The same for the same seed. Every rank may make its own.
class varied_times {
 public:
  /// `means` in ns; `position` of each task among all, from 0 towards 1, which only drift reads; `share`: by which share of
  /// its mean a time differs from it, at most, 0 to 1.
  varied_times(std::vector<std::uint64_t> means, std::vector<double> position, double share, variation_pattern pattern,
               std::uint64_t seed);

  /// Writes those of iteration `i` = 0, 1, ... Calls must be in this order. Work O(tasks).
  void write(std::uint32_t i, std::span<std::uint64_t> times);

 private:
  void draw(std::uint32_t i);
  /// From -1 to 1.
  [[nodiscard]] double factor(std::uint32_t i, std::size_t t) const;

  std::vector<std::uint64_t> means_;
  std::vector<double> position_;
  double share_;
  variation_pattern pattern_;
  runtime::dice dice_;
  std::array<std::vector<double>, 2> drawn_;
};

}  // namespace skua::apps::synthetic
