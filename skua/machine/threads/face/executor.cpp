// SPDX-License-Identifier: MIT
#include "skua/machine/threads/face/executor.hpp"

#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <type_traits>

#include "skua/machine/threads/engine/callers/caller.hpp"
#include "skua/machine/threads/engine/callers/guest.hpp"
#include "skua/machine/threads/engine/core/region.hpp"
#include "skua/machine/threads/engine/core/worker.hpp"
#include "skua/machine/threads/engine/outside/blocked_thread.hpp"
#include "skua/machine/threads/engine/outside/outside_lane.hpp"
#include "skua/machine/threads/engine/outside/root.hpp"
#include "skua/machine/threads/face/default_region.hpp"
#include "skua/machine/threads/face/pool.hpp"
#include "skua/machine/threads/fork/fiber/should_yield.hpp"
#include "skua/machine/threads/fork/fiber/worker_trace.hpp"
#include "skua/machine/threads/fork/join/task_in_room.hpp"
#include "skua/machine/threads/lane/counters.hpp"
#include "skua/machine/threads/lane/turns.hpp"
#include "skua/parts/base/announced_atomic.hpp"
#include "skua/parts/base/fork_handlers.hpp"

namespace skua { inline namespace v0 {

namespace {

/// Owns the default pool, and lives as long as the code: nothing destroys it, so that threads and static objects may use
/// the pool to the very end of the process (exit.md).
class default_pool_owner {
 public:
  pool& get() {
    // acquire: the pool is complete. Pairs with: make, store.
    pool* const known = ready_.load(std::memory_order_acquire);
    return known != nullptr && !runtime::is_lost_by_fork(*known) ? *known : make();
  }
  /// Called in a child of fork(): another thread may have been making the pool. What it had made so far is lost.
  void forget_maker() noexcept { ::new (&making_) std::mutex; }
  /// Called when the process ends.
  void end_with_process() noexcept {
    // acquire: as in `get`.
    if (pool* const known = ready_.load(std::memory_order_acquire)) runtime::end_with_process(*known);
  }
  /// Called before the shared object that Skua was linked into is unloaded. Its threads must end before their code is gone.
  void unload() noexcept {
    pool* const known = ready_.exchange(nullptr, std::memory_order_acq_rel);  // acq_rel: as in `get` and `make`
    if (known != nullptr && runtime::worker::current() == nullptr) delete known;
  }

 private:
  pool& make();

