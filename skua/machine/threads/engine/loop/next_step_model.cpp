// SPDX-License-Identifier: MIT
// Callers and workers whose tasks wait for answers from outside, under every schedule: no frame that is ready is lost when
// a fiber ends or a caller leaves, and every caller that may leave does (next_step.md). Flows of control are coroutines; their
// waits, the lanes of ready frames and the choice of the next step are the production code. Each mutant is an order of sources
// in which a source can hide another one.
#include "skua/machine/threads/engine/loop/next_step.hpp"

#include <gtest/gtest.h>

#include <array>
#include <coroutine>
#include <cstdlib>
#include <utility>

#include "skua/machine/threads/engine/core/departure.hpp"
#include "skua/machine/threads/engine/loop/work_search.hpp"
#include "skua/machine/threads/face/one_shot_word.hpp"
#include "skua/machine/threads/fork/group/share_count.hpp"
#include "skua/parts/queue/injector.hpp"
#include "tests/explorer/expect.hpp"
#include "tests/explorer/explorer.hpp"
#include "tests/explorer/model_sync.hpp"

namespace {

using namespace skua::explorer;
using skua::runtime::departure, skua::runtime::injectable, skua::runtime::injector, skua::runtime::next_step,
    skua::runtime::one_shot_waiter, skua::runtime::one_shot_word, skua::runtime::parked, skua::runtime::share_count,
    skua::runtime::work_search;

using sync = model_sync;
using count = share_count<sync>;

class worker;
struct frame;

/// A fiber, as far as a step sees it.
struct fiber {
  worker* runner = nullptr;
  bool tied = false;
  frame* ready = nullptr;
  frame* take_ready() { return std::exchange(ready, nullptr); }
};

/// A suspended flow.
struct frame : parked<sync>, injectable {
  fiber* owner = nullptr;
  std::coroutine_handle<> rest;
  static constexpr bool is_open = true;
  bool is_tied() const { return owner->tied; }
};

/// A task, or a function that it calls with co_await. What it needs lives to the end of the execution.
struct flow {
  struct promise_type {
    std::coroutine_handle<> calls_back = std::noop_coroutine();
    static void* operator new(std::size_t bytes) { return memory().allocate(bytes, alignof(std::max_align_t)); }
    static void operator delete(void*) {}
    flow get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    static std::suspend_always initial_suspend() { return {}; }
    struct to_caller {
      static bool await_ready() noexcept { return false; }
      static std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> h) noexcept {
        return h.promise().calls_back;
      }
      static void await_resume() noexcept {}
    };
    static to_caller final_suspend() noexcept { return {}; }
    static void return_void() {}
    [[noreturn]] static void unhandled_exception() { std::abort(); }
  };
  std::coroutine_handle<promise_type> handle;

  static bool await_ready() { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> caller) const {
    handle.promise().calls_back = caller;
    return handle;
  }
  static void await_resume() {}
};

/// A one_shot that holds nothing.
using answer = one_shot_word<sync>;

/// What the workers of a script share: ready frames, and a root with one child, which each wait for an answer.
struct region {
  injector<sync>& ready = immortal<injector<sync>>();
  injector<sync>& injected = immortal<injector<sync>>();
  injectable root;
  model_atomic<int>& offered = immortal<model_atomic<int>>(0);  ///< the root's child, as a lane has it
  count& join = immortal<count>(std::uint64_t{2});
  answer& of_root = immortal<answer>();
  answer& of_child = immortal<answer>();
  int roots_ended = 0;

  bool looks_empty() const {
    return ready.looks_empty() && injected.looks_empty() && offered.load(std::memory_order_acquire) == 0;
  }
};

/// A worker's place.
class worker {
 public:
  explicit worker(region& r) : shared(r) {}

  struct step {
    worker* runner;
    frame* resume;
    flow (*begin)(region&, fiber&);
  };

  // What next_step asks.
  frame* take_parked() { return std::exchange(ready_, nullptr); }
  static bool turns_from_finish(fiber const&) { return false; }
  static frame* leave_share() { return nullptr; }
  bool may_depart() const { return leaving.is_due(); }
  frame* take_departure() { return static_cast<frame*>(leaving.take()); }
  bool has(frame const& f) const { return f.owner->runner == this; }
  static bool is_of_region(frame const&, fiber const&) { return true; }
  static bool is_sent_elsewhere(frame const&, fiber const&) { return false; }
  static void send_home(frame& f) {
    f.is_tied() ? f.owner->runner->tied_ready_.push(f) : f.owner->runner->shared.ready.push(f);
  }
  step search();

