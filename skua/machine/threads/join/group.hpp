// SPDX-License-Identifier: MIT
// A group: the children that one join, each or scope waits for. States and proof: group.md. The frame that waits:
// frame.hpp. The counting and the links between stolen joins are in share_count.hpp and stolen_joins.hpp, where models
// can run them.
#pragma once

#include <cstdint>

#include "skua/machine/threads/join/share_count.hpp"
#include "skua/machine/threads/join/stolen_joins.hpp"
#include "skua/machine/threads/join/stop_node.hpp"
#include "skua/program/hint.hpp"

namespace skua::inline v0::runtime {

class here;
class region;
class worker_slot;

struct task;

/// The operations of a kind of task. `extra` is the second word of its entry in a lane.
struct task_kind {
  void (*run)(task&, std::uint64_t extra, here&) noexcept;  ///< runs on the worker's own fiber; never throws
  hint (*hint_of)(task const&,
                  std::uint64_t extra) noexcept = nullptr;  ///< the hint it was given or inherits; null: none
  char const* (*name_of)(task const&) noexcept = nullptr;   ///< what traces call it (type_text.hpp); null: nothing
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

/// The children that one frame waits for.
struct group : task, open_join<> {
  group(task_kind const* piece, std::uint64_t children) noexcept : task{piece}, open_join<>(children) {}
  group(task_kind const* piece, word_of_two first) noexcept : task{piece}, open_join<>(first) {}
};

}  // namespace skua::inline v0::runtime
