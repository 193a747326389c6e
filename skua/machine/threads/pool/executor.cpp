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
    if (threads::worker::current() != nullptr) static_cast<void>(made_.release());
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

namespace threads {

namespace {

/// A free task as the lanes see it. It lies in the free task's own room, so that handing one in never allocates.
struct spawned_task final : handed {
  explicit spawned_task(free_task<here>& t) noexcept : handed(kind), what(t) {}

  static spawned_task& of(free_task<here>& t) noexcept {
    static_assert(sizeof(spawned_task) <= sizeof(t.room) && alignof(spawned_task) <= alignof(void*));
    return *::new (static_cast<void*>(t.room)) spawned_task(t);
  }

  /// `taken`: from a lane, by the worker loop; 0: by a strand that waits for it.
  static void run_task(task& t, std::uint64_t taken, here& on) noexcept {
    auto& its = static_cast<spawned_task&>(t).what;
    stop_node const node{nullptr, nullptr, nullptr, its.group, its.known.place.value_or(unsaid)};
    strand::interlude const its_own{on, &node};
    its.run(its, on);
    if (taken != 0) on.task_ends();
  }
  static hint known_of(task const& t, std::uint64_t) noexcept { return static_cast<spawned_task const&>(t).what.known; }
  static task_kind const kind;

  free_task<here>& what;
};

constexpr task_kind spawned_task::kind{.run = &spawned_task::run_task, .known = &spawned_task::known_of};

/// A strand that waits for a wait_group: the group's last task opens the gate. Two children: the strand's own share, and
/// the opening.
struct gate final : group_waiter {
  gate() noexcept : group_waiter{.wake = &gate::open, .next = nullptr}, passing(nullptr, 2, nullptr) {}

  static void open(group_waiter& w) noexcept {
    auto& self = static_cast<gate&>(w);
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

static_assert(models_venue<venue>);

here* venue::running() noexcept {
  worker* const w = worker::current();
  return w == nullptr ? nullptr : &w->running_strand();
}

void venue::run(runtime::outside_call& what) {
  worker* const w = worker::current();
  if (w != nullptr) return what.call(what, w->running_strand());
  runtime::run_in(default_pool().root_region(), what);
}

void venue::spawn(free_task<here>& task) {
  worker* const w = worker::current();
  if (w == nullptr) {
    region& somewhere = default_pool().root_region();
    somewhere.inject(spawned_task::of(task));
    return;
  }
  spawned_task& t = spawned_task::of(task);
  here& strand = w->running_strand();
  std::uint64_t const key = key_of(*task.group);
  if (!strand.at().spawned.push(static_cast<threads::task*>(&t), key)) return;
  // No room for another push: the newest task runs at once; a thief that takes it instead makes room, too.
  if (!strand.make_room()) strand.run_newest_spawned(key);
}

void venue::wait(wait_group& group) noexcept {
  worker* const w = worker::current();
  if (w == nullptr) {
    blocked_thread me;
    if (group.enroll(me)) me.done.wait();
    return;
  }
  here& strand = w->running_strand();
  while (!group.done() && strand.run_newest_spawned(key_of(group))) {}
  if (group.done()) return;
  gate entrance;
  if (group.enroll(entrance)) strand.wait(entrance.passing, 1);
}

}  // namespace threads
}  // namespace skua