  // What work_search asks.
  struct found {
    worker* slot = nullptr;
    frame* resume = nullptr;
    flow (*begin)(region&, fiber&) = nullptr;
  };
  found take_ready();
  found probe_everywhere();

  /// For a flow that is about to suspend: it waits for `g`.
  void parks(frame& f, count& g, std::uint64_t mine) {
    g.wait_in(f);
    if (f.is_tied()) leaving.ties();
    waits_for_ = &g;
    mine_ = mine;
  }

  /// The life of the present thread: until the call has ended and left, or, without one, for ever. Order: next_step, or a
  /// mutant of it.
  template <class Order>
  void live(flow const* call, fiber& calls) {
    fiber* f = &calls;
    std::coroutine_handle<> next;
    if (call != nullptr) next = call->handle;
    for (;;) {
      if (next) next.resume();
      if (waits_for_ != nullptr) {
        if (parked<sync>* const complete = std::exchange(waits_for_, nullptr)->park(mine_)) {
          ready_ = static_cast<frame*>(complete);
        }
        f = &immortal<fiber>();
        f->runner = this;
      } else if (call != nullptr && f == &calls) {
        return require(ready_ == nullptr && leaving.is_free(), "a caller that leaves holds no frame");
      }
      step const s = Order::of(*this, *f);
      if (s.resume == nullptr) {
        next = s.begin(shared, *f).handle;
        continue;
      }
      require(f->ready == nullptr && ready_ == nullptr, "a fiber that ends holds no ready frame");
      f = s.resume->owner;
      if (f->tied) leaving.unties();
      f->runner = this;
      next = s.resume->rest;
    }
  }

  region& shared;
  departure<sync> leaving;

 private:
  injector<sync>& tied_ready_ = immortal<injector<sync>>();
  frame* ready_ = nullptr;
  count* waits_for_ = nullptr;
  std::uint64_t mine_ = 0;
};

/// As fiber::wait.
struct wait {
  fiber& owner;
  count& until;
  frame& me = immortal<frame>();

  bool await_ready() { return until.left_only(1); }
  void await_suspend(std::coroutine_handle<> rest) {
    me.owner = &owner;
    me.rest = rest;
    owner.runner->parks(me, until, 1);
  }
  void await_resume() { static_cast<void>(until.left_only(0)); }
};

struct waiting_fiber : one_shot_waiter {
  waiting_fiber() noexcept : one_shot_waiter{.wake = &waiting_fiber::release} {}
  static void release(one_shot_waiter& w) noexcept {
    if (auto* const f = static_cast<waiting_fiber&>(w).waited.finish(1, 0, [] {})) {
      worker::send_home(static_cast<frame&>(*f));
    }
  }
  count& waited = immortal<count>(std::uint64_t{2});
};

/// As one_shot::wait without a `here`: it returns on the thread that called it.
flow ask(fiber& f, answer& a) {
  bool const tied = std::exchange(f.tied, true);
  auto& me = immortal<waiting_fiber>();
  if (!a.is_set() && a.enroll(me) == answer::enrolment::waits) co_await wait{f, me.waited};
  f.tied = tied;
}

flow child(region& shared, fiber& f) {
  co_await ask(f, shared.of_child);
  if (auto* const ready = shared.join.finish(1, 0, [] {})) f.ready = static_cast<frame*>(ready);
}

/// here.join of two functions that ask.
flow root(region& shared, fiber& f) {
  shared.offered.store(1, std::memory_order_release);
  co_await ask(f, shared.of_root);
  if (shared.offered.exchange(0, std::memory_order_acq_rel) == 1) {
    co_await ask(f, shared.of_child);
  } else {
    co_await wait{f, shared.join};
  }
  ++shared.roots_ended;
}

/// A call from outside, which asks or is itself the root, and how it leaves (caller::await_departure).
flow call(region& shared, fiber& f, answer& a, bool is_root) {
  co_await (is_root ? root(shared, f) : ask(f, a));
  if (f.runner->leaving.is_free()) co_return;
  auto& left = immortal<count>(std::uint64_t{2});
  f.runner->leaving.waits_in(left);
  co_await wait{f, left};
}

worker::found worker::take_ready() {
  if (injectable* const mine = tied_ready_.pop()) return {this, static_cast<frame*>(mine), nullptr};
  if (injectable* const any = shared.ready.pop()) return {this, static_cast<frame*>(any), nullptr};
  return {};
}

