// SPDX-License-Identifier: MIT
// What lanes hold: tasks, and frames, which are tasks, too (fork/fiber/frame.hpp); and the entries of lanes with tags.
#pragma once

#include <cstdint>

#include "skua/machine/threads/lane/policy_words.hpp"
#include "skua/parts/queue/injector.hpp"
#include "skua/program/hint.hpp"

namespace skua { inline namespace v0 { namespace runtime {

class fiber;
struct frame;
struct offered_task;
struct task;

/// The operations of a kind of task. `extra` is the second word of its entry in a lane.
struct task_kind {
  void (*run)(task&, std::uint64_t extra, fiber&) noexcept;  ///< runs on the worker's own fiber; never throws
  hint (*hint_of)(task const&,
                  std::uint64_t extra) noexcept = nullptr;  ///< the hint it was given or inherits; null: none
  char const* (*name_of)(task const&) noexcept = nullptr;   ///< its name in traces (type_text.hpp); null: none
  void (*drop)(task&,
               fiber&) noexcept = nullptr;  ///< ends it unrun, on top of the fiber's code; null: it cannot be dead
  offered_task (*offered)(task const&) noexcept =
      nullptr;  ///< of a task from outside: what its strategy says; null: it has none
  bool (*has_more)(task const&, std::uint64_t extra) noexcept =
      nullptr;  ///< the entry stands for several children, and whoever runs the first offers the others; null: it does not
};

/// What a lane holds.
struct task {
  task_kind const* kind;

  [[nodiscard]] hint hint_for(std::uint64_t extra) const noexcept {
    return kind->hint_of == nullptr ? hint{} : kind->hint_of(*this, extra);
  }
  [[nodiscard]] bool has_more(std::uint64_t extra) const noexcept {
    return kind->has_more != nullptr && kind->has_more(*this, extra);
  }
};

/// A flag in `extra` of an entry of numbered children: the entry stands for this child alone, not for all children from it on.
inline constexpr std::uint64_t alone = std::uint64_t{1} << 63;
/// `extra` of an entry whose task is dead, as its strategy says: who takes the entry drops the task.
inline constexpr std::uint64_t found_dead = std::uint64_t{1} << 62;

/// A task or frame in a lane whose entries have tags.
struct tagged_entry {
  task* item = nullptr;
  std::uint64_t extra = 0;
  task_tag tag{};

  /// Null if it is a task.
  [[nodiscard]] inline frame* as_frame() const noexcept;  // frame.hpp
};

/// A task or frame that can go through an inbox or the injected lane, whose entries are linked through themselves.
struct handed : task, injectable {
  explicit handed(task_kind const& k) noexcept : task{&k} {}
};

}}}  // namespace skua::v0::runtime
