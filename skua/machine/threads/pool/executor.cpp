// SPDX-License-Identifier: MIT
#include "skua/machine/threads/pool/executor.hpp"

#include <atomic>
#include <memory>
#include <mutex>
#include <new>

#include "skua/machine/threads/pool/pool.hpp"
#include "skua/machine/threads/pool/region.hpp"
#include "skua/machine/threads/pool/root.hpp"
#include "skua/machine/threads/worker/worker.hpp"

namespace skua {

namespace {

/// Holds the default pool. At the end of the process the pool is joined, unless a task itself ends the process.
class default_pool_owner {
 public:
  pool& get() {
    std::lock_guard const hold(making_);
    if (made_ == nullptr || made_->lost_by_fork()) {
      static_cast<void>(
          made_.release());  // in a child of fork() there is nothing to join, and its lanes may hold anything
      made_ = std::make_unique<pool>();
    }
    return *made_;
  }
  ~default_pool_owner() {
    if (runtime::worker::current() != nullptr) static_cast<void>(made_.release());
  }

 private:
  std::mutex making_;
  std::unique_ptr<pool> made_;
};

}  // namespace

pool& default_pool() {
  static default_pool_owner owner;
  return owner.get();
}

namespace runtime {

namespace {

/// A free task as the lanes see it. It lies in the free task's own room, so that handing one in never allocates.
struct spawned_task final : handed {
  explicit spawned_task(free_task<here>& t) noexcept : handed(kind), what(t) {}

  static spawned_task& of(free_task<here>& t) noexcept {
    static_assert(sizeof(spawned_task) <= sizeof(t.room) && alignof(spawned_task) <= alignof(void*));
    return *::new (static_cast<void*>(t.room)) spawned_task(t);
  }

  /// `taken`: from a lane, by the worker loop; 0: by a fiber that waits for it.
  static void run_task(task& t, std::uint64_t taken, here& on) noexcept {
    auto& its = static_cast<spawned_task&>(t).what;
    stop_node const node{nullptr, nullptr, nullptr, its.group, its.hints.place.value_or(no_place_hint)};
    fiber::nested_task const its_own{on, &node};
    its.run(its, on);
    if (taken != 0) on.task_ends();
  }
  static hint hint_of(task const& t, std::uint64_t) noexcept { return static_cast<spawned_task const&>(t).what.hints; }
  static task_kind const kind;

  free_task<here>& what;
};

constexpr task_kind spawned_task::kind{.run = &spawned_task::run_task, .hint_of = &spawned_task::hint_of};

/// A fiber that waits for a wait_group: the group's last task opens the gate. Two children: the fiber's own share, and
/// the opening.
struct waiter final : group_waiter {
  waiter() noexcept : group_waiter{.wake = &waiter::open, .next = nullptr}, passing(nullptr, 2, nullptr) {}

  static void open(group_waiter& w) noexcept {
    auto& self = static_cast<waiter&>(w);
    if (parked<>* const f = self.passing.finish(1, 0, [] {})) worker::send_home(static_cast<frame&>(*f));
  }

  group passing;
};

/// A thread from outside that waits for a wait_group.
struct blocked_thread final : group_waiter {
  blocked_thread() noexcept : group_waiter{.wake = &blocked_thread::release, .next = nullptr} {}
  static void release(group_waiter& w) noexcept { static_cast<blocked_thread&>(w).done.set(); }
  completion done;
};

/// What a group's tasks are known by in a lane, before they are taken.
std::uint64_t key_of(wait_group const& group) noexcept { return reinterpret_cast<std::uintptr_t>(&group); }

}  // namespace

static_assert(models_venue<executor>);

here* executor::running() noexcept {
  worker* const w = worker::current();
  return w == nullptr ? nullptr : &w->running_fiber();
}

void executor::run(runtime::outside_call& what) {
  worker* const w = worker::current();
  if (w != nullptr) return what.call(what, w->running_fiber());
  runtime::run_in(default_pool().root_region(), what);
}

void executor::spawn(free_task<here>& task) {
  worker* const w = worker::current();
  if (w == nullptr) {
    region& somewhere = default_pool().root_region();
    somewhere.inject(spawned_task::of(task));
    return;
  }
  spawned_task& t = spawned_task::of(task);
  here& fiber = w->running_fiber();
  std::uint64_t const key = key_of(*task.group);
  if (!fiber.at().spawned.push(static_cast<runtime::task*>(&t), key)) return;
  // No room for another push: the newest task runs at once; a thief that takes it instead makes room, too.
  if (!fiber.make_room()) fiber.run_newest_spawned(key);
}

void executor::wait(wait_group& group) noexcept {
  worker* const w = worker::current();
  if (w == nullptr) {
    blocked_thread me;
    if (group.enroll(me)) me.done.wait();
    return;
  }
  here& fiber = w->running_fiber();
  while (!group.done() && fiber.run_newest_spawned(key_of(group))) {}
  if (group.done()) return;
  waiter waiting;
  if (group.enroll(waiting)) fiber.wait(waiting.passing, 1);
}

}  // namespace runtime
}  // namespace skua
