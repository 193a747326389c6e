// SPDX-License-Identifier: MIT
// A group: the children that one join, each or scope waits for; and the frame that waits. States and proof: group.md.
// What counts, and what links robbed joins, stands in share_count.hpp and open_join.hpp, where models run it, too.
#pragma once

#include <cstdint>
#include <stop_token>

#include "skua/machine/threads/open_join.hpp"
#include "skua/machine/threads/share_count.hpp"
#include "skua/parts/context/fiber.hpp"
#include "skua/parts/queue/injector.hpp"
#include "skua/program/wait_group.hpp"

namespace skua::threads {

class here;
class seat;

/// What lies in a lane. `extra` is the second word of its entry. Runs on the worker's own strand, never throws.
struct task {
  void (*run)(task&, std::uint64_t extra, here&) noexcept;
};

struct group;

/// Why a task may be asked to end early: a group that failed, or a token; innermost first, on the strands' stacks.
struct stop_node {
  stop_node const* outer = nullptr;
  group const* of = nullptr;                            ///< a group, or null
  std::stop_token const* token = nullptr;               ///< a user's token, or null
  wait_group const* tasks = nullptr;                    ///< a task_group's, or null

  [[nodiscard]] bool requested() const noexcept;
};

/// A task that can go through an inbox or the injected lane, where entries are linked through themselves.
struct handed : task, injectable {
  explicit handed(void (*r)(task&, std::uint64_t, here&) noexcept) noexcept : task{r} {}
};

/// A strand that waits: saved on its own stack. It is a task, too, so that it can be handed over through a lane.
struct frame final : handed, parked<> {
  explicit frame(here& s, stack* o) noexcept : handed(&frame::resume), strand(&s), on(o) {}
  static void resume(task& t, std::uint64_t, here& on) noexcept;  ///< the worker loop never calls it: it recognises it
  fiber saved;
  here* strand;
  stack* on;
};

/// The children one frame waits for.
struct group : task, open_join<> {
  group(void (*steal_entry)(task&, std::uint64_t, here&) noexcept, std::uint64_t children, stop_node const* s) noexcept
      : task{steal_entry}, open_join<>(children), stop(s) {}

  stop_node const* stop;  ///< what the group's owner was watching when it forked
};

inline bool stop_node::requested() const noexcept {
  for (stop_node const* n = this; n != nullptr; n = n->outer) {
    if (n->of != nullptr && n->of->wants_end()) return true;
    if (n->token != nullptr && n->token->stop_requested()) return true;
    if (n->tasks != nullptr && n->tasks->stop_requested()) return true;
  }
  return false;
}

}  // namespace skua::threads
