// SPDX-License-Identifier: MIT
// A fiber that waits, and what lies in lanes whose entries have tags. Programs do not compile this.
#pragma once

#include <cstdint>

#include "skua/machine/threads/join/group.hpp"
#include "skua/machine/threads/policy_words.hpp"
#include "skua/parts/context/context.hpp"
#include "skua/parts/queue/injector.hpp"

namespace skua::runtime {

struct frame;

/// A task or frame in a lane where entries have tags.
struct tagged_entry {
  task* what = nullptr;
  std::uint64_t extra = 0;
  task_tag tag{};

  /// Null: it is a task.
  [[nodiscard]] frame* as_frame() const noexcept;
};

/// A task that can go through an inbox or the injected lane, where entries are linked through themselves.
struct handed : task, injectable {
  explicit handed(task_kind const& k) noexcept : task{&k} {}
};

/// A fiber that waits: saved on its own stack. It is a task, too, so that it can be handed over through a lane.
struct frame final : handed, parked<> {
  static task_kind const kind;  ///< the worker loop never runs it: it recognises it
  frame(here& s, stack* o, bool waits) noexcept : handed(kind), fiber(&s), on(o), is_open(waits) {}
  context saved;
  here* fiber;
  stack* on;
  bool const is_open;  ///< it waits for a group; else it was moved between two of them
};

inline frame* tagged_entry::as_frame() const noexcept {
  return what->is == &frame::kind ? static_cast<frame*>(what) : nullptr;
}

}  // namespace skua::runtime
