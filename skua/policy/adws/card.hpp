// SPDX-License-Identifier: MIT
// What ADWS writes on a task: its range, the group that it belongs to, and what it is. README.md, "what a task knows".
#pragma once

#include <bit>
#include <cstdint>

#include "skua/policy/adws/range.hpp"
#include "skua/policy/adws/tree.hpp"
#include "skua/policy/vocabulary.hpp"

namespace skua::adws {

/// What is written on a task: its range, the group that it belongs to, what it is.
struct card {
  range where;
  node_id group = none;
  bool is_root = false;     ///< the one task from outside that is spread over the region
  bool is_outside = false;  ///< a task from outside, root or free
  bool is_fixed = false;    ///< its groups are not divided any more: its range is where it may be stolen
  bool is_free = false;     ///< a task from outside while there is a root, or a piece of one: anybody may steal of it

  [[nodiscard]] static card read(tag const& t) noexcept;
  [[nodiscard]] tag written() const noexcept;
  /// May still divide its range among workers.
  [[nodiscard]] bool is_search_root() const noexcept { return !is_fixed && !is_free && where.spans(); }
};

inline constexpr std::uint64_t everybody = ~std::uint64_t{0};  // the first word of a free task
inline constexpr std::uint64_t root_bit = 1ULL << 32;
inline constexpr std::uint64_t fixed_bit = 1ULL << 33;
inline constexpr std::uint64_t free_bit = 1ULL << 34;
inline constexpr std::uint64_t outside_bit = 1ULL << 35;
inline constexpr std::uint64_t known_bit = 1ULL << 36;  // a tag of zeros is nobody's

inline card card::read(tag const& t) noexcept {
  std::uint64_t const what = t.words[3];
  if ((what & known_bit) == 0) {  // stolen: only the range in which it was shown is known
    if (t.words[0] == everybody) return {.where = {}, .is_fixed = true, .is_free = true};
    return {.where = unpacked(t.words[0]), .is_fixed = true};
  }
  return {.where = {.right = std::bit_cast<double>(t.words[1]), .left = std::bit_cast<double>(t.words[2])},
          .group = static_cast<node_id>(what & 0xffff'ffffU),
          .is_root = (what & root_bit) != 0,
          .is_outside = (what & outside_bit) != 0,
          .is_fixed = (what & fixed_bit) != 0,
          .is_free = (what & free_bit) != 0};
}

inline tag card::written() const noexcept {
  return {{is_free ? everybody : packed(where), std::bit_cast<std::uint64_t>(where.right),
           std::bit_cast<std::uint64_t>(where.left),
           std::uint64_t{group} | known_bit | (is_root ? root_bit : 0) | (is_fixed ? fixed_bit : 0) |
               (is_free ? free_bit : 0) | (is_outside ? outside_bit : 0)}};
}

}  // namespace skua::adws
