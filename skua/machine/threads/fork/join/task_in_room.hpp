// SPDX-License-Identifier: MIT
// A task for lanes that lies in memory of the object that it runs, so that submitting it allocates nothing.
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>

#include "skua/machine/threads/lane/task.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// The base of `Task`, which has no members of its own, and a `Task::kind`. `Given` begins with its `room`, so that the task needs
/// no pointer back.
template <class Task, class Given>
struct task_in_room : handed {
  [[nodiscard]] static Task& of(Given& given) noexcept {
    static_assert(std::is_standard_layout_v<Given> && offsetof(Given, room) == 0);
    static_assert(sizeof(Task) <= sizeof(given.room) && alignof(Task) <= alignof(void*));
    return *::new (static_cast<void*>(given.room)) Task;
  }
  /// The object that a task made by `of` runs.
  [[nodiscard]] static Given& given_of(task& t) noexcept { return *reinterpret_cast<Given*>(static_cast<Task*>(&t)); }
  [[nodiscard]] static Given const& given_of(task const& t) noexcept {
    return *reinterpret_cast<Given const*>(static_cast<Task const*>(&t));
  }

 protected:
  task_in_room() noexcept : handed(Task::kind) {}
};

}}}  // namespace skua::v0::runtime
