// SPDX-License-Identifier: MIT
// The thread of a worker. Its loop: run_loop.cpp.
#include "skua/machine/threads/engine/core/worker.hpp"

#include <exception>
#include <thread>
#include <utility>

#include "skua/machine/threads/engine/core/pool_core.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/base/memory_limits.hpp"
#include "skua/parts/context/overflow.hpp"
#include "skua/parts/context/sanitizer.hpp"
#include "skua/parts/topology/affinity.hpp"

namespace skua { inline namespace v0 { namespace runtime {

worker::worker(pool_core& c, worker_id number, worker_record& record)
    : core_(c), number_(number), record_(record), observers_(*c.observers()), flows_(c.stacks()), blocks_(c.blocks()) {
  thread_record::worker = index(number);
  thread_record::blocks = &blocks_;
  owner = this;
}

void worker::trace_to(trace::track const& to) noexcept {
  trace_.write_to(to);
  leaves_.trace_to(trace_.track());
}

void worker::start() {
  flows_.current_stack = flows_.stacks.take();
  try {
    thread_ = std::thread([this] { thread_main(); });
  } catch (std::exception const& e) {
    flows_.stacks.give(flows_.current_stack);
    throw resource_error(
        "cannot start worker " + std::to_string(index(number_)) + ": " + e.what() +
        "; ask for fewer workers (SKUA_WORKERS) or smaller stacks (SKUA_STACK), or raise the limits of "
        "threads (ulimit -u) and memory: " +
        memory_limits());
  }
}

void worker::await_ready() { is_ready_.get_future().get(); }

void worker::join() noexcept {
  if (thread_.joinable()) thread_.join();
}

/// A caller's record lies on the caller's stack, and every flow of its thread reads it. For TSan no edge orders these reads before
/// the caller's next use of that stack.
worker* worker::current() noexcept {
  tsan::unseen_accesses const of_the_thread;
  thread_record* const r = current_thread();
  return r == nullptr ? nullptr : static_cast<worker*>(r->owner);
}

void worker::thread_main() noexcept {
  set_current_thread(this);
  bool has_begun = false;
  try {
    overflow_watch const watch{*this};
    pin_report_ = core_.pin(number_);
    thread_number_ = number_of_this_thread();
    home_.begin(core_.stays_pinned());
    thread_options const& wanted = core_.options_of_threads();
    name_this_thread(wanted.name_of(std::to_string(index(number_))));
    if (wanted.begins) wanted.begins(number_);
    has_begun = true;
    counts_.times.open(now_ns());
    is_ready_.set_value();
    sleep_at_first();
    runtime::start(flows_.next, *flows_.current_stack, &worker::fiber_main, this);
    switch_to(flows_.native, flows_.next, nullptr, nullptr);
  } catch (...) {
    flows_.stacks.give(flows_.current_stack);
    is_ready_.set_exception(std::current_exception());
  }
  leave_permit();
  give_stacks_back();
  set_current_thread(nullptr);
  if (has_begun && core_.options_of_threads().ends) core_.options_of_threads().ends(number_);
}

/// A new pool has no work. If thousands of workers each searched to find that out, they would slow each other down.
/// (sleep.md, "The first sleep")
void worker::sleep_at_first() noexcept {
  begin(activity::idling);
  trace_.sleeps(0);
  if (core_.sleep().sleep_until_woken(number_)) counts_.sleeps.add(1);
  home_.after_first_sleep(core_.allowed());
  enter_permit();
  was_woken_ = true;
  begin(activity::scheduling);
}

bool worker::has_room_for_calls() const noexcept {
  if (flows_.current_stack != nullptr) return flows_.current_stack->has_room_for_calls();
  auto const used = flows_.callers_frame - reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  // A call begins on its thread's own stack only if 7/8 of a pool's stack are left there: this leaves half of one, as on a pool's.
  return used < core_.stacks().stack_bytes() / 8 * 3;
}

namespace {

/// While it lives, the fiber has joins also between two tasks: an observer may fork.
class joins_for_observer {
 public:
  joins_for_observer(fiber& on, worker_slot& idle) noexcept : idle_(on.has_joins() ? nullptr : &on) {
    if (idle_ != nullptr) on.begin_in(idle);
  }
  ~joins_for_observer() {
    if (idle_ != nullptr) idle_->end_in(slot_of(*idle_));
  }
  joins_for_observer(joins_for_observer const&) = delete;
  joins_for_observer& operator=(joins_for_observer const&) = delete;

 private:
  fiber* const idle_;
};

}  // namespace

void worker::say_entered() noexcept {
  joins_for_observer const joins{*running(), first_slot()};
  set_entered(observers().enter(entered(), is_on_own_thread()));
}

void worker::say_left() noexcept {
  joins_for_observer const joins{*running(), first_slot()};
  std::uint64_t const before = entered();
  set_entered(0);
  observers().leave(before, is_on_own_thread());
}

/// No effect unless the calling thread is a caller in a worker's place.
void worker::stay_in_place() noexcept {
  worker* const me = current();
  if (me != nullptr && me->is_lent_) me->home_.stay();
}

}}}  // namespace skua::v0::runtime
