// SPDX-License-Identifier: MIT
// What `replay` writes on a task: its position in the tree of the iteration, and the worker that is to run it.
//
//   word 0   what thieves see: 0 = any worker may take it. Of a task: the path of the group around it. Of a group: its
//            number of children. 0 only for what any worker may take.
//   word 1   its path: a hash of the way to it from the root of the iteration
//   word 2   index (32 bits), ordinal (16), breadth (8), kind and flags (8)
//   word 3   home, or of a group mine_again (16), owner (16), last (32)
#pragma once

#include <cstdint>

#include "skua/policy/vocabulary.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace replay {

enum class kind : std::uint8_t {
  unknown,    ///< a tag of zeros
  untracked,  ///< stolen where forks were not exposed: an unknown part of a tracked task
  task,
  group,  ///< the rest of a group: its children from `index` on
};

struct tag_fields {
  replay::kind kind = replay::kind::unknown;
  bool is_open = false;          ///< any worker may take it, and everything below it, at any time
  bool is_root = false;          ///< the one task from outside whose iterations are counted
  bool is_outside = false;       ///< a task from outside, root or not
  bool is_sent = false;          ///< it goes into a lane, even into this worker's own
  std::uint8_t breadth = 0;      ///< log2 of the number of such tasks, if the tree is regular
  std::uint16_t ordinal = 0;     ///< of a task: its next group; of a group: its position among its task's groups
  std::uint16_t home = 0;        ///< of a task: the worker that is to run it
  std::uint16_t owner = 0;       ///< of a group: the worker that runs the children from here on
  std::uint32_t index = 0;       ///< of a task: its position in its group; of a group: its next child
  std::uint32_t last = 0;        ///< of a group: children before this one are sent
  std::uint16_t mine_again = 0;  ///< of a group: how many of those before `last` need not be sent after all
  std::uint64_t path = 0;
  std::uint64_t enclosing = 1;  ///< of a task: its group's path; of a group: its number of children

  [[nodiscard]] bool is_tracked() const noexcept { return kind >= kind::task && !is_open; }

  [[nodiscard]] static bool is_group(std::uint64_t flags) noexcept {
    return static_cast<replay::kind>(flags & 3) == kind::group;
  }
  [[nodiscard]] static tag_fields read(task_tag const& t) noexcept {
    auto const flags = static_cast<std::uint8_t>(t.words[2]);
    return {.kind = static_cast<replay::kind>(flags & 3),
            .is_open = t.words[0] == 0,
            .is_root = (flags & 4) != 0,
            .is_outside = (flags & 8) != 0,
            .is_sent = (flags & 16) != 0,
            .breadth = static_cast<std::uint8_t>(t.words[2] >> 8),
            .ordinal = static_cast<std::uint16_t>(t.words[2] >> 16),
            .home = static_cast<std::uint16_t>(is_group(flags) ? 0 : t.words[3]),
            .owner = static_cast<std::uint16_t>(t.words[3] >> 16),
            .index = static_cast<std::uint32_t>(t.words[2] >> 32),
            .last = static_cast<std::uint32_t>(t.words[3] >> 32),
            .mine_again = static_cast<std::uint16_t>(is_group(flags) ? t.words[3] : 0),
            .path = t.words[1],
            .enclosing = t.words[0]};
  }

  [[nodiscard]] task_tag written() const noexcept {
    std::uint64_t const flags =
        static_cast<std::uint64_t>(kind) | (is_root ? 4 : 0) | (is_outside ? 8 : 0) | (is_sent ? 16 : 0);
    return {{is_open ? 0 : enclosing, path,
             std::uint64_t{index} << 32 | std::uint64_t{ordinal} << 16 | std::uint64_t{breadth} << 8 | flags,
             std::uint64_t{last} << 32 | std::uint64_t{owner} << 16 | (kind == kind::group ? mine_again : home)}};
  }
};

}}}}  // namespace skua::v0::policies::replay
