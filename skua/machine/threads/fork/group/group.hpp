// SPDX-License-Identifier: MIT
// A group: the children that one join, each or scope waits for. States and proof: group.md. The frame that waits:
// frame.hpp. The counting and the links between stolen joins are in share_count.hpp and stolen_joins.hpp, where models
// can run them.
#pragma once

#include <cstdint>

#include "skua/machine/threads/fork/group/share_count.hpp"
#include "skua/machine/threads/fork/group/stolen_joins.hpp"
#include "skua/machine/threads/fork/group/stop_node.hpp"
#include "skua/machine/threads/lane/task.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// The children that one frame waits for.
struct group : task, open_join<> {
  group(task_kind const* piece, std::uint64_t children) noexcept : task{piece}, open_join<>(children) {}
  group(task_kind const* piece, word_of_two first) noexcept : task{piece}, open_join<>(first) {}
};

}}}  // namespace skua::v0::runtime
