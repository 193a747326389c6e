// SPDX-License-Identifier: MIT
#include "tests/counts/scenarios.hpp"

#include <sched.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <thread>
#include <vector>

#include "skua/machine/threads/engine/core/pool_core.hpp"

namespace line_counts {
namespace {

using namespace std::chrono_literals;

/// Does not look at what only workers write, as pool::counters would: their lines would be shared from then on.
void let_all_sleep(skua::pool& p) {
  while (skua::runtime::core_of(p).sleep().asleep_now() < p.num_workers()) std::this_thread::sleep_for(1ms);
  std::this_thread::sleep_for(10ms);  // the last one still looks for work
}

long fib(auto& here, int n) {
  if (n < 2) return n;
  auto [a, b] = here.join([n](auto& h) { return fib(h, n - 1); }, [n](auto& h) { return fib(h, n - 2); });
  return a + b;
}

std::uint64_t forks(skua::pool& p, unsigned rounds) {
  constexpr int n = 16;
  constexpr std::uint64_t each = 1596;  // fib(n + 1) - 1
  for (unsigned i = 0; i < rounds; ++i) p.run([](auto& here) { return fib(here, n); });
  return rounds * each;
}

std::uint64_t calls(skua::pool& p, unsigned rounds) {
  let_all_sleep(p);
  for (unsigned i = 0; i < rounds; ++i) p.run([] {});
  return rounds;
}

/// Tasks that keep as many workers busy until `end`.
class busy_workers {
 public:
  busy_workers(skua::pool& p, unsigned how_many) : pool_(p) {
    for (unsigned i = 0; i < how_many; ++i) {
      p.enqueue([this] {
        begun_.fetch_add(1, std::memory_order_relaxed);  // relaxed, all: nothing is published
        while (!ends_.load(std::memory_order_relaxed)) ::sched_yield();
      });
    }
    while (begun_.load(std::memory_order_relaxed) < how_many) std::this_thread::sleep_for(1ms);
  }
  ~busy_workers() {
    ends_.store(true, std::memory_order_relaxed);
    pool_.drain();
  }
  busy_workers(busy_workers const&) = delete;
  busy_workers& operator=(busy_workers const&) = delete;

 private:
  skua::pool& pool_;
  alignas(128) std::atomic<unsigned> begun_{0};
  alignas(128) std::atomic<bool> ends_{false};
};

std::uint64_t calls_beside_busy(skua::pool& p, unsigned rounds) {
  busy_workers const others(p, p.num_workers() - 1);
  std::this_thread::sleep_for(20ms);
  for (unsigned i = 0; i < rounds; ++i) p.run([] {});
  return rounds;
}

std::uint64_t calls_of_guests(skua::pool& p, unsigned rounds) {
  busy_workers const others(p, p.num_workers());
  for (unsigned i = 0; i < rounds; ++i) p.run([] {});
  return rounds;
}

std::uint64_t loops(skua::pool& p, unsigned rounds) {
  std::vector<double> all(4096, 1.0);
  for (unsigned i = 0; i < rounds; ++i) {
    p.run([&](auto& here) { skua::for_each(here, all, [](double& x) { x += 1; }); });
  }
  return rounds;
}

/// One worker wakes, finds a task, finds no other, and sleeps.
std::uint64_t one_wakes(skua::pool& p, unsigned rounds) {
  for (unsigned i = 0; i < rounds; ++i) {
    let_all_sleep(p);
    std::atomic<bool> done{false};
    p.enqueue([&] { done.store(true, std::memory_order_release); });  // release: pairs with the load
    while (!done.load(std::memory_order_acquire)) std::this_thread::sleep_for(100us);
  }
  let_all_sleep(p);
  return rounds;
}

/// All workers wake, meet, and sleep.
std::uint64_t herd(skua::pool& p, unsigned rounds) {
  unsigned const all = p.num_workers();
  for (unsigned i = 0; i < rounds; ++i) {
    let_all_sleep(p);
    std::atomic<unsigned> begun{0};
    for (unsigned w = 0; w < all; ++w) {
      p.enqueue([&] {
        begun.fetch_add(1, std::memory_order_relaxed);  // relaxed, all: nothing is published
        while (begun.load(std::memory_order_relaxed) < all) ::sched_yield();
      });
    }
    p.drain();
  }
  let_all_sleep(p);
  return std::uint64_t{rounds} * all;
}

std::uint64_t enqueued(skua::pool& p, unsigned rounds) {
  constexpr unsigned producers = 4;
  std::vector<std::jthread> threads;
  for (unsigned t = 0; t < producers; ++t) {
    threads.emplace_back([&] {
      for (unsigned i = 0; i < rounds; ++i) p.enqueue([] {});
    });
  }
  threads.clear();
  p.drain();
  return std::uint64_t{rounds} * producers;
}

/// Each child has a place, so `numa-ws` sends most of them to other workers.
std::uint64_t sends(skua::pool& p, unsigned rounds) {
  std::vector<unsigned> parts(64);
  for (unsigned i = 0; i < parts.size(); ++i) parts[i] = i % p.places();
  for (unsigned i = 0; i < rounds; ++i) {
    p.run([&](auto& here) {
      here.join_each(
          parts, [](unsigned place) { return skua::at{skua::place_id{place}}; }, [](auto& h, unsigned) { fib(h, 4); });
    });
  }
  return rounds * parts.size();
}

std::uint64_t nodes(skua::pool& p, unsigned rounds) {
  constexpr unsigned size = 24;
  p.run([&](auto& here) {
    skua::flow graph(here);
    auto const empty = [](auto&) {};
    std::vector<decltype(graph.add(empty))> above;
    for (unsigned row = 0; row < size; ++row) {
      for (unsigned column = 0; column < size; ++column) {
        auto const made = graph.add(empty);
        if (row > 0) graph.edge(above[column], made);
        if (row == 0) {
          above.push_back(made);
        } else {
          above[column] = made;
        }
      }
    }
    graph.run(here, rounds);
  });
  return std::uint64_t{rounds} * size * size;
}

std::uint64_t teams(skua::pool& p, unsigned rounds) {
  p.run([&](auto& here) {
    for (unsigned i = 0; i < rounds; ++i) {
      here.team(skua::address::at(0.5), [&](auto& team) { static_cast<void>(team.reduce(1, std::plus<>())); });
    }
  });
  return rounds;
}

constexpr scenario all[] = {
    {"forks", "random", "fork", forks, 40},
    {"forks by hierarchical", "hierarchical", "fork", forks, 40},
    {"forks by adws", "adws", "fork", forks, 10},
    {"calls", "random", "call", calls, 300},
    {"calls beside busy workers", "random", "call", calls_beside_busy, 100},
    {"calls of guests", "random", "call", calls_of_guests, 100},
    {"loops", "random", "loop", loops, 60},
    {"one wakes", "random", "wake", one_wakes, 20},
    {"herd", "random", "wake", herd, 5},
    {"herd by adws", "adws", "wake", herd, 5},
    {"enqueue", "random", "task", enqueued, 200},
    {"sends", "numa-ws", "child", sends, 10},
    {"nodes", "random", "node", nodes, 4},
    {"teams", "arms", "team", teams, 100},
};

}  // namespace

std::span<scenario const> scenarios() noexcept { return all; }

}  // namespace line_counts
