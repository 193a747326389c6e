// SPDX-License-Identifier: MIT
// A suspended fiber, and the entries of lanes with tags. Programs do not compile this.
#pragma once

#include <cstdint>

#include "skua/machine/threads/join/group.hpp"
#include "skua/machine/threads/join/wait_reason.hpp"
#include "skua/machine/threads/policy_words.hpp"
#include "skua/parts/context/context.hpp"
#include "skua/parts/queue/injector.hpp"

namespace skua::inline v0::runtime {

struct frame;

/// A task or frame in a lane whose entries have tags.
struct tagged_entry {
  task* item = nullptr;
  std::uint64_t extra = 0;
  task_tag tag{};

  /// Null if it is a task.
  [[nodiscard]] frame* as_frame() const noexcept;
};

/// A task that can go through an inbox or the injected lane, whose entries are linked through themselves.
struct handed : task, injectable {
  explicit handed(task_kind const& k) noexcept : task{&k} {}
};

/// A suspended fiber, saved on its own stack. It is a task, too, so that it can go through a lane.
struct frame final : handed, parked<> {
  static task_kind const kind;  ///< the worker loop recognises it, and never runs it
  frame(here& f, stack* o, bool waits) noexcept;
  /// Only the worker that it was saved on may resume it.
  [[nodiscard]] bool is_tied() const noexcept;
  /// Only the thread that it was saved on may.
  [[nodiscard]] bool is_tied_to_thread() const noexcept;
  context saved;
  here* fiber;
  stack* on;
  bool const is_open;          ///< true: it waits for a group; false: it was moved between two groups
  std::int64_t const left_at;  ///< the bottom of the lane that the fiber leaves; its open joins remember lower ones
  /// Written and read only while somebody asks for reports of stalls (pool/stall.md), under the lock of the list.
  struct note {
    frame* earlier;
    frame* later;
    group const* waits_for;  ///< null: it goes on when a worker takes it
    wait_reason why;
    std::uint64_t since_ns;
  } noted;
};

inline frame* tagged_entry::as_frame() const noexcept {
  return item->is == &frame::kind ? static_cast<frame*>(item) : nullptr;
}

}  // namespace skua::inline v0::runtime