worker::found worker::probe_everywhere() {
  if (shared.offered.load(std::memory_order_acquire) == 1 &&
      shared.offered.exchange(0, std::memory_order_acq_rel) == 1) {
    return {this, nullptr, &child};
  }
  return shared.injected.pop() == nullptr ? found{} : found{this, nullptr, &root};
}

/// Without work the thread waits until there is some.
worker::step worker::search() {
  for (;;) {
    found const f = work_search::find(*this);
    if (f.resume != nullptr || f.begin != nullptr) return {this, f.resume, f.begin};
    current_world()->step([this] { return !tied_ready_.looks_empty() || !shared.looks_empty(); });
  }
}

/// Two places: a caller in each, in the first alone, or in none; the worker's own thread follows a caller that has left. The
/// root is injected, or it is the first caller's call. A third thread sets the answers, in any order.
template <int Callers, class Order = next_step, bool CallIsRoot = false>
struct places {
  static constexpr int threads = 3;
  region shared;
  std::array<worker*, 2> place{&immortal<worker>(shared), &immortal<worker>(shared)};
  std::array<answer*, 2> of_caller{&immortal<answer>(), &immortal<answer>()};
  int left = 0;

  places() {
    if (!CallIsRoot) shared.injected.push(shared.root);
  }
  void run(int me) {
    if (me == 2) return set_answers();
    worker& mine = *place[static_cast<std::size_t>(me)];
    if (me < Callers) {
      auto& calls = immortal<fiber>(&mine, true);
      flow const its = call(shared, calls, *of_caller[static_cast<std::size_t>(me)], CallIsRoot && me == 0);
      mine.live<Order>(&its, calls);
      ++left;
    }
    current_world()->may_rest();
    mine.live<Order>(nullptr, immortal<fiber>(&mine));
  }
  void finish() {
    require(left == Callers, "callers leave");
    require(shared.roots_ended == 1, "the root ends");
  }

 private:
  void set_answers() {
    std::array<answer*, 4> all{&shared.of_root, &shared.of_child, of_caller[0], of_caller[1]};
    for (std::size_t n = 2 + Callers; n > 0; --n) {
      std::swap(all[n - 1], all[current_world()->choose(n)]);
      require(all[n - 1]->claim(), "an answer is set once");
      if (one_shot_waiter* const w = all[n - 1]->publish()) w->wake(*w);
    }
  }
};

// The mutants.

/// A caller leaves as soon as no other frame is tied: what the last task made ready is forgotten.
struct departure_first {
  static worker::step of(worker& me, fiber& f) {
    if (frame* const caller = me.take_departure()) return {&me, caller, nullptr};
    return next_step::of(me, f);
  }
};

/// The frame that has parked complete waits until the worker has searched.
struct parked_after_departure {
  static worker::step of(worker& me, fiber& f) {
    if (frame* const ready = f.take_ready(); ready != nullptr && next_step::is_mine(me, f, *ready)) {
      return {&me, ready, nullptr};
    }
    if (frame* const caller = me.take_departure()) return {&me, caller, nullptr};
    return next_step::of(me, f);
  }
};

/// A fiber takes what others need before it looks at what its own task made ready.
struct search_first {
  static worker::step of(worker& me, fiber& f) {
    if (!me.shared.looks_empty()) return me.search();
    return next_step::of(me, f);
  }
};

constexpr options bounded{.preemptions = 2, .races = true};
constexpr char const* lost = "holds no";

}  // namespace

TEST(next_step_model, one_caller_leaves_and_the_root_ends) { holds<places<1>>(bounded); }
TEST(next_step_model, two_callers_leave_and_the_root_ends) {
  holds<places<2>>({.preemptions = 1, .races = true});
  holds<places<2>>({.random = skua::testing::full_or(200'000U, 20'000U), .seed = 1, .races = true});
}
TEST(next_step_model, a_frame_that_another_worker_makes_ready_comes_home_to_its_caller) {
  holds<places<1, next_step, true>>(bounded);
}
TEST(next_step_model, workers_alone_end_the_root) { holds<places<0>>(bounded); }

TEST(next_step_mutant, a_departure_before_the_ready_frame_is_caught) {
  fails<places<1, departure_first>>(lost, bounded);
  fails<places<2, departure_first>>(lost, bounded);
}
TEST(next_step_mutant, a_departure_before_the_parked_frame_is_caught) {
  fails<places<1, parked_after_departure>>(lost, bounded);
}
TEST(next_step_mutant, a_search_before_the_ready_frame_is_caught) {
  fails<places<0, search_first>>("the root ends", bounded);
}