  runtime::announced_atomic<pool*> ready_{nullptr};
  std::mutex making_;
  struct lost;
  lost* lost_ = nullptr;  ///< under making_
};

/// A pool that fork() left behind: without workers, and with lanes in any state. It is kept, because the child may hold
/// references to it.
struct default_pool_owner::lost {
  pool* forked;
  lost* earlier;
};

default_pool_owner& owner() noexcept {
  static constinit default_pool_owner the_only{};
  static_assert(std::is_trivially_destructible_v<default_pool_owner>, "nothing is freed at exit");
  return the_only;
}

[[gnu::init_priority(runtime::before_static_objects)]] runtime::fork_handlers const no_maker_in_children{
    nullptr, nullptr, [] { owner().forget_maker(); }};

/// The order of two functions tells how the code ends: destructors of static objects run before those of shared objects
/// when the process ends, and after them in dlclose().
enum class ending : std::uint8_t { not_yet, of_process, of_code };
std::atomic<ending>& how_it_ends() noexcept {
  static constinit std::atomic<ending> known{ending::not_yet};
  return known;
}

/// A static object, made with the first pool.
struct exit_watch {
  exit_watch() = default;
  exit_watch(exit_watch const&) = delete;
  exit_watch& operator=(exit_watch const&) = delete;
  ~exit_watch() {
    ending first = ending::not_yet;
    // relaxed, all: one thread ends the process, or unloads the code
    if (how_it_ends().compare_exchange_strong(first, ending::of_process, std::memory_order_relaxed)) {
      owner().end_with_process();
    } else if (first == ending::of_code) {
      owner().unload();  // a static object has made another pool meanwhile
    }
  }
};

[[gnu::destructor]] void code_ends() noexcept {
  ending first = ending::not_yet;
  if (how_it_ends().compare_exchange_strong(first, ending::of_code, std::memory_order_relaxed)) owner().unload();
}

pool& default_pool_owner::make() {
  std::lock_guard const hold(making_);
  pool* const known = ready_.load(std::memory_order_relaxed);  // relaxed: under the lock
  if (known != nullptr && !runtime::is_lost_by_fork(*known)) return *known;
  auto made = std::make_unique<pool>();
  if (known != nullptr) lost_ = new lost{known, lost_};
  [[maybe_unused]] static exit_watch const at_exit;
  ready_.store(made.get(), std::memory_order_release);  // release: the pool. Pairs with: get, load
  return *made.release();
}

}  // namespace

pool& default_pool() { return owner().get(); }

bool is_current_task_group_canceling() noexcept {
  runtime::here const* const on = runtime::executor::running();
  return on != nullptr && on->stop_requested();
}

namespace runtime {

namespace {

struct free_tasks {
  /// For the worker loop, which has taken the task from a lane. Goes on with others of its group that lie in this worker's own
  /// lane, as a waiter does, while a search would find nothing more urgent.
  static void run_task(task& t, std::uint64_t, fiber& on) noexcept {
    free_task<here>& given = spawned_task::given_of(t);
    if (given.kind->run_uncounted != nullptr && !is_watched(on)) {
      run_with_others(given, on);
    } else {
      run_nested(t, on);
    }
    on.task_ends();
  }
  /// Runs the task on top of the fiber's task.
  static void run_nested(task& t, fiber& on) noexcept {
    free_task<here>& given = spawned_task::given_of(t);
    auto const* const around = given.kind->surroundings_of == nullptr
                                   ? nullptr
                                   : static_cast<stop_node const*>(given.kind->surroundings_of(given));
    place_id const place =
        given.kind->hint_of == nullptr ? no_place_hint : given.kind->hint_of(given).place.value_or(no_place_hint);
    stop_node const node{around, nullptr, nullptr, given.group, place};
    fiber::nested_task const nested{on, &node};
    given.kind->run(given, here_of(on));
  }
  /// Runs the group's tasks at the newest end of a lane of this thread, newest first. Leaves them to the worker's search if a
  /// frame is ready, which the search resumes first, or if another region waits, with which this one takes turns.
  template <class Lane>
  static void run_newest(wait_group& group, Lane& of, fiber& on) noexcept {
    stop_node const node{nullptr, nullptr, nullptr, &group};
    fiber::nested_task const nested{on, &node};
    std::uint64_t const key = key_of(group);
    std::uint64_t uncounted = 0;
    std::uint32_t ran = 0;
    while (!should_yield(on.slot(), ran) && runs_next(of, key, on, uncounted)) ++ran;
    if (uncounted > 0) group.finish(uncounted);
  }
  static hint hint_of(task const& t, std::uint64_t) noexcept {
    free_task<here> const& given = spawned_task::given_of(t);
    return given.kind->hint_of == nullptr ? hint{} : given.kind->hint_of(given);
  }
  static char const* name_of(task const& t) noexcept { return spawned_task::given_of(t).kind->name; }

 private:
  /// The policy or a trace follows each task.
  static bool is_watched(fiber const& on) noexcept {
    fiber_slot const& s = on.slot();
    return s.exposes_groups() || s.is_timed(on.tag()) || policies::chooses_from(s.needs.chosen, lane::spawned) ||
           s.trace.track() != nullptr;
  }

  /// Counts the tasks at the end, all at once. Nobody can miss them before: waiters look for zero, and the group counts the task
  /// that runs here now.
  static void run_with_others(free_task<here>& first, fiber& on) noexcept {
    wait_group& group = *first.group;
    stop_node const node{nullptr, nullptr, nullptr, &group};
    fiber::nested_task const nested{on, &node};
    std::uint64_t const key = key_of(group);
    first.kind->run_uncounted(first, here_of(on));
    std::uint64_t uncounted = 1;
    for (std::uint32_t ran = 1; ran < tasks_per_turn; ++ran) {
      fiber_slot& s = on.slot();
      if (!may_go_on(s)) break;
      if (!runs_next(s.spawned, key, on, uncounted)) break;
      on.slot().counts.tasks.add(1);
    }
    group.finish(uncounted);
  }

  // These may be the fiber's last accesses to the lanes: as in fiber::know.
  static bool may_go_on(fiber_slot& s) noexcept {
    tsan::unseen_accesses const scheduling;
    return s.tagged_lanes_look_empty() && s.may_go_on();
  }
  template <class Lane>
  static task* newest_of(Lane& of, std::uint64_t key) noexcept {
    tsan::unseen_accesses const scheduling;
    return static_cast<task*>(take_newest(of, key));
  }

  /// Runs the newest task of the lane, for a fiber that watches its group. False: it is another one, or there is none.
  template <class Lane>
  static bool runs_next(Lane& of, std::uint64_t key, fiber& on, std::uint64_t& uncounted) noexcept {
    task* const newest = newest_of(of, key);
    if (newest == nullptr) return false;
    free_task<here>& given = spawned_task::given_of(*newest);
    if (given.kind->run_uncounted != nullptr) [[likely]] {
      given.kind->run_uncounted(given, here_of(on));
      ++uncounted;
    } else {
      run_nested(*newest, on);
    }
    return true;
  }
};

/// A fiber that waits for a wait_group, until the group's last task releases it. Its group counts two children: the
/// fiber's own share, and the release.
struct waiter final : group_waiter {
  waiter() noexcept : group_waiter{.wake = &waiter::release, .next = nullptr}, waited(nullptr, 2) {}

