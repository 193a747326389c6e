// SPDX-License-Identifier: MIT
// Thundering herds: all workers woken at once, as many threads that call at once, and what a fence that interrupts every running thread costs.
// Every answer is verified.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "bench/harness.hpp"
#include "skua/parts/base/fence.hpp"
#include "skua/parts/base/platform.hpp"
#include "skua/skua.hpp"

namespace {

using namespace skua;
using namespace std::chrono_literals;

struct options : bench::option_table {
  bench::number_option<std::int64_t> rounds{*this, "--rounds", 200, bench::between(1, 1'000'000), "calls per state"};
  bench::number_option<std::uint32_t> workers{*this, "--workers", 2, bench::between(1, 1024), "workers, and callers"};
};

/// Microseconds from a call until the last of `workers` tasks has begun, each of which waits for all others: so each is on a worker of its own.
/// Negative: they never ran at the same time.
double all_begin_us(pool& p, std::uint32_t workers) {
  std::atomic<std::uint32_t> begun{0};
  std::atomic<std::int64_t> last_ns{0};
  auto const start = bench::clock::now();
  auto const meet = [&] {
    auto const now = static_cast<std::int64_t>(bench::ns_between(start, bench::clock::now()));
    if (begun.fetch_add(1, std::memory_order_acq_rel) + 1 == workers) last_ns.store(now, std::memory_order_release);
    while (begun.load(std::memory_order_acquire) < workers && bench::seconds_since(start) < 0.1) runtime::relax();
  };
  p.run([&](auto&) {
    task_group all;
    for (std::uint32_t w = 1; w < workers; ++w) all.run(meet);
    meet();
    all.wait();
  });
  bench::verify(begun.load(std::memory_order_acquire) == workers, "the number of tasks");
  std::int64_t const last = last_ns.load(std::memory_order_acquire);
  return last < 100'000'000 ? static_cast<double>(last) / 1e3 : -1;
}

void wake_all(bench::report& say, options const& o, pool& p) {
  std::vector<double> us;
  std::int64_t apart = 0;
  for (std::int64_t i = 0; i < o.rounds; ++i) {
    std::this_thread::sleep_for(2ms);  // far longer than workers search
    double const seen = all_begin_us(p, o.workers);
    if (seen < 0) {
      ++apart;
    } else {
      us.push_back(seen);
    }
  }
  if (apart > 0) say.note(std::to_string(apart) + " rounds left out: the tasks did not run at the same time");
  if (!us.empty())
    say.row("asleep: until all " + bench::workers_in_words(o.workers) + " have begun", "us", us,
            bench::at_most(10 + o.workers));
}

/// Each thread calls again and again; all begin together.
void call_together(bench::report& say, options const& o, pool& p, std::uint32_t callers) {
  std::vector<double> us;
  for (std::int64_t i = 0; i < o.rounds / 10 + 1; ++i) {
    constexpr std::int64_t calls = 100;
    std::atomic<std::uint32_t> ready{0};
    std::atomic<std::int64_t> ran{0};
    std::vector<double> each(callers);
    {
      std::vector<std::jthread> threads;
      for (std::uint32_t c = 0; c < callers; ++c) {
        threads.emplace_back([&, c] {
          ready.fetch_add(1, std::memory_order_acq_rel);
          while (ready.load(std::memory_order_acquire) < callers) std::this_thread::yield();
          auto const start = bench::clock::now();
          for (std::int64_t k = 0; k < calls; ++k) p.run([&](auto&) { ran.fetch_add(1, std::memory_order_relaxed); });
          each[c] = bench::ns_between(start, bench::clock::now()) / 1e3 / static_cast<double>(calls);
        });
      }
    }
    bench::verify(ran.load(std::memory_order_relaxed) == calls * callers, "the number of calls");
    us.insert(us.end(), each.begin(), each.end());
  }
  say.row("an empty call, " + std::to_string(callers) + (callers == 1 ? " thread calls" : " threads call at once"),
          "us", us);
}

/// A fence that interrupts every running thread of the process, while `others` run.
void fence(bench::report& say, std::uint32_t others) {
  std::atomic<bool> ends{false};
  std::atomic<std::uint32_t> running{0};
  std::vector<std::jthread> threads;
  for (std::uint32_t t = 0; t < others; ++t) {
    threads.emplace_back([&] {
      running.fetch_add(1, std::memory_order_acq_rel);
      while (!ends.load(std::memory_order_acquire)) runtime::relax();
    });
  }
  while (running.load(std::memory_order_acquire) < others) std::this_thread::yield();
  std::vector<double> ns;
  for (int i = 0; i < 200; ++i) ns.push_back(bench::ns_of([] { runtime::heavy_fence(); }));
  ends.store(true, std::memory_order_release);
  say.row("a heavy fence while " + std::to_string(others) + " other threads run", "ns", ns);
}

void fences(bench::report& say, options const& o) {
  if (runtime::fence_kind() != runtime::fences::asymmetric)
    return say.note("heavy fences are left out: membarrier is missing");
  for (std::uint32_t others = 0; others < o.workers; others = 2 * others + 1) fence(say, others);
}

void run(options const& o, bench::report& say) {
  {
    pool p({.workers = o.workers});
    wake_all(say, o, p);
    call_together(say, o, p, 1);
    if (o.workers > 1) call_together(say, o, p, o.workers);
    call_together(say, o, p, 2 * o.workers);
  }
  fences(say, o);
}

}  // namespace

int main(int argc, char** argv) {
  options const o;
  return bench::run("herd_bench",
                    "all workers woken at once, many threads that call at once, and fences that interrupt all", o, argc,
                    argv, [&](bench::report& say) { run(o, say); });
}
