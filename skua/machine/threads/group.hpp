// SPDX-License-Identifier: MIT
// A group: the children that one join, each or scope waits for; and the frame that waits. States and proof: group.md.
//
// One word counts. Every piece of a group (its owner, and every thief that took "the rest") subtracts the children
// it has dealt with, once, when it can go no further; the piece that brings the count to zero is the last, and wakes
// the frame. The owner subtracts its share only after its frame is parked, so a last thief always finds a frame.
#pragma once

#include <atomic>
#include <cstdint>
#include <stop_token>

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
struct frame final : handed {
  explicit frame(here& s, stack* o) noexcept : handed(&frame::resume), strand(&s), on(o) {}
  static void resume(task& t, std::uint64_t, here& on) noexcept;  ///< the worker loop never calls it: it recognises it
  fiber saved;
  here* strand;
  stack* on;
  /// Set by the last thief when it has read all it needs of the group; nothing waits for it. It orders the thief's flow
  /// before the resumed one where only flows are looked at (TSan).
  std::atomic<bool> called{false};
};

/// The children one frame waits for.
struct group : task {
  static constexpr std::uint64_t failed = std::uint64_t{1} << 62;   ///< an exception was thrown by a child
  static constexpr std::uint64_t dropped = std::uint64_t{1} << 61;  ///< a child was not run, because of a stop
  static constexpr std::uint64_t abandoned = std::uint64_t{1} << 60;  ///< the owner wants its siblings to end early
  static constexpr std::uint64_t enclosed = std::uint64_t{1} << 59;   ///< `around` is valid
  static constexpr std::uint64_t counted = (std::uint64_t{1} << 48) - 1;

  group(void (*steal_entry)(task&, std::uint64_t, here&) noexcept, std::uint64_t children, stop_node const* s) noexcept
      : task{steal_entry}, pending(children), stop(s) {}

  std::atomic<std::uint64_t> pending;  ///< children not yet dealt with, and flags above
  stop_node const* stop;               ///< what the group's owner was watching when it forked
  frame* waiter;                       ///< valid once the owner has subtracted its share
  group* around;                       ///< valid with `enclosed`; null, or a join of the same strand, still open and robbed

  /// This group, or one around it, has failed or was abandoned.
  [[nodiscard]] bool wants_end() const noexcept {
    for (group const* g = this; g != nullptr; g = g->around) {
      // acquire: around. Pairs with: strand::note_thefts, fetch_or. Of the rest a stop is only a wish: what it is about is
      // published by the joins.
      std::uint64_t const state = g->pending.load(std::memory_order_acquire);
      if ((state & (failed | abandoned)) != 0) return true;
      if ((state & enclosed) == 0) return false;
    }
    return false;
  }
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
