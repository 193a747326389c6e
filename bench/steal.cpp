// SPDX-License-Identifier: MIT
// What a steal costs, and what its price buys: with asymmetric fences (the thief calls membarrier, the owner pays
// nothing) and with full ones (both pay). Each kind runs in processes of its own, because a process that has registered
// for membarrier stays registered; the processes of both kinds take turns.
//
// A process measures all medians of its samples (runners.hpp).
#include <algorithm>
#include <atomic>
#include <chrono>
#include <iterator>
#include <semaphore>
#include <string>
#include <thread>
#include <vector>

#include "bench/runners.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/base/fence.hpp"
#include "skua/parts/queue/deque.hpp"
#include "skua/skua.hpp"

namespace {

using namespace skua;
using namespace std::chrono_literals;

constexpr std::int64_t samples = 300;

struct figure {
  char const* key;
  char const* what;
};
constexpr figure named[] = {
    {"owner", "owner: push and pop above another entry"},
    {"empty", "thief: attempt on an empty deque, in cache"},
    {"loaded", "thief: steal from a full deque, owner running"},
    {"fresh", "thief: steal an entry just pushed (clock included)"},
    {"fence", "heavy fence, another thread running (clock included)"},
    {"fence_idle", "heavy fence, another thread asleep"},
    {"join", "join to a searching thief's first instruction"},
};

/// Mean ns of `times` calls of f.
template <class F>
double mean_ns(std::int64_t times, F&& f) {
  auto const start = bench::clock::now();
  for (std::int64_t i = 0; i < times; ++i) f();
  return bench::ns_between(start, bench::clock::now()) / static_cast<double>(times);
}

void add(runtime::deque<>& d, void* entry) {
  if (d.push(entry)) static_cast<void>(d.poll());
}

double owner_pair() {
  runtime::deque<> d;
  int thing = 0;
  add(d, &thing);  // below it: the very last entry must be fought for, and deep programs seldom pop it
  std::vector<double> seen;
  bool right = true;
  for (std::int64_t i = 0; i < samples; ++i) {
    seen.push_back(mean_ns(2000, [&] {
      add(d, &thing);
      right = d.pop() && right;
    }));
  }
  bench::verify(right, "an entry that nobody took");
  return bench::median(seen);
}

double attempt_on_empty() {
  runtime::deque<> d;
  std::vector<double> seen;
  bool right = true;
  for (std::int64_t i = 0; i < samples; ++i) {
    runtime::entry taken;
    seen.push_back(mean_ns(2000, [&] { right = d.outside().steal(taken) == runtime::outcome::empty && right; }));
  }
  bench::verify(right, "an empty deque");
  return bench::median(seen);
}

void spin_until(std::atomic<std::int64_t> const& word, std::int64_t value) {
  while (word.load(std::memory_order_acquire) < value) runtime::relax();
}

/// The owner pushes `batch` entries and spins; the thief takes them all, the oldest first.
double steal(std::int64_t batch) {
  std::vector<int> things(static_cast<std::size_t>(batch));
  runtime::deque<> d;
  std::atomic<std::int64_t> filled{0};
  std::atomic<std::int64_t> emptied{0};
  std::jthread const owner([&] {
    for (std::int64_t i = 1; i <= samples; ++i) {
      for (int& thing : things) add(d, &thing);
      filled.store(i, std::memory_order_release);
      spin_until(emptied, i);
    }
  });
  std::vector<double> seen;
  bool right = true;
  for (std::int64_t i = 1; i <= samples; ++i) {
    spin_until(filled, i);
    auto next = things.begin();
    seen.push_back(mean_ns(batch, [&] {
      runtime::entry taken;
      right = d.outside().steal(taken) == runtime::outcome::got && taken.task == &*next++ && right;
    }));
    emptied.store(i, std::memory_order_release);
  }
  bench::verify(right, "the oldest entry is stolen first");
  return bench::median(seen);
}

/// One fence at a time, clock included. Counts only fences during which the other thread was seen to run.
double fence_beside_running() {
  std::atomic<bool> done{false};
  std::atomic<std::uint64_t> beats{0};
  std::jthread const other([&] {
    while (!done.load(std::memory_order_relaxed)) beats.fetch_add(1, std::memory_order_relaxed);
  });
  std::vector<double> seen;
  for (std::int64_t i = 0; i < samples;) {
    std::uint64_t const last = beats.load(std::memory_order_relaxed);
    while (beats.load(std::memory_order_relaxed) == last) runtime::relax();
    std::uint64_t const before = beats.load(std::memory_order_relaxed);
    double const ns = mean_ns(1, runtime::heavy_fence);
    if (beats.load(std::memory_order_relaxed) == before) continue;
    seen.push_back(ns);
    ++i;
  }
  done.store(true, std::memory_order_relaxed);
  return bench::median(seen);
}

double fence_beside_asleep() {
  std::binary_semaphore morning{0};
  std::jthread const other([&] { morning.acquire(); });
  std::this_thread::sleep_for(1ms);
  std::vector<double> seen;
  for (std::int64_t i = 0; i < samples; ++i) seen.push_back(mean_ns(20, runtime::heavy_fence));
  morning.release();
  return bench::median(seen);
}

/// The first child waits until a thief has begun the second.
double join_to_thief() {
  pool p({.workers = 2, .spin = runtime::spin_forever});
  std::vector<double> seen = p.run([](auto& here) {
    std::vector<double> ns;
    for (std::int64_t i = 0; i < samples; ++i) {
      std::this_thread::sleep_for(20us);  // the thief goes back to searching
      std::atomic<std::int64_t> began{0};
      auto const start = bench::clock::now();
      auto const [stolen, when] = here.join(
          [&](auto&) {
            while (began.load(std::memory_order_acquire) == 0 && bench::seconds_since(start) < 0.1) runtime::relax();
            return began.load(std::memory_order_acquire) == 1;
          },
          [&](auto&) {
            auto const now = bench::clock::now();
            began.store(1, std::memory_order_release);
            return now;
          });
      if (stolen) ns.push_back(bench::ns_between(start, when));
    }
    return ns;
  });
  bench::verify(seen.size() > samples / 2, "a searching thief comes within 0.1 s");
  return bench::median(seen);
}

/// All measurements of one process.
void measure(runtime::fences kind, bench::figures& all) {
  if (kind == runtime::fences::full) runtime::force_full_fences();
  if (runtime::fence_kind() != kind)
    throw resource_error("this kernel offers no asymmetric fences: " + runtime::fence_reason());
  double const values[] = {owner_pair(),           attempt_on_empty(),    steal(48),      steal(1),
                           fence_beside_running(), fence_beside_asleep(), join_to_thief()};
  static_assert(std::size(values) == std::size(named));
  for (std::size_t i = 0; i < std::size(values); ++i) all.emplace_back(named[i].key, values[i]);
}

std::vector<bench::runner> const runners = {
    {"asymmetric", [](auto& all) { measure(runtime::fences::asymmetric, all); }},
    {"full", [](auto& all) { measure(runtime::fences::full, all); }},
};

void compare(std::int64_t rounds, bench::report& say) {
  std::vector<bench::process> all;
  for (auto const& r : runners) all.push_back({"/proc/self/exe", r.name, {}});
  bench::results const seen(all, rounds);
  for (auto const& [key, what] : named) {
    for (auto const& r : runners) say.row(r.name + ", " + what, "ns", seen.of(r.name, key));
  }
}

}  // namespace

int main(int argc, char** argv) {
  bench::runner_options const o;
  return bench::run("steal_bench", "steals with both kinds of fence; each sample is the median of one process", o, argc,
                    argv, [&](bench::report& say) {
                      if (!o.only.empty()) return bench::print_figures(runners, o.only);
                      compare(o.rounds, say);
                    });
}
