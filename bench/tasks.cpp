// SPDX-License-Identifier: MIT
// What single operations of a program cost beside its forks: the look-up of a worker's own object, a task that nobody
// waits for, and a task that waits for a value from elsewhere. Every answer is verified.
#include <coroutine>
#include <deque>
#include <string>
#include <thread>
#include <vector>

#include "bench/harness.hpp"
#include "skua/skua.hpp"

namespace {

using namespace skua;

/// Nanoseconds per unit of `count` calls of f(), `rounds` times; a first time warms up.
template <class F>
std::vector<double> per_unit(std::int64_t rounds, std::int64_t count, F&& f) {
  return bench::repeated(rounds, [&] { return bench::ns_of(f) / static_cast<double>(count); });
}

void locals(bench::report& say, std::int64_t rounds) {
  constexpr std::int64_t count = 1'000'000;
  worker_local<std::int64_t> counted;
  std::int64_t expected = 0;
  auto const look_up = [&] {
    for (std::int64_t i = 0; i < count; ++i) ++counted.local();
    expected += count;
  };
  say.row("local(), outside of calls", "ns", per_unit(rounds, count, look_up), bench::at_most(5));
  pool workers({.workers = 1});
  say.row("local(), in a call", "ns", per_unit(rounds, count, [&] { workers.run([&](auto&) { look_up(); }); }),
          bench::at_most(5));
  bench::verify(counted.combine(std::plus<>{}) == expected, "worker_local");
}

void enqueued(bench::report& say, std::int64_t rounds, std::uint32_t n) {
  constexpr std::int64_t count = 100'000;
  pool workers({.workers = n});
  std::atomic<std::int64_t> ran{0};
  std::int64_t expected = 0;
  auto const task = [&ran] { ran.fetch_add(1, std::memory_order_relaxed); };
  std::string const with = ", " + bench::workers_in_words(n);
  auto const outside = [&] {
    for (std::int64_t i = 0; i < count; ++i) workers.enqueue(task);
    workers.drain();
    expected += count;
  };
  say.row("enqueue and run a task, from outside" + with, "ns", per_unit(rounds, count, outside));
  auto const inside = [&] {
    workers.enqueue([&] {
      for (std::int64_t i = 0; i < count; ++i) enqueue(task);
    });
    workers.drain();
    expected += count;
  };
  say.row("enqueue and run a task, from a task" + with, "ns", per_unit(rounds, count, inside));
  auto const group = [&] {
    workers.run([&](auto&) {
      task_group all;
      for (std::int64_t i = 0; i < count; ++i) all.run(task);
      all.wait();
    });
    expected += count;
  };
  say.row("task_group::run and wait, for comparison" + with, "ns", per_unit(rounds, count, group));
  bench::verify(ran.load() == expected, "enqueued tasks");
}

struct detached {
  struct promise_type {
    detached get_return_object() noexcept { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() noexcept {}
    void unhandled_exception() noexcept { std::terminate(); }
  };
};

/// Two tasks of a worker set in turn what the other waits for: each step is a set, a park and a resume.
template <class Side>
void ping_pong(bench::report& say, std::int64_t rounds, std::string const& what, Side&& side) {
  constexpr std::size_t steps = 10'000;
  pool workers({.workers = 1});
  auto const exchange = [&] {
    std::deque<one_shot<std::size_t>> balls(2 * steps + 1);
    workers.enqueue([&](auto& h) { side(h, balls, std::size_t{0}); });
    workers.enqueue([&](auto& h) { side(h, balls, std::size_t{1}); });
    balls[0].set_value(std::size_t{0});
    workers.drain();
    bench::verify(balls[2 * steps].wait() == 2 * steps, "the last ball");
  };
  say.row(what, "ns", per_unit(rounds, 2 * steps, exchange));
}

void waits(bench::report& say, std::int64_t rounds) {
  constexpr std::int64_t count = 100'000;
  pool workers({.workers = 1});
  say.row("one_shot, set before it is waited for", "ns", per_unit(rounds, count, [&] {
            workers.run([&](auto& h) {
              for (std::int64_t i = 0; i < count; ++i) {
                one_shot<std::int64_t> one;
                one.set_value(i);
                bench::verify(one.wait(h) == i, "one_shot");
              }
            });
          }));
  ping_pong(say, rounds, "one_shot: set, park and resume, between two tasks", [](auto& h, auto& balls, std::size_t at) {
    for (; at + 1 < balls.size(); at += 2) balls[at + 1].set_value(balls[at].wait(h) + 1);
  });
  ping_pong(say, rounds, "one_shot: the same between two coroutines", [](auto&, auto& balls, std::size_t at) {
    [](auto& all, std::size_t first) -> detached {
      for (std::size_t i = first; i + 1 < all.size(); i += 2) all[i + 1].set_value(co_await all[i] + 1);
    }(balls, at);
  });
  say.row("co_await run_on(pool, f), from a worker of it", "ns", per_unit(rounds, count, [&] {
            one_shot<std::int64_t> sum;
            workers.enqueue([&] {
              [](pool& p, auto& out) -> detached {
                std::int64_t all = 0;
                for (std::int64_t i = 0; i < count; ++i) all += co_await run_on(p, [] { return std::int64_t{1}; });
                out.set_value(all);
              }(workers, sum);
            });
            bench::verify(sum.wait() == count, "run_on");
          }));
}

/// A thread that is no worker sets the value; the answer comes back the same way.
void round_trip(bench::report& say, std::int64_t rounds) {
  constexpr std::size_t count = 2000;
  pool workers({.workers = 1});
  say.row("a task and a thread from outside, there and back", "ns", per_unit(rounds, count, [&] {
            std::deque<one_shot<std::size_t>> there(count);
            std::deque<one_shot<std::size_t>> back(count);
            workers.enqueue([&](auto& h) {
              for (std::size_t i = 0; i < count; ++i) back[i].set_value(there[i].wait(h) + 1);
            });
            for (std::size_t i = 0; i < count; ++i) {
              there[i].set_value(i);
              bench::verify(back[i].wait() == i + 1, "a round trip");
            }
          }));
}

}  // namespace

int main(int argc, char** argv) {
  struct : bench::option_table {
    bench::number_option<std::int64_t> rounds{*this, "--rounds", 15, bench::between(1, 1000), "timed rounds"};
  } const o;
  return bench::run("tasks", "worker-local objects, tasks that nobody waits for, and tasks that wait for a value", o,
                    argc, argv, [&](bench::report& all) {
                      locals(all, o.rounds);
                      enqueued(all, o.rounds, 1);
                      enqueued(all, o.rounds, 2);
                      waits(all, o.rounds);
                      round_trip(all, o.rounds);
                    });
}
