// SPDX-License-Identifier: MIT
#include "skua/machine/threads/face/one_shot.hpp"

#include "skua/machine/threads/engine/core/worker.hpp"
#include "skua/machine/threads/engine/outside/root.hpp"
#include "skua/machine/threads/face/executor.hpp"
#include "skua/parts/base/assert.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/context/sanitizer.hpp"

namespace skua { inline namespace v0 { namespace runtime {

namespace {

/// A waiting fiber. Its group counts two children: the fiber's own share, and the wake-up.
struct waiting_fiber final : one_shot_waiter {
  waiting_fiber() noexcept : one_shot_waiter{.wake = &waiting_fiber::release} {}
  static void release(one_shot_waiter& w) noexcept {
    auto& self = static_cast<waiting_fiber&>(w);
    if (parked<>* const f = self.waited.finish(1, 0, [] {})) worker::send_home(static_cast<frame&>(*f));
  }
  group waited{nullptr, 2};
};

struct blocked_thread final : one_shot_waiter {
  blocked_thread() noexcept : one_shot_waiter{.wake = &blocked_thread::release} {}
  static void release(one_shot_waiter& w) noexcept { static_cast<blocked_thread&>(w).done.set(); }
  completion done;
};

}  // namespace

one_shot_base::~one_shot_base() {
  expects(word_.is_idle(), "one_shot: destroyed while no thread waits for it or sets it");
}

void one_shot_base::claim() {
  if (!word_.claim()) throw usage_error("one_shot: set a second time; allowed: one value or one exception");
}

void one_shot_base::set_exception(std::exception_ptr why) {
  expects(why != nullptr, "one_shot::set_exception: an exception");
  claim();
  error_ = std::move(why);
  publish();
}

bool one_shot_base::enroll(one_shot_waiter& waiter) {
  switch (word_.enroll(waiter)) {
    case one_shot_word<>::enrolment::waits: return true;
    case one_shot_word<>::enrolment::needless: return false;
    case one_shot_word<>::enrolment::second: break;
  }
  throw usage_error("one_shot: a second waiter; allowed: one");
}

void one_shot_base::park(fiber& running) {
  waiting_fiber me;
  if (enroll(me)) {
    waits_for const why{running, {"a one_shot", this}};
    running.wait(me.waited, 1);
  }
  static_cast<void>(word_.is_set());  // the resumed flow acquires the value, for checkers that follow flows
}

void one_shot_base::await_on_this_thread() {
  if (worker* const w = worker::current()) {
    fiber& running = w->running_fiber();
    tied_section const on_this_thread{running};
    return park(running);
  }
  blocked_thread me;
  if (enroll(me)) me.done.wait();
}

void one_shot_base::take() {
  // A waiter that enrolled too late to wait asks here, and ThreadSanitizer does not see that. Pairs with: publish
  tsan::acquire(&word_);
  if (!word_.take()) throw usage_error("one_shot: waited for a second time; allowed: once");
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

}}}  // namespace skua::v0::runtime
