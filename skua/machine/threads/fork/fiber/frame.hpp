// SPDX-License-Identifier: MIT
// A suspended fiber. Programs do not compile this.
#pragma once

#include <cstdint>

#include "skua/machine/threads/fork/group/group.hpp"
#include "skua/machine/threads/lane/policy_words.hpp"
#include "skua/machine/threads/lane/wait_reason.hpp"
#include "skua/parts/context/context.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// A suspended fiber, saved on its own stack. It is also a task, so that lanes can hold it.
struct frame final : handed, parked<> {
  static task_kind const kind;  ///< the worker loop recognises it, and never runs it
  frame(fiber& f, runtime::stack* s, bool waits) noexcept;
  /// True if only the worker on which it was saved may resume it.
  [[nodiscard]] bool is_tied() const noexcept;
  /// True if only the thread on which it was saved may resume it.
  [[nodiscard]] bool is_tied_to_thread() const noexcept;
  context saved;
  fiber* suspended;
  runtime::stack* stack;
  bool const is_open;  ///< true: it waits for a group; false: it was moved between two groups
  /// Used only if the program asks for reports of stalls (engine/stall/stall.md), under the lock of the list.
  struct note {
    frame* earlier;
    frame* later;
    group const* waits_for;  ///< null: it continues when a worker takes it
    wait_reason reason;
    std::uint64_t since_ns;
  } noted;
};

inline frame* tagged_entry::as_frame() const noexcept {
  return item->kind == &frame::kind ? static_cast<frame*>(item) : nullptr;
}

}}}  // namespace skua::v0::runtime
