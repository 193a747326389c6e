// SPDX-License-Identifier: MIT
// Shared by the parts of pools_bench: the runtimes that share a process, and how two of them are timed beside each other.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "bench/regions.hpp"
#include "bench/runners.hpp"

namespace skua::bench::pools {

using regions::loop, regions::setting, regions::key_of;

/// Microseconds of serial work per loop.
inline constexpr std::int64_t lengths_us[] = {7, 28, 64};

/// A runtime of `setting::workers` threads: runs every index of a loop once.
using runtime = std::function<void(loop&)>;

[[nodiscard]] runtime skua_pool(setting const& s);
[[nodiscard]] runtime openmp_team(setting const& s);
[[nodiscard]] runtime tbb_arena(setting const& s);

/// Loops of one runtime, and their mean time: a median would hide that they wait for whole time slices now and then.
class series {
 public:
  series(setting const& s, std::int64_t us, runtime const& on) : data_(s, us), on_(&on) {}

  void run() {
    auto const from = clock::now();
    (*on_)(data_);
    ns_ += ns_between(from, clock::now());
    ++loops_;
  }
  /// Forgets the times so far, not the loops.
  void begin() {
    ns_ = 0;
    timed_from_ = loops_;
  }
  /// Microseconds a loop. Throws if an index was lost or run twice.
  [[nodiscard]] double mean_us() {
    data_.check(loops_);
    return ns_ / 1e3 / static_cast<double>(loops_ - timed_from_);
  }

 private:
  loop data_;
  runtime const* on_;
  double ns_ = 0;
  std::int64_t loops_ = 0;
  std::int64_t timed_from_ = 0;
};

inline constexpr double seconds_of_a_figure = 0.2;

inline void alone(figures& all, setting const& s, runtime const& on) {
  for (std::int64_t us : lengths_us) {
    series one(s, us, on);
    warm_up([&] { one.run(); });
    one.begin();
    for (auto const start = clock::now(); seconds_since(start) < seconds_of_a_figure;) one.run();
    all.emplace_back(key_of("loop", us), one.mean_us());
  }
}

/// One thread calls both, in turn.
inline void in_turns(figures& all, setting const& s, runtime const& first, runtime const& second) {
  for (std::int64_t us : lengths_us) {
    series one(s, us, first);
    series other(s, us, second);
    auto const both = [&] {
      one.run();
      other.run();
    };
    warm_up(both);
    one.begin();
    other.begin();
    for (auto const start = clock::now(); seconds_since(start) < 2 * seconds_of_a_figure;) both();
    all.emplace_back(key_of("loop", us), one.mean_us());
    all.emplace_back(key_of("other", us), other.mean_us());
  }
}

/// A thread for each.
inline void at_once(figures& all, setting const& s, runtime const& first, runtime const& second) {
  for (std::int64_t us : lengths_us) {
    series one(s, us, first);
    series other(s, us, second);
    std::atomic<bool> ends{false};
    std::jthread beside([&] {
      warm_up([&] { other.run(); });
      other.begin();
      while (!ends.load(std::memory_order_relaxed)) other.run();  // relaxed: the join orders
    });
    warm_up([&] { one.run(); });
    one.begin();
    for (auto const start = clock::now(); seconds_since(start) < 2 * seconds_of_a_figure;) one.run();
    ends.store(true, std::memory_order_relaxed);
    beside.join();
    all.emplace_back(key_of("loop", us), one.mean_us());
    all.emplace_back(key_of("other", us), other.mean_us());
  }
}

}  // namespace skua::bench::pools
