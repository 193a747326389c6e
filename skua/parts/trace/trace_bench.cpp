// SPDX-License-Identifier: MIT
// What an event costs: into a small ring, which stays in the caches, and into one whose pages are touched for the first time.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "skua/parts/trace/trace_file.hpp"

namespace skua { inline namespace v0 { namespace trace { namespace {

std::string somewhere() {
  return (std::filesystem::temp_directory_path() / ("skua_trace_bench_" + std::to_string(::getpid()))).string();
}

void event_in_cache(benchmark::State& state) {
  auto const file = trace_file::make({.path = somewhere(), .bytes = 1});
  track t = file->track_of(0);
  for (auto _ : state) t.note({.what = kind::mark, .value = 1});
  std::filesystem::remove(file->path());
}
BENCHMARK(event_in_cache);

void event_in_new_memory(benchmark::State& state) {
  auto const file = trace_file::make({.path = somewhere(), .bytes = std::size_t{64} << 20});
  track t = file->track_of(0);
  for (auto _ : state) t.note({.what = kind::mark, .value = 1});
  std::filesystem::remove(file->path());
}
BENCHMARK(event_in_new_memory)->Iterations(2'000'000);

void event_with_a_name(benchmark::State& state) {
  auto const file = trace_file::make({.path = somewhere(), .bytes = 1});
  track t = file->track_of(0);
  for (auto _ : state) t.note({.what = kind::task_began, .other = t.name("fib")});
  std::filesystem::remove(file->path());
}
BENCHMARK(event_with_a_name);

}}}}  // namespace skua::v0::trace

BENCHMARK_MAIN();
