// SPDX-License-Identifier: MIT
#include "cli/probes/pool_probes.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <semaphore>
#include <thread>
#include <vector>

#include "apps/fib/problem.hpp"
#include "cli/probes/samples.hpp"
#include "skua/machine/threads/face/pool.hpp"
#include "skua/parts/base/dice.hpp"
#include "skua/parts/base/platform.hpp"
#include "skua/parts/queue/deque.hpp"
#include "skua/program/serial.hpp"

namespace skua::cli {
namespace {

constexpr int fib_n = 27;
constexpr unsigned trips = 200;

/// Long enough for an idle worker to return to searching, or for a waiting one to park.
void keep_busy(std::chrono::nanoseconds length) {
  for (auto const until = clock::now() + length; clock::now() < until;) runtime::relax();
}

struct round_trip {
  double there_ns;
  double back_ns;
};

/// A join whose first child waits until the other worker has begun the second, at most 0.1 s: when that began; nothing if
/// no other worker came.
std::optional<clock::time_point> begun_elsewhere(auto& here) {
  std::atomic<bool> began{false};
  auto const until = clock::now() + std::chrono::milliseconds{100};
  auto const [stolen, first] = here.join(
      [&](auto&) {
        while (!began.load(std::memory_order_acquire) && clock::now() < until) runtime::relax();
        return began.load(std::memory_order_acquire);
      },
      [&](auto&) {
        auto const now = clock::now();
        began.store(true, std::memory_order_release);
        return now;
      });
  return stolen ? std::optional{first} : std::nullopt;
}

/// Joins whose second child a searching worker steals, and which ends after its parent has parked.
round_trip stolen_child() {
  pool p({.workers = 2, .spin = runtime::spin_forever});
  std::vector<double> there;
  std::vector<double> back;
  p.run([&](auto& here) {
    for (unsigned i = 0; i < trips; ++i) {
      keep_busy(std::chrono::microseconds{20});
      std::atomic<bool> began{false};
      clock::time_point ended;
      auto const start = clock::now();
      auto const [stolen, first] = here.join(
          [&](auto&) {
            auto const until = start + std::chrono::milliseconds{100};
            while (!began.load(std::memory_order_acquire) && clock::now() < until) runtime::relax();
            return began.load(std::memory_order_acquire);
          },
          [&](auto&) {
            auto const now = clock::now();
            began.store(true, std::memory_order_release);
            keep_busy(std::chrono::microseconds{50});
            ended = clock::now();
            return now;
          });
      if (!stolen) continue;
      back.push_back(ns_between(ended, clock::now()));
      there.push_back(ns_between(start, first));
    }
    return 0;
  });
  verify(there.size() > trips / 2, "a searching worker steals within 0.1 s");
  return {median(there), median(back)};
}

}  // namespace

double fork_ns() {
  pool one({.workers = 1});
  auto const run = [&] { return one.run([](auto& here) { return apps::fib::program(here, fib_n); }); };
  verify(run() == apps::fib::answer(fib_n), "fib");
  std::uint64_t value = 0;
  double const forked = ns_of([&] { value = run(); });
  serial here;
  std::uint64_t elided = 0;
  double const called = ns_of([&] { elided = apps::fib::program(here, fib_n); });
  verify(value == elided, "fib");
  return (forked - called) / static_cast<double>(apps::fib::answer(fib_n + 1) - 1);
}

double pop_ns() {
  constexpr int turns = 100'000;
  runtime::deque<> lane;
  int thing = 0;
  auto const push = [&] {
    if (lane.push(&thing)) static_cast<void>(lane.poll());
  };
  push();  // stays below the others: popping the very last entry is a special case
  bool right = true;
  double const ns = ns_of([&] {
    for (int i = 0; i < turns; ++i) {
      push();
      right = lane.pop() && right;
    }
  });
  verify(right, "the owner pops what it pushed");
  return ns / (2.0 * turns);
}

double steal_ns() { return stolen_child().there_ns; }
double resume_ns() { return stolen_child().back_ns; }

double miss_ns() {
  pool p({.workers = 2, .spin = runtime::spin_forever});
  auto const attempts = [&] {
    std::uint64_t all = 0;
    for (worker_counters const& w : p.counters()) all += w.attempts;
    return all;
  };
  return p.run([&](auto& here) {
    // Nobody is woken before there is something to take; from then on the other worker searches.
    verify(begun_elsewhere(here).has_value(), "a sleeping worker takes a child within 0.1 s");
    keep_busy(std::chrono::milliseconds{1});
    std::uint64_t const before = attempts();
    double const ns = ns_of([] { keep_busy(std::chrono::milliseconds{10}); });
    std::uint64_t const tried = attempts() - before;
    verify(tried > 0, "a searching worker attempts steals");
    return ns / static_cast<double>(tried);
  });
}

double rest_ns() {
  constexpr int turns = 10'000;
  clock::time_point last;
  double const ns = ns_of([&] {
    for (int i = 0; i < turns; ++i) {
      last = clock::now();
      runtime::relax();
    }
  });
  verify(last != clock::time_point{}, "the clock runs");
  return ns / turns;
}

void spawn_next(auto& f, std::uint64_t& left) {
  if (--left > 0) f.spawn([&left](auto& g) { spawn_next(g, left); });
}

double spawn_ns() {
  constexpr std::uint64_t tasks = 100'000;
  pool p({.workers = 1, .policy = "strategies"});
  std::uint64_t left = tasks;
  double const ns = ns_of([&] { p.run([&](auto& here) { here.finish([&](auto& f) { spawn_next(f, left); }); }); });
  verify(left == 0, "each task spawns the next one");
  return ns / tasks;
}

namespace {

/// Smaller keys go first; counts how often it is asked.
struct counted_order {
  std::uint64_t key;
  std::uint64_t* asked;
  [[nodiscard]] bool prioritize(counted_order const& other, strategies::requester const&) const noexcept {
    ++*asked;
    return key < other.key;
  }
};

/// As spawn_next, with this order and one of many keys.
void spawn_ordered(auto& f, std::uint64_t& left, std::uint64_t& asked, runtime::dice& roll) {
  if (left == 0) return;
  --left;
  f.spawn(counted_order{roll.next(), &asked}, [&left, &asked, &roll](auto& g) { spawn_ordered(g, left, asked, roll); });
}

}  // namespace

double compare_ns() {
  constexpr std::uint64_t tasks = 100'000;
  constexpr std::uint64_t waiting = 1000;
  pool p({.workers = 1, .policy = "strategies"});
  std::uint64_t left = tasks + waiting;
  std::uint64_t asked = 0;
  runtime::dice roll{1};
  double const ns = ns_of([&] {
    p.run([&](auto& here) {
      here.finish([&](auto& f) {
        for (std::uint64_t i = 0; i < waiting; ++i) spawn_ordered(f, left, asked, roll);
      });
    });
  });
  verify(left == 0 && asked > tasks, "tasks are compared");
  double const spawns = spawn_ns() * static_cast<double>(tasks + waiting);
  return std::max(ns - spawns, 0.0) / static_cast<double>(asked);
}

double notify_ns() {
  std::binary_semaphore start{0};
  std::binary_semaphore done{0};
  constexpr int turns = 50;
  std::jthread const sleeper([&] {
    for (int i = 0; i < turns; ++i) {
      start.acquire();
      done.release();
    }
  });
  std::vector<double> all;
  for (int i = 0; i < turns; ++i) {
    std::this_thread::sleep_for(std::chrono::microseconds{300});  // it sleeps now
    all.push_back(ns_of([&] { start.release(); }));
    done.acquire();
  }
  return median(all);
}

double wake_up_ns() {
  pool p({.workers = 2});
  std::vector<double> all;
  for (unsigned i = 0; i < trips; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds{1});  // far longer than workers search
    p.run([&](auto& here) {
      auto const begin = clock::now();
      if (auto const first = begun_elsewhere(here)) all.push_back(ns_between(begin, *first));
    });
  }
  verify(all.size() > trips / 2, "a sleeping worker takes a child within 0.1 s");
  return median(all);
}

}  // namespace skua::cli
