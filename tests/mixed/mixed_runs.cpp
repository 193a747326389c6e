// SPDX-License-Identifier: MIT
#include "tests/mixed/mixed_runs.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include "skua/parts/base/dice.hpp"
#include "skua/policy/registry.hpp"
#include "skua/skua.hpp"
#include "tests/mixed/mixed_program.hpp"

namespace skua::inline v0::testing {
namespace {

/// Aborts the process when no step has begun for too long.
class watchdog {
 public:
  watchdog(mixed_run const& r, unsigned patience_s)
      : thread_([this, &r, patience_s](std::stop_token const& stopped) { watch(stopped, r, patience_s); }) {}

 private:
  void watch(std::stop_token const& stopped, mixed_run const& r, unsigned patience_s) {
    std::uint64_t seen = mixed_program::steps();
    std::unique_lock held(mutex_);
    for (unsigned quiet_s = 0; quiet_s < patience_s; ++quiet_s) {
      signal_.wait_for(held, stopped, std::chrono::seconds(1), [] { return false; });
      if (stopped.stop_requested()) return;
      std::uint64_t const now = mixed_program::steps();
      if (now != seen) quiet_s = 0;
      seen = now;
    }
    std::fprintf(stderr, "nothing has begun for %u s in\n  %s\n", patience_s, command_of(r).c_str());
    std::abort();
  }

  std::mutex mutex_;
  std::condition_variable_any signal_;
  std::jthread thread_;
};

}  // namespace

std::string command_of(mixed_run const& r) {
  return "mixed_programs --policy " + r.policy + " --workers " + std::to_string(r.workers) + " --seed " +
         std::to_string(r.seed) + " --programs " + std::to_string(r.programs) + " --callers " +
         std::to_string(r.callers) + " --depth " + std::to_string(r.depth) + " --runs 1";
}

std::string fault_of(mixed_run const& r, unsigned patience_s) {
  runtime::dice roll(r.seed * 0x9e37'79b9'7f4a'7c15ULL + r.workers);
  auto const all = policies::all();
  watchdog const watch(r, patience_s);
  answering_service outside(2);
  pool first({.workers = r.workers, .policy = r.policy});
  pool second({.workers = 1 + roll.below(3),
               .policy = std::string(all[roll.below(static_cast<std::uint32_t>(all.size()))].name)});

  shared_arena arena;

  std::mutex lock;
  std::string fault;
  auto const note = [&](std::uint64_t seed, std::string const& what) {
    std::lock_guard const held(lock);
    if (fault.empty()) fault = "program " + std::to_string(seed) + ": " + what + ", in\n  " + command_of(r);
  };
  auto const call = [&](std::uint32_t caller) {
    for (std::uint32_t i = 0; i < r.programs; ++i) {
      std::uint64_t const seed = (r.seed * 64 + caller) * 100'000 + i;
      try {
        mixed_program program(seed, r.depth, {&first, &second}, arena, outside);
        std::uint64_t const got = program.run(seed % 4 == 0 ? 1 : 0);
        std::uint64_t const wanted = mixed_program::expected(seed, r.depth);
        if (got != wanted) note(seed, "answer " + std::to_string(got) + " instead of " + std::to_string(wanted));
      } catch (std::exception const& e) {
        note(seed, std::string("throws ") + e.what());
      }
    }
  };
  std::vector<std::jthread> callers;
  for (std::uint32_t c = 1; c < r.callers; ++c) callers.emplace_back(call, c);
  call(0);
  callers.clear();
  if (arena.wrong_numbers != 0) note(r.seed, "two bodies of an arena have one number");
  return fault;
}

}  // namespace skua::inline v0::testing
