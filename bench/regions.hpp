// SPDX-License-Identifier: MIT
// Shared by the runners of regions_bench: the loop that they all run, the calls from the main thread that Skua and oneTBB
// spell alike, and how a runner times a call.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bench/harness.hpp"
#include "bench/runners.hpp"

namespace skua::bench::regions {

struct setting {
  std::int64_t workers = 2;
  std::int64_t index_ps = 0;  ///< picoseconds of one index of the loop on this machine
};

/// Microseconds of serial work per region.
inline constexpr std::array<std::int64_t, 3> lengths_us{12, 50, 600};
inline constexpr std::array<int, 4> fib_numbers{15, 17, 19, 21};

/// The work of one index: some 4 ns, which adds a small whole number that depends on `in` to `sum`. No runner's
/// compiler sees into it (regions_loop.cpp).
void touch(float in, float& sum) noexcept;

/// A loop whose regions add exactly the same to every element, so that a lost or a doubled index shows at the end.
class loop {
 public:
  loop(setting const& s, std::int64_t us);

  [[nodiscard]] std::size_t size() const noexcept { return in_.size(); }
  void index(std::size_t i) noexcept { touch(in_[i], sum_[i]); }
  void piece(std::size_t first, std::size_t last) noexcept {
    for (std::size_t i = first; i < last; ++i) index(i);
  }

  /// Median microseconds of region(), which runs every index once. Throws if it did not.
  template <class Region>
  double us_per_region(Region&& region) {
    std::int64_t regions = 0;
    auto const counted = [&] {
      region();
      ++regions;
    };
    warm_up(counted);
    double const us = us_per_call(100, counted);
    check(regions);
    return us;
  }

  /// Throws unless every index was run so many times.
  void check(std::int64_t regions);

 private:
  std::vector<float> in_;
  std::vector<float> sum_;
};

/// What one index of a loop takes here, in picoseconds: the best of many short loops, because what else the machine does only adds.
[[nodiscard]] inline std::int64_t measured_index_ps() {
  constexpr std::size_t n = 10'000;
  loop l({.index_ps = 1'000'000}, n);
  std::vector<double> ns;
  for (int i = 0; i < 3000; ++i) {
    auto const start = clock::now();
    l.piece(0, n);
    ns.push_back(ns_between(start, clock::now()));
  }
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ranges::min(ns) * 1000 / n));
}

[[nodiscard]] inline std::string key_of(std::string const& what, std::int64_t size) {
  return what + "_" + std::to_string(size);
}

// ---- from the main thread ------------------------------------------------------------------------------------------

inline constexpr std::size_t floats = 1000;
inline constexpr std::int64_t float_loops = 2000;
inline constexpr std::int64_t group_tasks = 1000;
inline constexpr std::int64_t thread_tasks = 20'000;
inline constexpr std::int64_t application_threads = 3;
inline constexpr std::int64_t outside_tasks = 100'000;

struct nothing {
  void operator()() const noexcept {}
  void operator()(int) const noexcept {}
};

struct counting {
  void operator()() const noexcept { calls->fetch_add(1, std::memory_order_relaxed); }  // relaxed: read after the join
  void operator()(int) const noexcept { (*this)(); }
  std::atomic<std::int64_t>* calls;
};

/// Median microseconds of op(nothing{}), after op has called a counting body `calls` times, no more and no less.
template <class Op>
double us_of(std::string const& what, std::int64_t calls, std::int64_t batch, Op const& op) {
  constexpr std::int64_t tries = 10;
  std::atomic<std::int64_t> seen{0};
  for (std::int64_t i = 0; i < tries; ++i) op(counting{&seen});
  verify(seen.load(std::memory_order_relaxed) == tries * calls, what);  // relaxed: the calls above were joined
  warm_up([&] { op(nothing{}); });
  return us_per_call(batch, [&] { op(nothing{}); });
}

/// Median microseconds of adding one to each of 1000 floats by run(add), add(i) for each i. The last answer is exact.
template <class Run>
double us_of_floats(Run const& run) {
  std::vector<float> all(floats, 0);
  auto const sweep = [&] { run([&all](std::size_t i) { all[i] += 1; }); };
  constexpr std::int64_t batch = 100;
  std::vector<double> seen;
  for (std::int64_t done = 0; done < float_loops; done += batch) {
    auto const from = clock::now();
    for (std::int64_t i = 0; i < batch; ++i) sweep();
    seen.push_back(ns_between(from, clock::now()) / 1e3 / static_cast<double>(batch));
  }
  for (float x : all) verify(x == static_cast<float>(float_loops), "the sum of 2000 loops");
  return median(std::move(seen));
}

template <class Group, class Body>
void run_and_wait(std::int64_t tasks, Body const& body) {
  Group group;
  for (std::int64_t i = 0; i < tasks; ++i) group.run(body);
  group.wait();
}

template <class Group, class Body>
void from_threads(Body const& body) {
  std::array<std::jthread, application_threads> threads;
  for (auto& t : threads) t = std::jthread([&body] { run_and_wait<Group>(thread_tasks, body); });
}

/// Face: parallel_for, parallel_invoke and task_group of a library that spells them as oneTBB does.
template <class Face>
void from_main(figures& all) {
  using group = typename Face::task_group;
  all.emplace_back("for_1",
                   us_of("parallel_for of 1", 1, 100, [](auto body) { Face::parallel_for(0, 1, std::move(body)); }));
  all.emplace_back("for_64",
                   us_of("parallel_for of 64", 64, 100, [](auto body) { Face::parallel_for(0, 64, std::move(body)); }));
  all.emplace_back("group", us_of("task_group", 1, 100, [](auto body) { group().run_and_wait(body); }));
  all.emplace_back("invoke", us_of("parallel_invoke", 2, 100, [](auto body) { Face::parallel_invoke(body, body); }));
  all.emplace_back("floats",
                   us_of_floats([](auto add) { Face::parallel_for(std::size_t{0}, floats, std::move(add)); }));
  all.emplace_back("run_1000",
                   us_of("1000 tasks", group_tasks, 10, [](auto body) { run_and_wait<group>(group_tasks, body); }));
  all.emplace_back("threads", us_of("tasks of 3 threads", application_threads * thread_tasks, 1,
                                    [](auto body) { from_threads<group>(body); }));
  all.emplace_back("outside", us_of("tasks from outside", outside_tasks, 1,
                                    [](auto body) { run_and_wait<group>(outside_tasks, body); }));
}

// ---- the runners ---------------------------------------------------------------------------------------------------

void on_skua(figures& all, setting const& s, std::string const& policy);
void fib_on_skua(figures& all, std::int64_t workers);
void from_main_on_skua(figures& all, setting const& s);

void on_openmp(figures& all, setting const& s);
void from_main_on_openmp(figures& all, setting const& s);

enum class partition : std::uint8_t { automatic, fixed };
void on_tbb(figures& all, setting const& s, partition how);
void from_main_on_tbb(figures& all, setting const& s);

}  // namespace skua::bench::regions
