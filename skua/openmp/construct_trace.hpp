// SPDX-License-Identifier: MIT
// Notes of constructs in the trace of a member pool (SKUA_TRACE): regions, loops and tasks by their place in the code, and waits. Without a trace
// `task::traced` is null, and each site costs a branch on it. Threads that are no workers write none: regions of one member outside of all pools, and
// members that the watch has given a thread (rescue.hpp).
#pragma once

#include <cstdint>
#include <optional>

#include "skua/openmp/task.hpp"
#include "skua/parts/trace/event.hpp"

namespace skua { inline namespace v0 { namespace openmp {

using trace::construct;

/// A number that no other region or task of the process has.
[[nodiscard]] std::uint64_t next_traced_number() noexcept;

/// What a task that is traced counts.
struct traced_task {
  std::uint64_t id;                  ///< trace::id_of_member
  std::uint64_t iterations = 0;      ///< that it has taken of the loop that it is in
  std::uint64_t chunks = 0;          ///< the same
  std::optional<construct> share{};  ///< the loop, or sections
};

struct construct_note {
  construct what;
  std::uint64_t id;  ///< of the task
  std::uint32_t members = 0;
  void const* code = nullptr;  ///< in the outlined function, or where a call of this library returns to
  std::uint64_t value = 0;
};
[[gnu::cold]] void note_began(construct_note const& n) noexcept;
/// `chunks`: of a loop.
[[gnu::cold]] void note_ended(construct_note const& n, std::uint64_t chunks = 0) noexcept;

/// `t` has begun a loop, or sections.
[[gnu::cold]] void note_share(task& t, construct what, void const* code) noexcept;
/// `t` leaves it, if that was noted.
[[gnu::cold]] void note_share_ended(task& t) noexcept;

/// While it lives, `t` runs an explicit task, whose parent was traced.
class noted_task {
 public:
  noted_task(task& t, void (*function)(void*)) noexcept {
    if (t.traced != nullptr) [[unlikely]]
      begin(t, function);
  }
  ~noted_task() {
    if (mine_.id != 0) [[unlikely]]
      note_ended({.what = construct::task, .id = mine_.id});
  }
  noted_task(noted_task const&) = delete;
  noted_task& operator=(noted_task const&) = delete;

 private:
  [[gnu::cold]] void begin(task& t, void (*function)(void*)) noexcept;
  traced_task mine_{.id = 0};
};

/// While it lives, `t` waits.
class noted_wait {
 public:
  noted_wait(task const& t, construct what) noexcept : noted_wait(t.traced == nullptr ? 0 : t.traced->id, what) {}
  noted_wait(std::uint64_t traced, construct what) noexcept : id_(traced), what_(what) {
    if (id_ != 0) [[unlikely]]
      note_began({.what = what_, .id = id_});
  }
  ~noted_wait() {
    if (id_ != 0) [[unlikely]]
      note_ended({.what = what_, .id = id_});
  }
  noted_wait(noted_wait const&) = delete;
  noted_wait& operator=(noted_wait const&) = delete;

 private:
  std::uint64_t const id_;
  construct const what_;
};

}}}  // namespace skua::v0::openmp
