// SPDX-License-Identifier: MIT
#include "tests/mixed/mixed_program.hpp"

#include <coroutine>
#include <exception>
#include <memory>
#include <string>
#include <utility>

#include "skua/execution/bulk.hpp"
#include "skua/execution/schedule.hpp"
#include "skua/machine/threads/face/coroutine.hpp"
#include "skua/policy/combinations_for_test.hpp"
#include "tests/execution/small_senders.hpp"
#include "tests/mixed/answer_with.hpp"

namespace skua { inline namespace v0 { namespace testing {
namespace {

std::atomic<std::uint64_t> begun{0};

/// Begins at once; nobody waits for it.
struct detached {
  struct promise_type {
    static detached get_return_object() noexcept { return {}; }
    static std::suspend_never initial_suspend() noexcept { return {}; }
    static std::suspend_never final_suspend() noexcept { return {}; }
    static void return_void() noexcept {}
    [[noreturn]] static void unhandled_exception() noexcept { std::terminate(); }
  };
};

template <class F>
detached compute(pool& where, one_shot<std::uint64_t>& question, F f) {
  try {
    std::uint64_t const value = co_await run_on(where, std::move(f));
    question.set_value(value);
  } catch (...) {
    question.set_exception(std::current_exception());
  }
}

/// f() after an answer from outside.
template <class F>
detached compute_later(answering_service& outside, one_shot<std::uint64_t>& question, F f) {
  try {
    one_shot<std::uint64_t> first;
    outside.ask([&first] { first.set_value(1); });
    std::uint64_t const one = co_await first;
    std::uint64_t const value = f();
    question.set_value(one * value);
  } catch (...) {
    question.set_exception(std::current_exception());
  }
}

/// Answers with f().
template <class F>
struct answering_receiver {
  using receiver_concept = small_library::receiver_tag;
  struct nobody_stops {};
  one_shot<std::uint64_t>* question;
  F f;

