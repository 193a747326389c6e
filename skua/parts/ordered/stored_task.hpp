// SPDX-License-Identifier: MIT
// What goes into an ordered store, and what comes out of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "skua/parts/base/ids.hpp"
#include "skua/parts/ordered/strategy_kind.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// A task and its strategy, on the way into a store. The value is copied.
struct offered_task {
  void* task = nullptr;
  void const* group = nullptr;  ///< the owner may ask for tasks of one group
  strategy_kind const* kind = nullptr;
  void const* value = nullptr;
  std::size_t value_size = 0;           ///< at most strategy_value_bytes
  std::uint64_t weight = 1;             ///< of the task and all that it will spawn
  std::optional<worker_id> place = {};  ///< the worker to which the task belongs; unset: the worker that has it
};

/// A task that was taken.
struct taken_task {
  void* task = nullptr;
  bool is_dead = false;  ///< its strategy says that it is dead: drop it
};

}}}  // namespace skua::v0::runtime
