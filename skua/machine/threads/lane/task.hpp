// SPDX-License-Identifier: MIT
// What lies in lanes: a task, or a frame, which is a task, too (fork/fiber/frame.hpp), and the entries of lanes with tags.
#pragma once

#include <cstdint>

#include "skua/machine/threads/lane/policy_words.hpp"
#include "skua/parts/queue/injector.hpp"
#include "skua/program/hint.hpp"

namespace skua { inline namespace v0 { namespace runtime {

class fiber;
struct frame;
struct task;

/// The operations of a kind of task. `extra` is the second word of its entry in a lane.
struct task_kind {
  void (*run)(task&, std::uint64_t extra, fiber&) noexcept;  ///< runs on the worker's own fiber; never throws
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
