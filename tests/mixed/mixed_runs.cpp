// SPDX-License-Identifier: MIT
#include "tests/mixed/mixed_runs.hpp"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <optional>
#include <stop_token>
#include <system_error>
#include <thread>
#include <vector>

#include "skua/parts/base/dice.hpp"
#include "skua/policy/combinations_for_test.hpp"
#include "skua/skua.hpp"
#include "tests/mixed/mixed_checks.hpp"
#include "tests/mixed/mixed_program.hpp"

namespace skua { inline namespace v0 { namespace testing {
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

std::vector<mixed_step> programs_of(mixed_run const& r) {
  if (!r.these.empty()) return r.these;
  std::vector<mixed_step> all;
  for (std::uint32_t i = 0; i < r.programs; ++i) {
    for (std::uint32_t c = 0; c < r.callers; ++c)
      all.push_back(mixed_step::drawn((r.seed * 64 + c) * 100'000 + i, r.depth));
  }
  return all;
}

std::string command_of(mixed_run const& r) {
  std::string const around = "mixed_programs --policy " + r.policy + " --workers " + std::to_string(r.workers) +
                             " --callers " + std::to_string(r.callers) + " --seed " + std::to_string(r.seed);
  if (r.these.empty())
    return around + " --programs " + std::to_string(r.programs) + " --depth " + std::to_string(r.depth) + " --runs 1";
  std::string these = " --times " + std::to_string(r.times);
  for (mixed_step const& p : r.these) these += " '" + text_of(p) + "'";
  return around + these;
}

std::string fault_of(mixed_run const& r, unsigned patience_s) {
  runtime::dice roll(r.seed * 0x9e37'79b9'7f4a'7c15ULL + r.workers);
  std::vector<mixed_step> const programs = programs_of(r);
  static_cast<void>(take_wrong());
  watchdog const watch(r, patience_s);
  std::string fault;
  {
    answering_service outside(2);
    pool first({.workers = r.workers, .policy = r.policy, .count_forks = r.seed % 4 == 0});
    pool second({.workers = 1 + roll.below(3), .policy = any_policy(roll.below(1000)), .count_forks = r.seed % 3 == 0});
    shared_arena arena;

    std::mutex lock;
    auto const note = [&](mixed_step const& what, std::string const& why) {
      std::lock_guard const held(lock);
      if (fault.empty()) fault = why + ", in\n" + indented(what);
    };
    auto const run_one = [&](std::size_t number) {
      mixed_step const& what = programs[number];
      try {
        std::uint64_t const got = mixed_program(what, {&first, &second}, arena, outside).run(number % 4 == 3 ? 1 : 0);
        std::uint64_t const wanted = what.expected();
        if (got != wanted) note(what, "answer " + std::to_string(got) + " instead of " + std::to_string(wanted));
      } catch (std::exception const& e) {
        note(what, std::string("throws ") + e.what());
      }
      if (std::string const why = take_wrong(); !why.empty()) note(what, why + ", in this or in what ran beside it");
    };
    auto const call = [&](std::uint32_t caller) {
      for (std::uint32_t n = 0; n < r.times; ++n) {
        for (std::size_t i = caller; i < programs.size(); i += r.callers) run_one(i);
      }
    };
    std::vector<std::jthread> callers;
    for (std::uint32_t c = 1; c < r.callers; ++c) callers.emplace_back(call, c);
    call(0);
    callers.clear();
    if (fault.empty() && arena.wrong_numbers != 0) fault = "two bodies of an arena have one number, in\n";
  }
  return fault.empty() ? fault : fault + "to repeat it:\n  " + command_of(r);
}

bool fails_in_a_child(mixed_run const& r, unsigned patience_s, bool is_quiet) {
  std::fflush(nullptr);
  pid_t const child = ::fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (child == 0) {
    if (is_quiet) {
      rlimit const none{};
      setrlimit(RLIMIT_CORE, &none);
      if (std::freopen("/dev/null", "w", stderr) == nullptr) ::_exit(2);
    }
    std::string const fault = fault_of(r, patience_s);
    if (!fault.empty()) std::fprintf(stderr, "%s\n", fault.c_str());
    std::fflush(nullptr);
    ::_exit(fault.empty() ? 0 : 1);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  return !(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

}}}  // namespace skua::v0::testing