  void set_value() noexcept { answer_with(*question, f); }
  void set_error(std::exception_ptr why) noexcept { question->set_exception(std::move(why)); }
  [[nodiscard]] static nobody_stops get_env() noexcept { return {}; }
};

/// The strategy of a task that does nothing; the task owns the word.
struct mortal {
  bool const* dead;
  [[nodiscard]] bool is_dead() const noexcept { return *dead; }
};

template <class Child>
void join(runtime::here& on, std::size_t number, Child const& child) {
  auto const of = [&child](std::size_t i) { return [&child, i](runtime::here& h) { child(h, i); }; };
  switch (number) {
    case 2: on.join(of(0), of(1)); break;
    case 3: on.join(of(0), of(1), of(2)); break;
    default: on.join(of(0), of(1), of(2), of(3));
  }
}

/// The same, of code that nobody hands a `here`.
template <class Child>
void join_without_here(pool const& around, std::size_t number, Child const& child) {
  auto const of = [&](std::size_t i) {
    return [&child, &around, i] {
      if (&current_pool() != &around) note_wrong("what runs in a pool finds another one");
      with_here([&](runtime::here& h) { child(h, i); });
    };
  };
  switch (number) {
    case 2: skua::join(of(0), of(1)); break;
    case 3: skua::join(of(0), of(1), of(2)); break;
    default: skua::join(of(0), of(1), of(2), of(3));
  }
}

}  // namespace

answering_service::answering_service(unsigned threads) {
  for (unsigned i = 0; i < threads; ++i) threads_.emplace_back([this] { serve(); });
}

answering_service::~answering_service() {
  {
    std::lock_guard const held(mutex_);
    ends_ = true;
  }
  asked_.notify_all();
}

void answering_service::ask(std::function<void()> answer) {
  {
    std::lock_guard const held(mutex_);
    questions_.push(std::move(answer));
  }
  asked_.notify_one();
}

void answering_service::serve() {
  for (std::unique_lock held(mutex_);;) {
    asked_.wait(held, [this] { return ends_ || !questions_.empty(); });
    if (questions_.empty()) return;
    auto const answer = std::move(questions_.front());
    questions_.pop();
    held.unlock();
    answer();
    held.lock();
  }
}

std::uint64_t mixed_program::steps() noexcept { return begun.load(std::memory_order_relaxed); }

std::uint64_t mixed_program::run(std::size_t first) { return in(first, whole_); }

std::uint64_t mixed_program::in(std::size_t pool, mixed_step const& by, isolated_mark const* alone) {
  return pools_[pool]->run([&](runtime::here& h) { return step(h, by, {pool, alone}); });
}

std::uint64_t mixed_program::in_isolation(std::size_t pool, mixed_step const& by) {
  returns_here const same_thread;
  return isolate([&] {
    isolated_mark const alone;
    return in(pool, by, &alone);
  });
}

std::uint64_t mixed_program::step(runtime::here& on, mixed_step const& by, place at) {
  begun.fetch_add(1, std::memory_order_relaxed);
  isolated_mark::expect_own(at.alone);
  if (at.stopped != nullptr && *at.stopped && !on.stop_requested())
    note_wrong("a step does not hear of the stop around it");
  if (by.is_leaf()) return by.own;
  if (by.ends_early()) return by.own + ended_early(on, by, at);
  return by.own + (by.is_alone() ? weight(0) * elsewhere(on, by, at) : children(on, by, at));
}

/// The weighted sum of the children's answers.
std::uint64_t mixed_program::children(runtime::here& on, mixed_step const& by, place at) {
  std::array<std::uint64_t, 4> got{};
  auto const child = [&](runtime::here& h, std::size_t i) { got[i] = weight(i) * step(h, by.child[i], at); };
  switch (by.what) {
    case construct::each: {
      std::array<std::size_t, 4> const all{0, 1, 2, 3};
      on.join_each(std::span(all).first(by.number()), [&](runtime::here& h, std::size_t i) { child(h, i); });
      break;
    }
    case construct::scope:
      on.scope([&](auto& s) {
        for (std::size_t i = 1; i < by.number(); ++i) s.spawn([&child, i](runtime::here& h) { child(h, i); });
        child(on, 0);
      });
      break;
    case construct::finish: {
      auto const owned = std::make_shared<bool>(by.chance % 2 == 0);
      on.finish([&](auto& f) {
        for (std::uint32_t i = 0; i < by.chance % 5; ++i) f.spawn(mortal{owned.get()}, [owned](auto&) {});
        for (std::size_t i = 1; i < by.number(); ++i) {
          auto const task = [&child, i](auto& g) { child(g.here(), i); };
          (by.chance >> i) % 2 == 0
              ? f.spawn(task)
              : f.spawn(strategies::order{static_cast<double>(by.chance % 7), static_cast<double>(by.chance % 11)},
                        task);
        }
        child(f.here(), 0);
      });
      if (owned.use_count() != 1) note_wrong("a region has ended before the tasks that it drops");
      break;
    }
    case construct::flow: {
      flow graph(on);
      runtime::node<void> last = graph.add([&](runtime::here& h) { child(h, 0); });
      for (std::size_t i = 1; i < by.number(); ++i) {
        auto const task = [&child, i](runtime::here& h) { child(h, i); };
        if ((by.chance >> i) % 2 == 0) {
          graph.add(task);
        } else {
          last = graph.add(after(last), task);
        }
      }
      graph.run(on);
      break;
    }
    case construct::loop:
      parallel_for(std::size_t{0}, by.number(), [&](std::size_t i) {
        pools_[at.pool]->run([&](runtime::here& h) { got[i] = weight(i) * step(h, by.child[i], at.called()); });
      });
      break;
    case construct::join: join(on, by.number(), child); break;
    case construct::ambient: join_without_here(*pools_[at.pool], by.number(), child); break;
    default: return children_with_objects(on, by, at);
  }
  return got[0] + got[1] + got[2] + got[3];
}

/// The answer of the only child, which a coroutine of this pool computes when it has been answered.
std::uint64_t mixed_program::await_elsewhere(runtime::here& on, mixed_step const& by, place at) {
  one_shot<std::uint64_t> question;
  compute_later(outside_, question, [&] { return in(at.pool, by.child[0]); });
  return by.chance % 5 == 0 ? question.wait() : question.wait(on);
}

/// The answer of the only child, in the completion of a sender on a pool, or in an element of its loop.
std::uint64_t mixed_program::schedule_elsewhere(runtime::here& on, mixed_step const& by, place at) {
  std::size_t const where = by.chance % 3 == 0 ? 1 - at.pool : at.pool;
  pool& of = *pools_[where];
  one_shot<std::uint64_t> question;
  auto const schedule = runtime::senders::scheduler<small_library>(of).schedule();
  auto const wait = [&] { return by.chance % 5 == 0 ? question.wait() : question.wait(on); };
  if (by.chance % 2 == 0) {
    auto const answer = [&] { return in(where, by.child[0]); };
    auto operation = schedule.connect(answering_receiver<decltype(answer)>{&question, answer});
    operation.start();
    return wait();
  }
  std::uint64_t got = 0;
  std::size_t const elements = 1 + by.chance / 2 % 5;
  auto element = [&, chosen = by.chance / 10 % elements](std::size_t i) {
    if (i == chosen) got = in(where, by.child[0]);
  };
  auto const answer = [&got] { return got; };
  using before = runtime::senders::schedule_sender<small_library>;
  using loop = runtime::senders::bulk_sender<small_library, runtime::senders::bulk_form::unchunked, before, std::size_t,
                                             decltype(element)>;
  auto operation = loop(before(schedule), of, elements, std::move(element))
                       .connect(answering_receiver<decltype(answer)>{&question, answer});
  operation.start();
  return wait();
}

/// The answer of the only child, which somebody else computes, or which waits for somebody else.
std::uint64_t mixed_program::elsewhere(runtime::here& on, mixed_step const& by, place at) {
  mixed_step const& inside = by.child[0];
  std::size_t const other = 1 - at.pool;
  if (by.what == construct::shielded) return shielded(on, by, at);
  // An isolated task holds its worker. What it waits for must not need that; adws and replay place tasks on every worker.
  bool const needs_a_worker =
      by.what != construct::isolated && by.what != construct::answer && by.what != construct::answer_here;
  if (by.what == construct::cut_short) return cut_short(on, by, at);
  if (at.alone != nullptr && needs_a_worker) return step(on, inside, at);
  one_shot<std::uint64_t> question;
  auto const wait = [&](bool here) {
    if (!here) return question.wait(on);
    returns_here const same_thread;
    return question.wait();
  };
  switch (by.what) {
    case construct::isolated: return in_isolation(at.pool, inside);
    case construct::answer:
    case construct::answer_here: {
      std::uint64_t const mine = by.chance % 2 == 0 ? step(on, inside, at) : 0;
      outside_.ask([&question] { question.set_value(1); });
      std::uint64_t const one = wait(by.what == construct::answer_here);
      return by.chance % 2 == 0 ? mine * one : one * step(on, inside, at);
    }
    case construct::enqueued: {
      std::size_t const where = by.chance % 3 == 0 ? other : at.pool;
      auto const task = [&, where] { answer_with(question, [&] { return in(where, inside); }); };
      if (by.chance % 2 == 0) pools_[where]->enqueue(task);
      if (by.chance % 2 == 1) pools_[where]->enqueue(strategies::deadline{static_cast<double>(by.chance % 7)}, task);
      return wait(by.chance % 5 == 0);
    }
    case construct::bounded_call: {
      std::size_t const where = by.chance % 3 == 0 ? other : at.pool;
      pools_[where]->enqueue(at_most(by.chance % 4), [&] { answer_with(question, [&] { return in(where, inside); }); });
      return wait(by.chance % 5 == 0);
    }
    case construct::coroutine: {
      std::size_t const where = by.chance % 3 == 0 ? other : at.pool;
      compute(*pools_[where], question, [&, where](runtime::here& h) { return step(h, inside, {where}); });
      return wait(by.chance % 5 == 0);
    }
    case construct::other_pool: return in(other, inside);
    case construct::limited: return limited(by, at);
    case construct::arena: return in_the_arena(by, at);
    case construct::lent: return lent(by, at);
    case construct::awaited: return await_elsewhere(on, by, at);
    case construct::scheduled: return schedule_elsewhere(on, by, at);
    case construct::outside_caller: {
      // Isolated, because somebody waits for this thread (docs/guide/waiting.md, "A thread that is waited for").
      std::jthread const caller([&] { answer_with(question, [&] { return in_isolation(at.pool, inside); }); });
      return wait(by.chance % 2 == 0);
    }
    case construct::own_pool: {
      pool own({.workers = 1 + static_cast<std::uint32_t>(by.chance % 2), .policy = any_policy(by.chance / 2)});
      return own.run([&](runtime::here&) { return in(at.pool, inside); });
    }
    default: return in_a_region(by, at);
  }
}

/// The answer of the only child, in a region of all workers of a pool, or of some. The other pool may be at work, or asleep.
std::uint64_t mixed_program::in_a_region(mixed_step const& by, place at) {
  std::size_t const where = by.chance / 24 % 2 == 0 ? at.pool : 1 - at.pool;
  pool& of = *pools_[where];
  std::uint32_t const workers = static_cast<std::uint32_t>(by.chance / 8 % 3) % (of.num_workers() + 1);  // 0: all
  auto const region = of.open_region(any_policy(by.chance), workers);
  return region.run([&](runtime::here& h) { return step(h, by.child[0], {where, at.alone, nullptr, true}); });
}

}}}  // namespace skua::v0::testing
