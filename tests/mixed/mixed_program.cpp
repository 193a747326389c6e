// SPDX-License-Identifier: MIT
#include "tests/mixed/mixed_program.hpp"

#include <coroutine>
#include <exception>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <utility>

#include "skua/machine/threads/suspend/coroutine.hpp"
#include "skua/policy/registry.hpp"
#include "tests/mixed/mixed_plan.hpp"

namespace skua::inline v0::testing {
namespace {

std::atomic<std::uint64_t> begun{0};

struct failure : std::runtime_error {
  failure() : std::runtime_error("a step fails") {}
};

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

char const* name_of(construct c) noexcept {
  constexpr char const* names[] = {
      "join",     "each",       "scope",        "finish",   "flow",         "task_group",    "loop",
      "isolated", "answer",     "answer_here",  "enqueued", "coroutine",    "other_pool",    "outside_caller",
      "own_pool", "own_region", "growing_flow", "team",     "worker_local", "isolated_loop", "second_use",
      "shielded", "limited",    "fails",        "stops",    "stopped_call", "bounded_group", "bounded_call",
      "gathered", "observed",   "arena",        "lent"};
  static_assert(std::size(names) == static_cast<std::size_t>(construct::last) + 1);
  return names[static_cast<std::size_t>(c)];
}

std::uint64_t mixed_program::steps() noexcept { return begun.load(std::memory_order_relaxed); }

std::uint64_t mixed_program::expected(std::uint64_t seed, int depth) {
  plan const by(seed, depth);
  std::uint64_t sum = by.own;
  if (by.ends_early()) return sum;
  for (std::size_t i = 0; i < by.number; ++i) sum += weight(i) * expected(by.child[i], depth - 1);
  return sum;
}

void mixed_program::count(std::uint64_t seed, int depth, std::vector<std::uint64_t>& of_each) {
  plan const by(seed, depth);
  if (by.number == 0) return;
  ++of_each[static_cast<std::size_t>(by.what)];
  for (std::size_t i = 0; i < by.number; ++i) count(by.child[i], depth - 1, of_each);
}

std::uint64_t mixed_program::run(std::size_t first) { return in(first, seed_, depth_, false); }

std::uint64_t mixed_program::in(std::size_t pool, std::uint64_t seed, int depth, bool isolated) {
  return pools_[pool]->run([&](runtime::here& h) { return step(h, seed, depth, {pool, isolated}); });
}

std::uint64_t mixed_program::step(runtime::here& on, std::uint64_t seed, int depth, place at) {
  begun.fetch_add(1, std::memory_order_relaxed);
  plan const by(seed, depth);
  if (by.number == 0) return by.own;
  if (by.ends_early()) return by.own + ended_early(on, by, depth - 1, at);
  return by.own + (by.is_alone() ? weight(0) * elsewhere(on, by, depth - 1, at) : children(on, by, depth - 1, at));
}

/// The weighted sum of the children's answers.
std::uint64_t mixed_program::children(runtime::here& on, plan const& by, int depth, place at) {
  std::array<std::uint64_t, 4> got{};
  auto const child = [&](runtime::here& h, std::size_t i) { got[i] = weight(i) * step(h, by.child[i], depth, at); };
  switch (by.what) {
    case construct::each: {
      std::array<std::size_t, 4> const all{0, 1, 2, 3};
      on.each(std::span(all).first(by.number), [&](runtime::here& h, std::size_t i) { child(h, i); });
      break;
    }
    case construct::scope:
      on.scope([&](auto& s) {
        for (std::size_t i = 1; i < by.number; ++i) s.fork([&child, i](runtime::here& h) { child(h, i); });
        child(on, 0);
      });
      break;
    case construct::finish:
      on.finish([&](auto& f) {
        for (std::size_t i = 1; i < by.number; ++i) {
          auto const task = [&child, i](auto& g) { child(g.here(), i); };
          (by.chance >> i) % 2 == 0
              ? f.spawn(task)
              : f.spawn(order{static_cast<double>(by.chance % 7), static_cast<double>(by.chance % 11)}, task);
        }
        child(f.here(), 0);
      });
      break;
    case construct::flow: {
      flow graph(on);
      runtime::node<void> last = graph.add([&](runtime::here& h) { child(h, 0); });
      for (std::size_t i = 1; i < by.number; ++i) {
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
    case construct::task_group: {
      skua::task_group group;
      for (std::size_t i = 1; i < by.number; ++i) {
        group.run([&, i] { pools_[at.pool]->run([&](runtime::here& h) { child(h, i); }); });
      }
      group.run_and_wait([&] { pools_[at.pool]->run([&](runtime::here& h) { child(h, 0); }); });
      break;
    }
    case construct::loop:
      parallel_for(std::size_t{0}, by.number,
                   [&](std::size_t i) { pools_[at.pool]->run([&](runtime::here& h) { child(h, i); }); });
      break;
    case construct::join:
      on.join([&](runtime::here& h) { child(h, 0); }, [&](runtime::here& h) { child(h, 1); });
      break;
    default: return children_with_objects(on, by, depth, at);
  }
  return got[0] + got[1] + got[2] + got[3];
}

/// The answer of the only child, which somebody else computes, or which waits for somebody else.
std::uint64_t mixed_program::elsewhere(runtime::here& on, plan const& by, int depth, place at) {
  std::uint64_t const seed = by.child[0];
  std::size_t const other = 1 - at.pool;
  if (by.what == construct::shielded) return shielded(on, by, depth, at);
  // An isolated task holds its worker. What it waits for must not need that; adws and replay place tasks on every worker.
  bool const needs_a_worker =
      by.what != construct::isolated && by.what != construct::answer && by.what != construct::answer_here;
  if (at.isolated && needs_a_worker) return step(on, seed, depth, at);
  one_shot<std::uint64_t> question;
  auto const wait = [&](bool here) { return here ? question.wait() : question.wait(on); };
  switch (by.what) {
    case construct::isolated: return isolate([&] { return in(at.pool, seed, depth, true); });
    case construct::answer:
    case construct::answer_here: {
      std::uint64_t const mine = by.chance % 2 == 0 ? step(on, seed, depth, at) : 0;
      outside_.ask([&question] { question.set_value(1); });
      std::uint64_t const one = wait(by.what == construct::answer_here);
      return by.chance % 2 == 0 ? mine * one : one * step(on, seed, depth, at);
    }
    case construct::enqueued: {
      std::size_t const where = by.chance % 3 == 0 ? other : at.pool;
      pools_[where]->enqueue([&] { answer_with(question, [&] { return in(where, seed, depth, false); }); });
      return wait(by.chance % 5 == 0);
    }
    case construct::bounded_call: {
      std::size_t const where = by.chance % 3 == 0 ? other : at.pool;
      pools_[where]->enqueue(at_most(by.chance % 4),
                             [&] { answer_with(question, [&] { return in(where, seed, depth, false); }); });
      return wait(by.chance % 5 == 0);
    }
    case construct::coroutine: {
      std::size_t const where = by.chance % 3 == 0 ? other : at.pool;
      compute(*pools_[where], question, [&, where](runtime::here& h) { return step(h, seed, depth, {where, false}); });
      return wait(by.chance % 5 == 0);
    }
    case construct::other_pool: return in(other, seed, depth, false);
    case construct::limited: return limited(by, depth, at);
    case construct::arena: return in_the_arena(by, depth, at);
    case construct::lent: return lent(by, depth, at);
    case construct::outside_caller: {
      // Isolated, because somebody waits for this thread (docs/guide/waiting.md, "A thread that is waited for").
      std::jthread const caller(
          [&] { answer_with(question, [&] { return isolate([&] { return in(at.pool, seed, depth, true); }); }); });
      return wait(by.chance % 2 == 0);
    }
    case construct::own_pool: {
      auto const all = policies::all();
      pool own({.workers = 1 + static_cast<std::uint32_t>(by.chance % 2),
                .policy = std::string(all[by.chance / 2 % all.size()].name)});
      return own.run([&](runtime::here&) { return in(at.pool, seed, depth, false); });
    }
    default: break;
  }
  auto const all = policies::all();
  auto const region = pools_[at.pool]->open_region(all[by.chance % all.size()].name);
  return region->run([&](runtime::here& h) { return step(h, seed, depth, at); });
}

/// Children of which one ends the others early. Their answers do not count; 0.
std::uint64_t mixed_program::ended_early(runtime::here& on, plan const& by, int depth, place at) {
  if (by.what == construct::stopped_call) {
    stop_a_call(on, by, depth, at);
    return 0;
  }
  bool const fails = by.what == construct::fails;
  try {
    std::stop_source source;
    on.with_stop(source.get_token(), [&](runtime::here& h) {
      h.join([&](runtime::here& g) { static_cast<void>(step(g, by.child[0], depth, at)); },
             [&](runtime::here& g) {
               static_cast<void>(step(g, by.child[1], depth, at));
               if (fails) throw failure();
               source.request_stop();
             });
    });
  } catch (failure const&) {
    if (!fails) throw;
  } catch (cancelled const&) {
    if (fails) throw;
  }
  return 0;
}

}  // namespace skua::inline v0::testing
