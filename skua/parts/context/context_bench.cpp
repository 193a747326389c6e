// SPDX-License-Identifier: MIT
// The cost of a park: switches, stacks, and both together. `time/2` of switch_pair is one switch.
#include <benchmark/benchmark.h>

#include <cstring>

#include "skua/parts/context/context.hpp"
#include "skua/parts/context/current.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace {

struct both {
  context caller;
  context there;
};

void answer(void* argument) noexcept {
  auto& b = *static_cast<both*>(argument);
  for (;;) switch_to(b.there, b.caller, nullptr, nullptr);
}

void end(void* argument) noexcept {
  auto& b = *static_cast<both*>(argument);
  leave_to(b.there, b.caller, nullptr, nullptr);
}

void switch_pair(benchmark::State& state) {
  thread_record record;
  set_current_thread(&record);
  {
    stack_pool pool;
    stack* const s = pool.take();
    both b;
    start(b.there, *s, answer, &b);
    for (auto _ : state) switch_to(b.caller, b.there, nullptr, nullptr);
    pool.give(s);
  }
  set_current_thread(nullptr);
}
BENCHMARK(switch_pair);

void start_run_leave(benchmark::State& state) {
  thread_record record;
  set_current_thread(&record);
  {
    stack_pool pool;
    stack* const s = pool.take();
    both b;
    for (auto _ : state) {
      start(b.there, *s, end, &b);
      switch_to(b.caller, b.there, nullptr, nullptr);
    }
    pool.give(s);
  }
  set_current_thread(nullptr);
}
BENCHMARK(start_run_leave);

void current(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(current_thread());
}
BENCHMARK(current);

void pool_take_give(benchmark::State& state) {
  stack_pool pool;
  for (auto _ : state) {
    stack* const s = pool.take();
    s->top()[-1] = std::byte{1};
    pool.give(s);
  }
}
BENCHMARK(pool_take_give);

void pool_take_deep_give(benchmark::State& state) {
  stack_pool pool;
  for (auto _ : state) {
    stack* const s = pool.take();
    std::memset(s->top() - (256 << 10), 1, 256 << 10);
    pool.give(s);
  }
}
BENCHMARK(pool_take_deep_give);

void cache_take_give(benchmark::State& state) {
  stack_pool pool;
  stack_cache cache(pool);
  for (auto _ : state) {
    stack* const s = cache.take();
    benchmark::DoNotOptimize(s);
    cache.give(s);
  }
}
BENCHMARK(cache_take_give);

void map_touch_unmap(benchmark::State& state) {
  stack_pool pool(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    stack* const s = pool.take();
    s->top()[-1] = std::byte{1};
    pool.give(s);
    pool.trim();
  }
}
BENCHMARK(map_touch_unmap)->Arg(256 << 10)->Arg(8 << 20);

}}}}  // namespace skua::v0::runtime

BENCHMARK_MAIN();
