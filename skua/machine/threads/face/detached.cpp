// SPDX-License-Identifier: MIT
#include "skua/machine/threads/face/detached.hpp"

#include <optional>
#include <utility>

#include "skua/machine/threads/engine/core/pool_core.hpp"
#include "skua/machine/threads/engine/core/region.hpp"
#include "skua/machine/threads/engine/core/worker.hpp"
#include "skua/machine/threads/engine/outside/blocked_thread.hpp"
#include "skua/machine/threads/engine/outside/detached_tasks.hpp"
#include "skua/machine/threads/face/default_region.hpp"
#include "skua/machine/threads/face/executor.hpp"
#include "skua/machine/threads/face/pool.hpp"
#include "skua/machine/threads/fork/finish/ordered_tasks.hpp"
#include "skua/machine/threads/fork/join/task_in_room.hpp"
#include "skua/machine/threads/lane/counters.hpp"
#include "skua/machine/threads/lane/turns.hpp"
#include "skua/parts/base/error.hpp"

namespace skua { inline namespace v0 { namespace runtime {

namespace {

/// A detached call as lanes see it.
struct detached_task final : task_in_room<detached_task, detached_call> {
  /// Goes on with the next calls of the line while a search would take those (lent_thread.md). Counts the calls with the last one:
  /// until then the pool counts a call that runs here.
  static void run_task(task& t, std::uint64_t, fiber& on) noexcept {
    detached_tasks& counted = given_of(t).host->pool().detached();
    run_watched(given_of(t), on);
    std::uint64_t uncounted = 1;
    for (std::uint32_t ran = 1; ran < tasks_per_turn && may_go_on(on); ++ran) {
      handed* const next = slot_of(on).region.take_injected_if(&is_plain);
      if (next == nullptr) break;
      fiber_slot& s = on.slot();
      s.counts.tasks.add(1);
      if (counted.counts_at_once()) counted.finish(std::exchange(uncounted, 0));
      run_watched(given_of(*next), on);
      ++uncounted;
    }
    on.task_ends();
    counted.finish(uncounted);
  }
  /// The same for a call with a strategy.
  static void run_ordered(task& t, std::uint64_t extra, fiber& on) noexcept {
    if (extra != found_dead) {
      given_of(t).host->begins_ordered();
      if (on.slot().needs.declared_only) {
        tsan::unseen const scheduling;
        on.slot().policy.learn(policies::ordered_here{});
      }
      return run_task(t, extra, on);
    }
    drop(t, on);
    drop_swept(on);
    on.task_ends();
  }
  static void drop(task& t, fiber& on) noexcept {
    detached_call& call = given_of(t);
    region& host = *call.host;
    host.begins_ordered();
    on.slot().counts.dead.add(1);
    call.kind->drop(call);
    host.pool().detached().finish();
  }
  /// As the lane `ordered` takes it. All calls of a pool are one group, for the lent thread.
  static offered_task offered(task const& t) noexcept {
    detached_call const& call = given_of(t);
    offered_task mine = call.kind->offered(call);
    mine.group = &call.host->pool().detached();
    return mine;
  }
  /// Runs the call on top of the fiber's task. The caller counts it.
  static void run_nested(detached_call& call, fiber& on) noexcept {
    watched_node const node{call};
    fiber::nested_task const nested{on, &node};
    run_call(call, on);
  }
  static hint hint_of(task const& t, std::uint64_t) noexcept { return hints_of(given_of(t)); }
  static char const* name_of(task const& t) noexcept {
    detached_call const& call = given_of(t);
    return call.kind->name_of == nullptr ? nullptr : call.kind->name_of(call);
  }
  static task_kind const kind;
  static task_kind const kind_with_strategy;

  [[nodiscard]] static handed& made_of(detached_call& call) noexcept {
    detached_task& made = of(call);
    if (call.kind->offered != nullptr) made.task::kind = &kind_with_strategy;
    return made;
  }

