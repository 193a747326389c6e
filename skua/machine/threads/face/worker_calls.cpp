// SPDX-License-Identifier: MIT
#include "skua/machine/threads/face/worker_calls.hpp"

#include <sched.h>

#include <exception>
#include <vector>

#include "skua/machine/threads/engine/callers/caller.hpp"
#include "skua/machine/threads/engine/core/pool_core.hpp"
#include "skua/machine/threads/engine/core/region.hpp"
#include "skua/machine/threads/engine/core/worker.hpp"
#include "skua/machine/threads/engine/core/worker_slot.hpp"
#include "skua/machine/threads/engine/outside/root.hpp"
#include "skua/machine/threads/face/detached.hpp"
#include "skua/machine/threads/face/executor.hpp"
#include "skua/machine/threads/face/one_shot.hpp"
#include "skua/machine/threads/face/pool.hpp"
#include "skua/machine/threads/fork/join/task_in_room.hpp"

namespace skua { inline namespace v0 { namespace runtime {

namespace {

/// A worker_call as an inbox sees it.
struct numbered_task final : task_in_room<numbered_task, worker_call> {
  static void run_task(task& t, std::uint64_t, fiber& on) noexcept {
    {
      tied_section const on_this_thread{on};
      worker_call& call = given_of(t);
      call.run(call);
    }
    on.task_ends();
  }
  static task_kind const kind;
};

constexpr task_kind numbered_task::kind{.run = &numbered_task::run_task};

}  // namespace

void call_on(region& where, std::uint32_t w, worker_call& call) noexcept {
  worker_slot& slot = where.slot_of(worker_id{w});
  slot.inbox.push(numbered_task::of(call));
  slot.notify_owner();
}

void run_as_first(region& where, outside_call& call) {
  root asked{call};
  // The worker sleeps, or soon will: nothing but these calls wakes it, and what they have woken it for has ended.
  while (!caller::run_in_place_of(where, worker_id{0}, asked)) ::sched_yield();
  asked.rethrow();
}

region& open_first_workers(pool& all, std::uint32_t workers) {
  region& root = root_region_of(all);
  if (workers == root.workers()) return root;
  std::vector<worker_id> first(workers);
  for (std::uint32_t w = 0; w < workers; ++w) first[w] = worker_id{w};
  return *core_of(all).open_region(root.policy_maker(), first);  // the core's list keeps it
}

void close_first_workers(pool& all, region& opened) noexcept {
  if (&opened != &root_region_of(all)) core_of(all).close_region(opened);
}

namespace {

/// Workers take it when they have found nothing of their own and nothing to steal: so all that is found before runs first. On the stack of the fiber that
/// it resumes, and gone when it has.
struct last_found final : detached_call {
  last_found() noexcept : detached_call{.kind = &its_kind} {}
  static void run(detached_call& call, fiber&) { static_cast<last_found&>(call).again.set_value(); }
  static constexpr detached_kind its_kind{.run = &run};
  one_shot<> again;
};

}  // namespace

void yield_to_others() noexcept {
  worker* const me = worker::current();
  if (me == nullptr) return;
  try {
    last_found call;
    announce(call, slot_of(me->running_fiber()).region);
    submit(call);
    call.again.wait();
  } catch (std::exception const&) {  // no memory, or a child of fork(): the fiber goes on
  }
}

void note_trace_end(pool& all) noexcept { core_of(all).note_trace_end(); }

observed_calls& observed_calls_of(pool& all) noexcept { return core_of(all).memory()->calls(); }

bool holds_tied_frames() noexcept {
  worker const* const me = worker::current();
  return me != nullptr && me->holds_tied_frames();
}

void come_home() noexcept {
  if (worker* const me = worker::current()) me->home().come();
}

bound_home::bound_home() noexcept {
  if (worker const* const me = worker::current()) before_ = me->home().before_sleep();
}

bound_home::~bound_home() {
  worker const* const me = worker::current();
  if (me != nullptr) me->home().after_sleep(before_);
}

}}}  // namespace skua::v0::runtime
