// SPDX-License-Identifier: MIT
// The cost of an algorithm with one worker: the serial elision against the standard library's algorithm.
// Argument: number of elements. Look at the CPU time.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "skua/parts/base/dice.hpp"
#include "skua/program/algorithm/for_each.hpp"
#include "skua/program/algorithm/reduce.hpp"
#include "skua/program/algorithm/scan.hpp"
#include "skua/program/algorithm/sort.hpp"
#include "skua/program/algorithm/stable_sort.hpp"
#include "skua/program/serial.hpp"

namespace {

using namespace benchmark;
using skua::serial;

std::size_t size_of(State const& state) { return static_cast<std::size_t>(state.range(0)); }

template <class Run>
void triad(State& state, Run run) {
  std::vector<float> a(size_of(state), 1.0F);
  std::vector<float> b(size_of(state), 2.0F);
  for (auto _ : state) {
    run(a, b);
    ClobberMemory();
  }
}
void for_plain(State& state) {
  triad(state, [](auto& a, auto& b) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = a[i] * 0.5F + b[i];
  });
}
void for_skua(State& state) {
  triad(state, [](auto& a, auto& b) {
    serial here;
    skua::for_each(here, std::size_t{0}, a.size(), [&](std::size_t i) { a[i] = a[i] * 0.5F + b[i]; });
  });
}

template <class Run>
void over_ones(State& state, Run run) {
  std::vector<int> data(size_of(state), 1);
  for (auto _ : state) {
    DoNotOptimize(run(data));
    ClobberMemory();
  }
}
void sum_std(State& state) {
  over_ones(state, [](auto& v) { return std::accumulate(v.begin(), v.end(), 0L); });
}
void sum_skua(State& state) {
  over_ones(state, [](auto& v) {
    serial here;
    return skua::reduce(here, v, 0L, std::plus<>{});
  });
}
void scan_std(State& state) {
  over_ones(state, [](auto& v) { return *(std::inclusive_scan(v.begin(), v.end(), v.begin()) - 1); });
}
void scan_skua(State& state) {
  over_ones(state, [](auto& v) {
    serial here;
    return skua::inclusive_scan(here, v, v.begin(), 0, std::plus<>{});
  });
}

std::vector<int> random_numbers(std::size_t n, std::uint32_t below) {
  skua::runtime::dice d{1};
  std::vector<int> all(n);
  for (int& x : all) x = static_cast<int>(d.below(below));
  return all;
}
std::vector<std::string> random_words(std::size_t n) {
  std::vector<std::string> all;
  for (int x : random_numbers(n, 1U << 31)) all.push_back("some prefix " + std::to_string(x));
  return all;
}

template <class Values, class Sort>
void sorting(State& state, Values const& values, Sort run) {
  Values data = values;
  for (auto _ : state) {
    data = values;
    run(data);
  }
}
constexpr auto by_std = [](auto& v) { std::sort(v.begin(), v.end()); };
constexpr auto stable_by_std = [](auto& v) { std::stable_sort(v.begin(), v.end()); };
constexpr auto stable_by_skua = [](auto& v) {
  serial here;
  skua::stable_sort(here, v);
};
constexpr auto by_skua = [](auto& v) {
  serial here;
  skua::sort(here, v);
};
void stable_sort_random_std(State& state) { sorting(state, random_numbers(size_of(state), 1U << 31), stable_by_std); }
void stable_sort_random_skua(State& state) { sorting(state, random_numbers(size_of(state), 1U << 31), stable_by_skua); }
void sort_random_std(State& state) { sorting(state, random_numbers(size_of(state), 1U << 31), by_std); }
void sort_random_skua(State& state) { sorting(state, random_numbers(size_of(state), 1U << 31), by_skua); }
void sort_few_keys_std(State& state) { sorting(state, random_numbers(size_of(state), 100), by_std); }
void sort_few_keys_skua(State& state) { sorting(state, random_numbers(size_of(state), 100), by_skua); }
void sort_words_std(State& state) { sorting(state, random_words(size_of(state)), by_std); }
void sort_words_skua(State& state) { sorting(state, random_words(size_of(state)), by_skua); }

constexpr std::int64_t many = 100'000'000;
BENCHMARK(for_plain)->Arg(4096)->Arg(many);
BENCHMARK(for_skua)->Arg(4096)->Arg(many);
BENCHMARK(sum_std)->Arg(many);
BENCHMARK(sum_skua)->Arg(many);
BENCHMARK(scan_std)->Arg(many);
BENCHMARK(scan_skua)->Arg(many);
BENCHMARK(stable_sort_random_std)->Arg(10'000'000)->Unit(kMillisecond);
BENCHMARK(stable_sort_random_skua)->Arg(10'000'000)->Unit(kMillisecond);
BENCHMARK(sort_random_std)->Arg(10'000'000)->Unit(kMillisecond);
BENCHMARK(sort_random_skua)->Arg(10'000'000)->Unit(kMillisecond);
BENCHMARK(sort_few_keys_std)->Arg(10'000'000)->Unit(kMillisecond);
BENCHMARK(sort_few_keys_skua)->Arg(10'000'000)->Unit(kMillisecond);
BENCHMARK(sort_words_std)->Arg(1'000'000)->Unit(kMillisecond);
BENCHMARK(sort_words_skua)->Arg(1'000'000)->Unit(kMillisecond);

}  // namespace

BENCHMARK_MAIN();