 private:
  static void run_watched(detached_call& call, fiber& on) noexcept {
    watched_node const node{call};
    on.watch(&node);
    run_call(call, on);
    on.watch(nullptr);
  }
  /// True if the policy lets this worker keep several calls, neither it nor a trace follows each, and nothing else is here.
  static bool may_go_on(fiber& on) noexcept {
    fiber_slot& s = on.slot();
    if (!s.takes_several || s.exposes_groups() || s.is_timed(on.tag()) || s.trace.track() != nullptr) return false;
    bool const has_no_tasks = s.spawned.outside().looks_empty() && s.tagged_lanes_look_empty();
    return has_no_tasks && s.calls.looks_empty() && s.may_go_on();
  }
  /// A policy may want to know the hints of others, and callers wait for a place.
  static bool is_plain(handed const& t) noexcept {
    return t.kind == &kind && given_of(static_cast<task const&>(t)).kind->hints_of == nullptr;
  }
  [[nodiscard]] static hint hints_of(detached_call const& call) noexcept {
    return call.kind->hints_of == nullptr ? hint{} : call.kind->hints_of(call);
  }
  /// The node that a call watches.
  struct watched_node : stop_node {
    explicit watched_node(detached_call const& call) noexcept
        : stop_node(nullptr, nullptr, nullptr, nullptr, hints_of(call).place.value_or(no_place_hint)) {
      // For waits, which must not be inside. It is never cancelled, so stops need not check it.
      tasks = &call.host->pool().detached().calls();
    }
  };
  /// The call may be gone when it returns.
  static void run_call(detached_call& call, fiber& on) noexcept {
    detached_tasks const& counted = call.host->pool().detached();
    try {
      call.kind->run(call, on);
    } catch (...) {
      counted.failed();
    }
  }
};

constexpr task_kind detached_task::kind{
    .run = &detached_task::run_task, .hint_of = &detached_task::hint_of, .name_of = &detached_task::name_of};
constexpr task_kind detached_task::kind_with_strategy{.run = &detached_task::run_ordered,
                                                      .hint_of = &detached_task::hint_of,
                                                      .name_of = &detached_task::name_of,
                                                      .drop = &detached_task::drop,
                                                      .offered = &detached_task::offered};

}  // namespace

void announce(detached_call& call, region& where) {
  where.pool().check_process();
  call.host = &where;
  where.pool().detached().add();
}

bool announce(detached_call& call, region& where, at_most bound) {
  where.pool().check_process();
  call.host = &where;
  return where.pool().detached().add_counting(bound.tasks);
}

void run_or_submit(detached_call& call) noexcept {
  if (!executor::has_room_for_calls()) return submit(call);
  struct call_now : outside_call {
    explicit call_now(detached_call& c) noexcept
        : outside_call{.call =
                           [](outside_call& self, fiber& on) {
                             auto& mine = static_cast<call_now&>(self);
                             detached_task::run_nested(*std::exchange(mine.pending, nullptr), on);
                           },
                       .name = c.kind->name_of == nullptr ? nullptr : c.kind->name_of(c)},
          pending(&c) {}
    detached_call* pending;
  } now(call);
  region& where = *call.host;
  detached_tasks& counted = where.pool().detached();
  std::optional<tied_section> on_this_thread;
  if (here* const mine = executor::running()) on_this_thread.emplace(fiber_of(*mine));
  try {
    run_in(where, now);
  } catch (...) {
    if (now.pending != nullptr) return submit(call);  // no memory for a guest: it has not begun
  }
  counted.finish();  // the last access to the pool
}

void submit(detached_call& call) noexcept { call.host->inject(detached_task::made_of(call)); }

void retract(detached_call& call) noexcept { call.host->pool().detached().finish(); }

region& pool_of_caller() {
  worker* const w = worker::current();
  if (w != nullptr) return w->pool().host().first_region();
  region& where = default_region();
  // It brings a cache for blocks. The default pool outlives the thread, unlike others.
  if (&current_blocks() == &no_blocks) [[unlikely]]
    static_cast<void>(where.lanes_outside().mine());
  return where;
}

void detached_tasks::failed() const noexcept {
  if (!on_exception_) std::terminate();  // its usual handler prints the exception
  on_exception_(std::current_exception());
}

void detached_tasks::wait(region& where) {
  if (worker::current() == nullptr) {
    if (!calls_.done()) wait_outside(where, calls_);
  } else if (!executor::wait_unless_inside(calls_)) {
    throw usage_error(
        "pool::drain: an enqueued task of the pool waits for itself; allowed: threads and tasks that are not inside of "
        "one, and a task_group for what it starts itself");
  }
}

void detached_tasks::wait_for_workers() noexcept {
  if (worker::current() != nullptr) return executor::wait(calls_);
  block(calls_);
}

}}}  // namespace skua::v0::runtime
