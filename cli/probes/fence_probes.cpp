// SPDX-License-Identifier: MIT
#include "cli/probes/fence_probes.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "cli/probes/samples.hpp"
#include "skua/parts/base/fence.hpp"
#include "skua/parts/base/platform.hpp"
#include "skua/parts/queue/deque.hpp"

namespace skua::cli {
namespace {

constexpr unsigned fences_per_sample = 200;

/// Pushes and pops above an entry that stays, `turns` times.
double push_and_pop_ns(runtime::deque<>& lane, int turns) {
  int thing = 0;
  bool right = true;
  double const ns = ns_of([&] {
    for (int i = 0; i < turns; ++i) {
      if (lane.push(&thing)) static_cast<void>(lane.poll());
      right = lane.pop() && right;
    }
  });
  verify(right, "the owner pops what it pushed");
  return ns / turns;
}

/// A thread that reads the clock again and again, and how long it could not.
class observer {
 public:
  explicit observer(std::atomic<unsigned>& running)
      : thread_([this, &running](std::stop_token const& stop) {
          running.fetch_add(1, std::memory_order_relaxed);
          for (auto last = clock::now(); !stop.stop_requested();) {
            auto const now = clock::now();
            auto const gap = std::chrono::nanoseconds(now - last).count();
            if (gap > longest_.load(std::memory_order_relaxed)) longest_.store(gap, std::memory_order_relaxed);
            last = now;
          }
        }) {}

  /// Since the last call.
  std::int64_t longest_gap() { return longest_.exchange(0, std::memory_order_relaxed); }

 private:
  std::atomic<std::int64_t> longest_{0};
  std::jthread thread_;
};

void spin_for(std::chrono::nanoseconds length) {
  for (auto const until = clock::now() + length; clock::now() < until;) runtime::relax();
}

}  // namespace

double fence_ns() {
  constexpr int turns = 50'000;
  runtime::deque<> biased;
  runtime::deque<> open({.bias_after = {.least = 60'000, .most = 60'000}});  // it stays open for all turns
  int thing = 0;
  for (runtime::deque<>* const lane : {&biased, &open, &open}) {
    if (lane->push(&thing)) static_cast<void>(lane->poll());
  }
  runtime::entry oldest;
  verify(open.outside().steal(oldest) == runtime::outcome::got, "a thief takes the oldest entry");
  double const without = push_and_pop_ns(biased, turns);
  return push_and_pop_ns(open, turns) - without;
}

heavy_fence_cost with_running_threads(unsigned others) {
  std::atomic<unsigned> running{0};
  std::vector<std::unique_ptr<observer>> all;
  for (unsigned i = 0; i < others; ++i) all.push_back(std::make_unique<observer>(running));
  while (running.load(std::memory_order_relaxed) < others) std::this_thread::yield();
  std::vector<double> fences;
  std::vector<double> interrupts;
  for (unsigned tries = 0; fences.size() < fences_per_sample && tries < 100 * fences_per_sample; ++tries) {
    spin_for(std::chrono::microseconds{20});
    static_cast<void>(all.front()->longest_gap());
    double const took = ns_of(runtime::heavy_fence);
    spin_for(std::chrono::microseconds{2});  // until it has noted the gap
    auto const gap = static_cast<double>(all.front()->longest_gap());
    if (gap == 0) continue;  // the thread had no processor
    fences.push_back(took);
    interrupts.push_back(gap);
  }
  verify(fences.size() == fences_per_sample, "another thread runs while a heavy fence is measured");
  return {median(fences), median(interrupts)};
}

}  // namespace skua::cli
