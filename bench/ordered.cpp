// SPDX-License-Identifier: MIT
// What spawning a task with a strategy costs where many tasks wait, beside a std::priority_queue under a mutex and
// oneTBB's concurrent_priority_queue, which hold the same tasks without a scheduler around them. Every task is counted.
#include <oneapi/tbb/concurrent_priority_queue.h>

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "bench/harness.hpp"
#include "skua/parts/base/dice.hpp"
#include "skua/parts/ordered/ordered_store.hpp"
#include "skua/skua.hpp"

namespace {

using namespace skua;

double some_key(runtime::dice& roll) { return static_cast<double>(roll.below(1'000'000)); }

// ---- a run that keeps `waiting` tasks in the queue: each task that ends has spawned the next ------------------------

template <class Spawn>
void replace_itself(Spawn const& spawn, runtime::dice& roll, std::int64_t& left) {
  if (left-- > 0) spawn(some_key(roll));
}

/// A queue of functions, the smallest key first.
template <class Push, class Pop>
void run_queue(Push&& push, Pop&& pop, std::int64_t waiting, std::int64_t& left) {
  runtime::dice roll{1};
  std::function<void(double)> spawn = [&](double key) { push(key, [&] { replace_itself(spawn, roll, left); }); };
  for (std::int64_t i = 0; i < waiting; ++i) spawn(some_key(roll));
  while (std::optional<std::function<void()>> const first = pop()) (*first)();
}

struct keyed {
  double key;
  std::function<void()> task;
  friend bool operator<(keyed const& a, keyed const& b) noexcept { return a.key > b.key; }
};

void run_std(std::int64_t waiting, std::int64_t& left) {
  std::priority_queue<keyed> all;
  std::mutex guard;
  run_queue(
      [&](double key, auto task) {
        std::scoped_lock const held(guard);
        all.push({key, std::move(task)});
      },
      [&]() -> std::optional<std::function<void()>> {
        std::scoped_lock const held(guard);
        if (all.empty()) return {};
        std::optional<std::function<void()>> first(std::move(const_cast<keyed&>(all.top()).task));
        all.pop();
        return first;
      },
      waiting, left);
}

void run_tbb(std::int64_t waiting, std::int64_t& left) {
  tbb::concurrent_priority_queue<keyed> all;
  run_queue([&](double key, auto task) { all.push({key, std::move(task)}); },
            [&]() -> std::optional<std::function<void()>> {
              keyed first;
              if (!all.try_pop(first)) return {};
              return std::move(first.task);
            },
            waiting, left);
}

void respawn(auto& f, runtime::dice& roll, std::int64_t& left) {
  auto const spawn = [&](double key) { f.spawn(strategies::deadline{key}, [&](auto& g) { respawn(g, roll, left); }); };
  replace_itself(spawn, roll, left);
}

void run_skua(pool& workers, std::int64_t waiting, std::int64_t& left) {
  runtime::dice roll{1};
  workers.run([&](auto& here) {
    here.finish([&](auto& f) {
      for (std::int64_t i = 0; i < waiting; ++i) {
        f.spawn(strategies::deadline{some_key(roll)}, [&](auto& g) { respawn(g, roll, left); });
      }
    });
  });
}

/// ns per task of run(left), `rounds` times; a first time warms up.
template <class Run>
std::vector<double> per_task(std::int64_t rounds, std::int64_t tasks, Run&& run) {
  return bench::repeated(rounds, [&] {
    std::int64_t left = tasks;
    double const ns = bench::ns_of([&] { run(left); });
    bench::verify(left < 0, "each task spawns the next one until none is left");
    return ns / static_cast<double>(tasks);
  });
}

// ---- spawns alone --------------------------------------------------------------------------------------------------

/// ns per spawn of `count` tasks where `waiting` are there already.
template <class Spawn>
std::vector<double> spawn_alone(pool& workers, std::int64_t rounds, std::int64_t waiting, Spawn&& spawn) {
  constexpr std::int64_t count = 100;
  std::vector<double> all;
  std::int64_t ran = 0;
  for (std::int64_t round = 0; round <= 20 * rounds; ++round) {
    workers.run([&](auto& here) {
      here.finish([&](auto& f) {
        runtime::dice roll{static_cast<std::uint64_t>(round)};
        for (std::int64_t i = 0; i < waiting; ++i) spawn(f, some_key(roll), ran);
        auto const start = bench::clock::now();
        for (std::int64_t i = 0; i < count; ++i) spawn(f, some_key(roll), ran);
        double const ns = bench::ns_between(start, bench::clock::now());
        if (round > 0) all.push_back(ns / static_cast<double>(count));
      });
    });
  }
  bench::verify(ran == (20 * rounds + 1) * (waiting + count), "each task runs once");
  return all;
}

// ---- steals of the store alone -------------------------------------------------------------------------------------

/// ns per task of a thief that steals half of `waiting` tasks and pops them.
template <class Offer>
std::vector<double> steal_and_run(std::int64_t rounds, std::int64_t waiting, Offer&& offer) {
  runtime::ordered_store<> victim({.worker = worker_id{0}});
  runtime::ordered_store<> own({.worker = worker_id{1}});
  runtime::ordered_store<>::reader reader({.worker = worker_id{1}, .steals = true});
  runtime::dice roll{1};
  return bench::repeated(rounds, [&] {
    for (std::int64_t i = 0; i < waiting; ++i) bench::verify(offer(victim, some_key(roll)), "there is memory");
    runtime::taken_task t;
    std::int64_t stolen = 1;
    double const ns = bench::ns_of([&] {
      bench::verify(victim.steal_half(reader, own, t) == runtime::outcome::got, "there is a task to steal");
      while (own.pop(t) == runtime::outcome::got) ++stolen;
    });
    bench::verify(stolen == (waiting + 1) / 2, "the thief has half of the tasks");
    while (victim.pop(t) == runtime::outcome::got) {}
    return ns / static_cast<double>(stolen);
  });
}

void measure_steals(bench::report& say, std::int64_t rounds, std::int64_t waiting) {
  static int task = 0;
  auto const keyed = [](runtime::ordered_store<>& to, double key) {
    strategies::deadline const value{key};
    return to.push({.task = &task,
                    .kind = runtime::kind_of<strategies::deadline>(),
                    .value = &value,
                    .value_size = sizeof(value)});
  };
  auto const plain = [](runtime::ordered_store<>& to, double) { return to.push({.task = &task}); };
  std::string const of = " of " + std::to_string(waiting);
  say.row("steal half" + of + " with deadlines, and pop it", "ns", steal_and_run(10 * rounds, waiting, keyed));
  say.row("steal half" + of + " without strategies, and pop it", "ns", steal_and_run(10 * rounds, waiting, plain));
}

void measure(bench::report& say, std::int64_t rounds, std::int64_t tasks, std::int64_t waiting) {
  pool workers({.workers = 1, .policy = "strategies"});
  std::string const with = ", " + std::to_string(waiting) + " waiting";
  auto const strategic = [](auto& f, double key, std::int64_t& ran) {
    f.spawn(strategies::deadline{key}, [&](auto&) { ++ran; });
  };
  auto const plain = [](auto& f, double, std::int64_t& ran) { f.spawn([&](auto&) { ++ran; }); };
  say.row("spawn(deadline)" + with, "ns", spawn_alone(workers, rounds, waiting, strategic), bench::at_most(150));
  say.row("spawn without a strategy" + with, "ns", spawn_alone(workers, rounds, waiting, plain));
  say.row("spawn(deadline) and run" + with, "ns",
          per_task(rounds, tasks, [&](std::int64_t& left) { run_skua(workers, waiting, left); }));
  say.row("std::priority_queue, mutex" + with, "ns",
          per_task(rounds, tasks, [&](std::int64_t& left) { run_std(waiting, left); }));
  say.row("oneTBB concurrent_priority_queue" + with, "ns",
          per_task(rounds, tasks, [&](std::int64_t& left) { run_tbb(waiting, left); }));
}

}  // namespace

int main(int argc, char** argv) {
  struct : bench::option_table {
    bench::number_option<std::int64_t> rounds{*this, "--rounds", 15, bench::between(1, 10'000), "measurements per row"};
    bench::number_option<std::int64_t> tasks{*this, "--tasks", 300'000, bench::between(1000, 100'000'000),
                                             "tasks per measurement"};
  } const o;
  return bench::run("ordered", "tasks in the order of their strategies: what a spawn costs, and a task, on one worker",
                    o, argc, argv, [&](bench::report& say) {
                      for (std::int64_t const waiting : {1, 1000, 100'000}) measure(say, o.rounds, o.tasks, waiting);
                      for (std::int64_t const waiting : {16, 1000, 10'000}) measure_steals(say, o.rounds, waiting);
                    });
}
