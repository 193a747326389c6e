// SPDX-License-Identifier: MIT
// A group: the children that one join, each or scope waits for. States and proof: group.md. The frame that waits: frame.hpp.
// What counts, and what links stolen joins, stands in share_count.hpp and open_join.hpp, where models run it, too.
#pragma once

#include <cstdint>
#include <stop_token>

#include "skua/machine/threads/join/share_count.hpp"
#include "skua/machine/threads/join/stolen_joins.hpp"
#include "skua/program/hint.hpp"
#include "skua/program/wait_group.hpp"

namespace skua::runtime {

class here;
class region;
class worker_slot;

struct task;

/// What can be done with a kind of task. `extra` is the second word of its entry in a lane.
struct task_kind {
  void (*run)(task&, std::uint64_t extra, here&) noexcept;  ///< on the worker's own fiber; never throws
  hint (*hint_of)(task const&,
                  std::uint64_t extra) noexcept = nullptr;  ///< what is known of it, inherited or said; null: nothing
};

/// What lies in a lane.
struct task {
  task_kind const* is;

  [[nodiscard]] hint hint_for(std::uint64_t extra) const noexcept {
    return is->hint_of == nullptr ? hint{} : is->hint_of(*this, extra);
  }
};

/// In `extra` of an entry of a group of numbered children: this child alone, not all from it on.
inline constexpr std::uint64_t alone = std::uint64_t{1} << 63;

struct frame;
struct tagged_entry;
struct group;

/// No word about a place: that of the task around it holds.
inline constexpr place_id no_place_hint{0xffff'fffeU};

/// What a task stands in, innermost first, on the fibers' stacks: why it may be asked to end early (a group that
/// failed, a token), and where its data were said to be.
struct stop_node {
  stop_node const* outer = nullptr;
  group const* of = nullptr;               ///< a group, or null
  std::stop_token const* token = nullptr;  ///< a user's token, or null
  wait_group const* tasks = nullptr;       ///< a task_group's, or null
  place_id place = no_place_hint;          ///< the place of what runs inside [numa-ws-2018 III-A]

  [[nodiscard]] bool requested() const noexcept;
  /// Would another node inside this one, with this place, change nothing? False only costs a node.
  [[nodiscard]] static bool says_nothing_new(stop_node const* n, place_id said) noexcept {
    return said == no_place_hint || (n != nullptr && n->place == said);
  }
  /// The innermost place that was said. Cost: the depth of the chain.
  [[nodiscard]] static hint inherited(stop_node const* n) noexcept {
    while (n != nullptr && n->place == no_place_hint) n = n->outer;
    return n == nullptr ? hint{} : as_hint(at{n->place});
  }
};

/// The children one frame waits for.
struct group : task, open_join<> {
  group(task_kind const* piece, std::uint64_t children, stop_node const* s) noexcept
      : task{piece}, open_join<>(children), stop(s) {}

  stop_node const* stop;  ///< what the group's owner was watching when it forked
};

}  // namespace skua::runtime
