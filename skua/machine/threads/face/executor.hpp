// SPDX-License-Identifier: MIT
// The executor of task_group, parallel_for and the other conventional calls: the calling worker's pool, or, if the
// caller is no worker, the default pool, which the first such call makes.
#pragma once

#include <exception>
#include <optional>

#include "skua/machine/threads/engine/outside/outside_call.hpp"
#include "skua/machine/threads/fork/fiber/shield.hpp"
#include "skua/machine/threads/fork/fiber/spawned_of.hpp"
#include "skua/machine/threads/fork/join/here.hpp"
#include "skua/machine/threads/fork/join/task_in_room.hpp"
#include "skua/parts/context/block_cache.hpp"
#include "skua/parts/context/current.hpp"
#include "skua/program/executor.hpp"

namespace skua { inline namespace v0 {

class pool;

/// The pool for threads that are no workers. The environment sets all its options. The first call makes it. It lives
/// until the process ends: static objects, exit handlers and threads that still run may use it (exit.md). If Skua is
/// linked into a plugin, dlclose ends the pool. A child of fork() gets its own. Throws what pool's constructor throws;
/// the next call then tries again.
pool& default_pool();

/// True if the task of the calling thread should end early: its task_group was cancelled, a task_group_context or a
/// token around it requested a stop, or a sibling has thrown. False outside all calls. For long bodies that have no
/// `here` (otherwise use `here.stop_requested()`). Cost: O(d), where d is the number of groups and calls around the
/// task.
[[nodiscard]] bool is_current_task_group_canceling() noexcept;

namespace runtime {

class worker;

template <>
struct task_memory<here> : in_block {};

/// A free task as lanes see it.
struct spawned_task final : task_in_room<spawned_task, free_task<here>> {
  static task_kind const kind;  // executor.cpp
};
/// The word that identifies the tasks of a wait_group in a lane, before they are taken.
[[nodiscard]] inline std::uint64_t key_of(wait_group const& group) noexcept {
  return reinterpret_cast<std::uintptr_t>(&group);
}

/// While it lives, the fiber resumes from each wait on the same thread.
class tied_section {
 public:
  explicit tied_section(fiber& f) noexcept : fiber_(f), was_tied_(f.tie(true)) {}
  ~tied_section() { fiber_.tie(was_tied_); }
  tied_section(tied_section const&) = delete;
  tied_section& operator=(tied_section const&) = delete;

 private:
  fiber& fiber_;
  bool const was_tied_;
};

/// A conventional call on a worker: it returns on its thread. While an exception unwinds the stack, the call comes from
/// a destructor, which must not throw, so stops around the call do not end it.
class call_section {
 public:
  explicit call_section(fiber& f) : tied_(f) {
    if (std::uncaught_exceptions() > 0) [[unlikely]]
      shield_.emplace(f);
  }
  explicit call_section(here& h) : call_section(fiber_of(h)) {}

 private:
  tied_section const tied_;
  std::optional<shield> shield_;
};

/// Models the concept task_executor (program/executor.hpp).
struct executor {
  using here = runtime::here;

  template <class F>
  static auto with_here(F&& f) {
    return runtime::call_outside(f, [](runtime::outside_call& c) { run(c); });
  }
  using stays_here = call_section;  ///< made of a `here`: while it lives, calls return on their thread
  using shield = runtime::shield;   ///< made of a `here`: while it lives, no stop around it ends the calls
  /// The fiber that runs on the calling worker; null in a thread that is no worker.
  [[nodiscard]] static here* running() noexcept {
    auto* const f = static_cast<fiber*>(current_flow());
    return f == nullptr ? nullptr : &here_of(*f);
  }

  /// A registered group without children. Tasks that carry its name also see the failure of a join around it that is
  /// stolen later (group.md, "Stolen groups").
  class surroundings {
   public:
    explicit surroundings(here& h) noexcept
        : fiber_(fiber_of(h)), group_(nullptr, 0), node_(fiber_.watching(), &group_), registered_(fiber_, group_) {
      fiber_.watch(&node_);
    }
    ~surroundings() { fiber_.watch(node_.outer); }
    surroundings(surroundings const&) = delete;
    surroundings& operator=(surroundings const&) = delete;

    [[nodiscard]] void const* name() const noexcept { return &node_; }

   private:
    fiber& fiber_;
    group group_;
    stop_node const node_;
    fiber::registration const registered_;
  };

  /// The part of with_here that does not depend on the type of f. Throws what the call throws.
  static void run(runtime::outside_call& call);

  /// Throws what default_pool() throws, and then has not taken the task. On a worker it throws nothing.
  static void spawn(free_task<here>& task) {
    auto* const on = static_cast<fiber*>(current_flow());
    if (on == nullptr) return spawn_outside(task);
    if (on->front().exposes_groups()) [[unlikely]]
      on->spawns();
    std::uint64_t const key = key_of(*task.group);
    if (spawned_of(*on).push(static_cast<runtime::task*>(&spawned_task::of(task)), key)) [[unlikely]]
      make_room(*on, key);
  }
  /// Throws what default_pool() throws, and then has not taken the task.
  static void run_now(free_task<here>& task);
  /// True if the caller's stack has room to run a task inline. A thread that is no worker gets a stack of the pool for
  /// it.
  [[nodiscard]] static bool has_room_for_calls() noexcept;
  static void wait(wait_group& group) noexcept;
  /// The same. Returns false if the group has not ended and the caller is a task of it, or runs on top of one: it must
  /// not park then.
  [[nodiscard]] static bool wait_unless_inside(wait_group& group) noexcept;

 private:
  static void spawn_outside(free_task<here>& task);
  static void make_room(fiber& on, std::uint64_t key) noexcept;
  [[nodiscard]] static bool wait_on(fiber& running, wait_group& group) noexcept;
};

/// For a thread that is no worker: it runs tasks while it waits, in a worker's place of that region or as a guest. It
/// blocks if there is no memory for a guest.
void wait_outside(region& where, wait_group& group) noexcept;

template <>
inline constexpr bool is_checked_executor<executor> = true;  // executor.cpp

}  // namespace runtime
}}  // namespace skua::v0