  static void release(group_waiter& w) noexcept {
    auto& self = static_cast<waiter&>(w);
    if (parked<>* const f = self.waited.finish(1, 0, [] {})) worker::send_home(static_cast<frame&>(*f));
  }

  group waited;
};

}  // namespace

constexpr task_kind spawned_task::kind{
    .run = &free_tasks::run_task, .hint_of = &free_tasks::hint_of, .name_of = &free_tasks::name_of};

static_assert(models_executor<executor>);

void wait_outside(region& where, wait_group& group) noexcept {
  struct waiting_call : outside_call {
    waiting_call(wait_group& g, outside_lane* l) noexcept
        : outside_call{[](outside_call& self, fiber& on) {
            auto const& mine = static_cast<waiting_call&>(self);
            if (mine.lane != nullptr) free_tasks::run_newest(mine.group, mine.lane->tasks, on);
            executor::wait(mine.group);
          }},
          group(g), lane(l) {}
    wait_group& group;
    outside_lane* lane;
  };
  waiting_call call{group, where.lanes_outside().of_this_thread()};
  root asked{call};
  if (caller::run(where, asked)) return;
  try {
    where.guests().run(asked);
  } catch (std::exception const&) {
    block(group);
  }
}

void executor::run(runtime::outside_call& call) {
  worker* const w = worker::current();
  if (w == nullptr) return runtime::run_in(default_region(), call);
  call_section const on_this_thread{w->running_fiber()};
  call.call(call, w->running_fiber());
}

/// Submits a task from a thread that is no worker.
void executor::spawn_outside(free_task<here>& task) {
  region& somewhere = default_region();
  spawned_task& t = spawned_task::of(task);
  outside_lane* const mine = somewhere.lanes_outside().mine();
  if (mine == nullptr) return somewhere.inject(t);
  std::uint64_t const key = key_of(*task.group);
  bool const wants_room = mine->tasks.push(static_cast<runtime::task*>(&t), key);
  // No memory for another push: the task goes to the shared queue, unless a worker has it already and so made room.
  if (wants_room && mine->tasks.poll() == attention::full && take_newest(mine->tasks, key) != nullptr)
    return somewhere.inject(t);
  somewhere.notify_work();
  if (!somewhere.has_no_threads()) [[likely]]
    return;
  if (take_newest(mine->tasks, key) != nullptr) somewhere.inject(t);
}

/// After a push that asked for attention.
[[gnu::cold]] void executor::make_room(fiber& on, std::uint64_t key) noexcept {
  if (on.make_room()) return;
  // No memory for another push: runs the newest task at once. A thief that takes it instead makes room, too.
  if (runtime::task* const newest = on.slot().take_newest_spawned(key)) free_tasks::run_nested(*newest, on);
}

void executor::run_now(free_task<here>& task) {
  spawned_task& t = spawned_task::of(task);
  auto const run_here = [&t](here& on) { free_tasks::run_nested(t, fiber_of(on)); };
  if (worker* const w = worker::current()) {
    tied_section const on_this_thread{w->running_fiber()};
    return run_here(here_of(w->running_fiber()));
  }
  region& where = default_region();
  runtime::call_outside(run_here, [&](outside_call& c) {
    c.name = task.kind->name;  // not that of `run_here`
    root asked{c};
    if (!caller::run(where, asked)) where.guests().run(asked);
  });
}

bool executor::has_room_for_calls() noexcept {
  worker const* const w = worker::current();
  return w == nullptr || w->has_room_for_calls();
}

void executor::wait(wait_group& group) noexcept {
  if (wait_unless_inside(group)) return;
  broken("precondition", "a task of the group must not wait for it, because the group waits for the task");
}

bool executor::wait_unless_inside(wait_group& group) noexcept {
  if (group.done()) return true;  // also if no pool can be made: then there is no task
  if (here* const on = running()) return wait_on(fiber_of(*on), group);
  wait_outside(default_region(), group);
  return true;
}

bool executor::wait_on(fiber& running, wait_group& group) noexcept {
  tied_section const on_this_thread{running};
  free_tasks::run_newest(group, running.slot().spawned, running);
  if (running.beneath() != nullptr) [[unlikely]]
    worker::expect_none_beneath(running, group);
  if (group.done()) return true;
  if (running.is_inside(group)) return false;  // after the fast paths: only a wait that parks pays for it
  waiter waiting;
  if (!group.enroll(waiting)) return true;
  waits_for const why{running, {"tasks of a group", &group}};
  running.wait(waiting.waited, 1);
  return true;
}

}  // namespace runtime
}}  // namespace skua::v0
