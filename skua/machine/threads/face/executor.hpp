// SPDX-License-Identifier: MIT
// Where task_group, parallel_for and the other conventional names run: on the calling worker's pool, or, if the caller
// is not a worker, on the default pool, which is made on first use.
#pragma once

#include <exception>
#include <optional>

#include "skua/machine/threads/engine/outside/outside_call.hpp"
#include "skua/machine/threads/fork/fiber/shield.hpp"
#include "skua/machine/threads/fork/join/here.hpp"
#include "skua/parts/context/block_cache.hpp"
#include "skua/parts/context/current.hpp"
#include "skua/program/executor.hpp"

namespace skua { inline namespace v0 {

class pool;

/// The pool for threads that are not workers; the environment makes all its choices. The first call makes it. It is never
/// destroyed while the process lasts: static objects, exit handlers and threads that still run may use it (exit.md). The
/// end of the shared object that Skua was linked into joins it. A child of fork() gets its own. Throws what pool's
/// constructor throws; the next call then tries again.
pool& default_pool();

/// True if what the calling thread runs should end early: its task_group was cancelled, a task_group_context or a token
/// around it stopped, or a sibling has thrown. False outside of every call. For long bodies that were given no `here`
/// (`here.stop_requested()`). Cost: O(depth of what surrounds the task).
[[nodiscard]] bool is_current_task_group_canceling() noexcept;

namespace runtime {

class worker;

template <>
struct task_memory<here> : in_block {};

/// While it lives, the fiber waits only where it resumes on the same thread.
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

/// A conventional call on a worker: it returns on its thread. While an exception unwinds the stack, the call comes from a
/// destructor, which must not throw: then nothing around cuts it short.
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
  using shield = runtime::shield;   ///< the same: nothing around it cuts short what is called
  /// The fiber that runs on the calling worker; null in a thread that is not one.
  [[nodiscard]] static here* running() noexcept {
    auto* const f = static_cast<fiber*>(current_flow());
    return f == nullptr ? nullptr : &here_of(*f);
  }

  /// A registered group without children of its own, so that tasks which carry its name also see the failure of a join
  /// around it that is stolen later (group.md, "Stolen groups").
  class surroundings {
   public:
    explicit surroundings(here& h) noexcept
        : on_(fiber_of(h)), group_(nullptr, 0), node_(on_.watching(), &group_), registered_(on_, group_) {
      on_.watch(&node_);
    }
    ~surroundings() { on_.watch(node_.outer); }
    surroundings(surroundings const&) = delete;
    surroundings& operator=(surroundings const&) = delete;

    [[nodiscard]] void const* name() const noexcept { return &node_; }

   private:
    fiber& on_;
    group group_;
    stop_node const node_;
    fiber::registration const registered_;
  };

  /// with_here for a call without its type. Throws what the call throws.
  static void run(runtime::outside_call& what);

  /// Throws what default_pool() throws; the task is then not taken. On a worker it throws nothing.
  static void spawn(free_task<here>& task);
  /// Throws what default_pool() throws; the task is then not taken.
  static void run_now(free_task<here>& task);
  /// May the caller run a task on its stack which it could spawn instead? A thread that is no worker gets a stack for it.
  [[nodiscard]] static bool has_room_for_calls() noexcept;
  static void wait(wait_group& group) noexcept;
  /// The same. False if the caller is a task of the group, or lies on one, and others have not ended it meanwhile: it must not park.
  [[nodiscard]] static bool wait_unless_inside(wait_group& group) noexcept;

 private:
  [[nodiscard]] static bool wait_on(worker& w, wait_group& group) noexcept;
};

/// For a thread that is no worker: works while it waits, in a worker's place of that region or as a guest. It blocks if
/// there is no memory for a guest.
void wait_outside(region& where, wait_group& group) noexcept;

template <>
inline constexpr bool is_checked_executor<executor> = true;  // executor.cpp

}  // namespace runtime
}}  // namespace skua::v0
