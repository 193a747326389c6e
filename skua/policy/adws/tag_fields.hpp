// SPDX-License-Identifier: MIT
// What ADWS writes on a task: its range, its group and its kind. README.md, "what a task knows".
#pragma once

#include <bit>
#include <cstdint>

#include "skua/policy/adws/range.hpp"
#include "skua/policy/adws/tree.hpp"
#include "skua/policy/vocabulary.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace adws {

/// A task's range, group and kind.
struct tag_fields {
  adws::range range;
  group_id group = {};
  bool is_root = false;     ///< the one task from outside that is spread over the region
  bool is_outside = false;  ///< a task from outside, root or free
  bool is_fixed = false;    ///< its groups are no longer divided: it may be stolen within its range
  bool is_free = false;     ///< a task from outside beside the root, or a part of one: any worker may steal from it

  [[nodiscard]] static tag_fields read(task_tag const& t) noexcept;
  [[nodiscard]] task_tag written() const noexcept;
  /// True if it may still divide its range among workers.
  [[nodiscard]] bool is_search_root() const noexcept { return !is_fixed && !is_free && range.spans(); }
};

// The first word, which thieves see: the number of its group's node plus one. 0: it has no group, and no worker may
// steal it.
inline constexpr std::uint64_t everybody = ~std::uint64_t{0};

inline constexpr std::uint64_t root_bit = 1;
inline constexpr std::uint64_t fixed_bit = 2;
inline constexpr std::uint64_t outside_bit = 8;
inline constexpr std::uint64_t known_bit =
    16;  // unset: only the first word is known, from the task that it was stolen from
inline constexpr int level_shift = 32;

inline node_id node_of(std::uint64_t first_word) noexcept {
  return first_word == 0 || first_word == everybody ? none : static_cast<node_id>(first_word - 1);
}

inline tag_fields tag_fields::read(task_tag const& t) noexcept {
  std::uint64_t const what = t.words[3];
  bool const is_known = (what & known_bit) != 0;
  return {.range = {.right = std::bit_cast<double>(t.words[1]), .left = std::bit_cast<double>(t.words[2])},
          .group = {.node = node_of(t.words[0]), .level = static_cast<std::uint32_t>(what >> level_shift)},
          .is_root = (what & root_bit) != 0,
          .is_outside = (what & outside_bit) != 0,
          .is_fixed = (what & fixed_bit) != 0 || !is_known,
          .is_free = t.words[0] == everybody};
}

inline task_tag tag_fields::written() const noexcept {
  std::uint64_t const shown = is_free ? everybody : group.node == none ? 0 : std::uint64_t{group.node} + 1;
  return {{shown, std::bit_cast<std::uint64_t>(range.right), std::bit_cast<std::uint64_t>(range.left),
           known_bit | (is_root ? root_bit : 0) | (is_fixed ? fixed_bit : 0) | (is_outside ? outside_bit : 0) |
               std::uint64_t{group.level} << level_shift}};
}

}}}}  // namespace skua::v0::policies::adws
