// SPDX-License-Identifier: MIT
// A group: the children that one join, each or scope waits for. States and proof: group.md. The frame that waits:
// frame.hpp. The counting and the links between stolen joins are in share_count.hpp and stolen_joins.hpp, where models
// can run them.
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

/// The operations of a kind of task. `extra` is the second word of its entry in a lane.
struct task_kind {
  void (*run)(task&, std::uint64_t extra, here&) noexcept;  ///< runs on the worker's own fiber; never throws
  hint (*hint_of)(task const&,
                  std::uint64_t extra) noexcept = nullptr;  ///< the hint it was given or inherits; null: none
};

/// What lies in a lane.
struct task {
  task_kind const* is;

  [[nodiscard]] hint hint_for(std::uint64_t extra) const noexcept {
    return is->hint_of == nullptr ? hint{} : is->hint_of(*this, extra);
  }
};

/// A flag in `extra` of an entry of numbered children: this child alone, instead of all from it on.
inline constexpr std::uint64_t alone = std::uint64_t{1} << 63;

struct frame;
struct tagged_entry;
struct group;

/// No place hint: the place of the task around it holds.
inline constexpr place_id no_place_hint{0xffff'fffeU};

/// The chain of what surrounds a task, innermost first, on the fibers' stacks. It says why the task may be asked to end
/// early (a group failed, a stop was requested), and which place its data were hinted to be at.
struct stop_node {
  stop_node const* outer = nullptr;
  group const* of = nullptr;               ///< a group, or null
  std::stop_token const* token = nullptr;  ///< a user's token, or null
  wait_group const* tasks = nullptr;       ///< a task_group's, or null
  place_id place = no_place_hint;          ///< the place of what runs inside [numa-ws-2018 III-A]

  [[nodiscard]] bool requested() const noexcept;
  /// True if a node inside this one, with this place, would change nothing. A wrong false costs one node.
  [[nodiscard]] static bool adds_nothing(stop_node const* n, place_id hinted) noexcept {
    return hinted == no_place_hint || (n != nullptr && n->place == hinted);
  }
  /// The innermost hinted place. Cost: the depth of the chain.
  [[nodiscard]] static hint inherited(stop_node const* n) noexcept {
    while (n != nullptr && n->place == no_place_hint) n = n->outer;
    return n == nullptr ? hint{} : as_hint(at{n->place});
  }
};

/// The children that one frame waits for.
struct group : task, open_join<> {
  group(task_kind const* piece, std::uint64_t children, stop_node const* s) noexcept
      : task{piece}, open_join<>(children), stop(s) {}

  stop_node const* stop;  ///< what the group's owner was watching when it forked
};

}  // namespace skua::runtime
