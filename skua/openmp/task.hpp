// SPDX-License-Identifier: MIT
// A task as OpenMP sees it: the code that runs, its team, its number there, its control variables, and its children.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "skua/openmp/position.hpp"
#include "skua/openmp/settings.hpp"
#include "skua/parts/context/sanitizer.hpp"
#include "skua/program/wait_group.hpp"

namespace skua { inline namespace v0 { namespace openmp {

class team;
class dependences;
class work_share;
struct traced_task;

/// The children of a task, or those of its innermost taskgroup.
struct task_set {
  task_set* outer = nullptr;   ///< around this taskgroup; null: these are the task's own
  task_set* around = nullptr;  ///< of a task's own children: the set that the task is in; null: it is implicit
  runtime::wait_group unfinished{};
  std::uintptr_t* reductions = nullptr;  ///< those registered here (task_reductions.hpp)

  void cancel() noexcept { is_cancelled_.store(true, std::memory_order_relaxed); }  // relaxed: advice
  [[nodiscard]] bool is_cancelled() const noexcept {
    return is_cancelled_.load(std::memory_order_relaxed);  // relaxed: as above
  }
  /// This taskgroup, or the innermost one around the task whose children these are; null: none. It waits for descendants, so it is there.
  [[nodiscard]] task_set* taskgroup() noexcept {
    task_set* s = this;
    while (s != nullptr && s->outer == nullptr) s = s->around;
    return s;
  }

 private:
  std::atomic<bool> is_cancelled_{false};
};

/// See task.
struct inherits_t {};
inline constexpr inherits_t inherits;

struct forget_dependences {
  void operator()(dependences* known) const noexcept;
};

/// Lies on the stack of the thread that runs it, or in an explicit_task.
struct task {
  openmp::team* team = nullptr;  ///< null: outside of all regions
  std::uint32_t number = 0;      ///< of the thread, in its team
  std::uint32_t level = 0;       ///< parallel regions around it
  std::uint32_t active_level = 0;
  bool is_final = false;
  bool is_explicit = false;
  task* parent = nullptr;  ///< valid while this is running, if it is implicit
  control const* variables = nullptr;
  std::unique_ptr<control> own_variables{};  ///< if it has changed one, or its parent has
  task_set children{};
  task_set* innermost = &children;
  std::unique_ptr<dependences, forget_dependences> depends{};  ///< of its children; null: none
  // Of a member: its position among the team's constructs.
  std::uint32_t constructs = 0;  ///< work-sharing ones that it has met
  std::uint32_t singles = 0;
  work_share* share = nullptr;      ///< of the construct that it is in; null: none, or a static loop
  std::uint64_t trips = 0;          ///< pieces that it has taken of the loop
  std::uint64_t ordered_first = 0;  ///< of its last piece of an ordered loop, in iterations
  std::uint64_t ordered_last = 0;
  position where;  ///< in a nested team, if there are places; none: where its thread is
  traced_task* traced =
      nullptr;  ///< null: nothing is (construct_trace.hpp). An explicit task that has not begun: not null

  /// With the process's variables.
  task() noexcept;
  /// Without: it is about to inherit.
  explicit task(inherits_t) noexcept {}
  ~task() = default;
  task(task const&) = delete;
  task& operator=(task const&) = delete;

  /// A copy of the variables that this task may change.
  control& writable();
  /// Makes this an explicit task that `parent` has met.
  void be_child_of(task& met_by, bool final) {
    team = met_by.team;
    level = met_by.level;
    active_level = met_by.active_level;
    is_explicit = true;
    is_final = final;
    traced = met_by.traced;
    where = met_by.where;
    children.around = met_by.innermost;
    children.reductions = met_by.innermost->reductions;
    inherit(met_by);
  }
  /// Makes this task begin with the variables of `from`. Throws std::bad_alloc.
  void inherit(task const& from) {
    if (from.own_variables != nullptr || own_variables != nullptr) return copy_variables(from);
    variables = from.variables;
  }

 private:
  void copy_variables(task const& from);
};

// A library that is preloaded has its part of the static thread-local storage.
[[gnu::tls_model("initial-exec")]] extern thread_local constinit task* current_task;
[[nodiscard]] task& begin_initial_task() noexcept;

/// The task that the calling thread runs; null if it is in no region, and has not asked for its task before.
[[nodiscard]] inline task* known_current() noexcept {
  runtime::tsan::unseen_accesses const
      of_the_thread;  // fibers of one thread share the variable, and nothing orders them for ThreadSanitizer
  return current_task;
}
/// The same, of a thread that may have none yet.
[[nodiscard]] inline task& current() noexcept {
  task* const t = known_current();
  return t != nullptr ? *t : begin_initial_task();
}
/// Returns the previous one.
inline task* make_current(task* t) noexcept {
  runtime::tsan::unseen_accesses const of_the_thread;  // as above
  task* const before = current_task;
  current_task = t;
  return before;
}

/// While it lives, the thread runs `t`.
class running {
 public:
  explicit running(task& t) noexcept : before_(make_current(&t)) {}
  ~running() { make_current(before_); }
  running(running const&) = delete;
  running& operator=(running const&) = delete;

 private:
  task* const before_;
};

/// Around whatever may park: other tasks run on this thread meanwhile, and `current` is the same afterwards.
class kept_current {
 public:
  kept_current() noexcept : mine_(&current()) {}
  ~kept_current() { make_current(mine_); }
  kept_current(kept_current const&) = delete;
  kept_current& operator=(kept_current const&) = delete;

 private:
  task* const mine_;
};

void wait_for_unfinished(task_set& set) noexcept;
/// Waits until the tasks of the set have finished.
inline void wait_for(task_set& set) noexcept {
  if (!set.unfinished.done()) wait_for_unfinished(set);
}
/// Waits until the children of `t` have finished, those in its taskgroups too.
inline void wait_for_children(task& t) noexcept {
  for (task_set* s = t.innermost; s != nullptr; s = s->outer) wait_for(*s);
}

}}}  // namespace skua::v0::openmp
