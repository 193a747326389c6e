// SPDX-License-Identifier: MIT
// Runs random fork-join programs on threads, each under one policy, and compares the answers with the serial elision's.
// One process is one chunk of a campaign (tools/campaign.py), which also disturbs it from outside. The first failure
// ends it with the command that repeats the program alone.
#include <fmt/format.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <new>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "skua/skua.hpp"
#include "tests/campaign/failing_allocations.hpp"
#include "tests/programs/random_program.hpp"

namespace {

using skua::testing::random_program;

struct chunk {
  std::string policy;
  std::uint64_t first = 1;
  std::uint64_t count = 100;
  std::string inject = "nothing";
};

/// What the seed decides besides the program.
struct plan {
  explicit plan(std::uint64_t seed) {
    skua::runtime::dice roll(seed * 2'654'435'761U + 17);
    depth = 4 + static_cast<int>(roll.below(4));
    places = roll.below(3) == 0 ? 0 : 1 + roll.below(4);
    std::uint32_t const end = roll.below(8);
    throws = end == 0;
    stops = end == 1;
    from = 1 + roll.below(200);
  }
  int depth = 0;
  std::uint32_t places = 0;
  bool throws = false;
  bool stops = false;
  long from = 0;  ///< the task that throws, or requests a stop
};

struct outcome {
  std::optional<std::uint64_t> answer;
  std::string why;  ///< there is none
};

template <class Run>
outcome outcome_of(Run&& run) {
  try {
    return {.answer = run(), .why = {}};
  } catch (skua::testing::thrown const&) {
    return {.answer = {}, .why = "thrown"};
  } catch (skua::cancelled const&) {
    return {.answer = {}, .why = "cancelled"};
  } catch (std::bad_alloc const&) {
    return {.answer = {}, .why = "no memory"};
  }
}

/// Runs the program of this seed; what is wrong, or nothing. `inject`: as chunk's.
std::string fault_of(skua::pool& pool, std::uint64_t seed, std::string const& inject) {
  bool const may_lack_memory = inject == "memory";
  plan const by(seed);
  random_program reference(seed, by.depth, by.places);
  skua::serial alone;
  std::uint64_t const expected = reference(alone) + (inject == "wrong-answers" ? 1 : 0);

  random_program program(seed, by.depth, by.places);
  std::stop_source stop;
  if (by.throws) program.throw_from(by.from);
  if (by.stops) program.stop_at(by.from, stop);
  bool const is_reached = by.from <= reference.tasks();
  skua::testing::fail_allocations(may_lack_memory ? 3 + static_cast<std::uint32_t>(seed % 200) : 0);
  outcome const got = outcome_of([&] {
    return pool.run([&](auto& here) {
      if (!by.stops) return program(here);
      return here.with_stop(stop.get_token(), [&](auto& inside) { return program(inside); });
    });
  });
  skua::testing::fail_allocations(0);

  if (program.living() != 0) return fmt::format("{} objects were left", program.living());
  if (got.answer && *got.answer != expected) return fmt::format("the answer is {}, not {}", *got.answer, expected);
  if (got.answer && by.throws && is_reached) return "it returned, but a task threw";
  if (got.answer && program.tasks() != reference.tasks())
    return fmt::format("{} tasks ran instead of {}", program.tasks(), reference.tasks());
  bool const is_expected = got.answer || (got.why == "thrown" && by.throws && is_reached) ||
                           (got.why == "cancelled" && by.stops && is_reached) ||
                           (got.why == "no memory" && may_lack_memory);
  return is_expected ? "" : got.why;
}

// ---- disturbances from inside --------------------------------------------------------------------------------------

/// The kernel refuses membarrier, as old ones do and as some sandboxes do.
void refuse_membarrier() {
  std::array<sock_filter, 4> filter{{
      {.code = BPF_LD | BPF_W | BPF_ABS, .jt = 0, .jf = 0, .k = offsetof(seccomp_data, nr)},
      {.code = BPF_JMP | BPF_JEQ | BPF_K, .jt = 0, .jf = 1, .k = SYS_membarrier},
      {.code = BPF_RET | BPF_K, .jt = 0, .jf = 0, .k = SECCOMP_RET_ERRNO | ENOSYS},
      {.code = BPF_RET | BPF_K, .jt = 0, .jf = 0, .k = SECCOMP_RET_ALLOW},
  }};
  sock_fprog program{.len = filter.size(), .filter = filter.data()};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
    throw std::runtime_error("the kernel takes no seccomp filter");
}

/// A signal every millisecond, to any thread.
void send_signals() {
  struct sigaction nothing{};
  nothing.sa_handler = [](int) {};
  sigaction(SIGALRM, &nothing, nullptr);
  itimerval const every{.it_interval = {.tv_sec = 0, .tv_usec = 1000}, .it_value = {.tv_sec = 0, .tv_usec = 1000}};
  setitimer(ITIMER_REAL, &every, nullptr);
}

/// A child that is born while the pool works: its calls must be refused, and it must be able to end.
std::string fault_of_fork(skua::pool& pool) {
  pid_t const child = ::fork();
  if (child == 0) {
    try {
      pool.run([](auto&) {});
      ::_exit(1);
    } catch (skua::error const&) {
      ::_exit(0);
    }
  }
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child) return "fork failed";
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? "" : "a child of fork() was not refused";
}

// ---- a chunk ---------------------------------------------------------------------------------------------------------

/// Programs `from`, `from + step`, ... of the chunk, on the calling thread. Returns the first fault.
std::string run_some(skua::pool& pool, chunk const& all, std::uint64_t from, std::uint64_t step) {
  for (std::uint64_t seed = from; seed < all.first + all.count; seed += step) {
    std::string fault = fault_of(pool, seed, all.inject);
    if (fault.empty() && all.inject == "fork" && seed % 64 == 0) fault = fault_of_fork(pool);
    if (!fault.empty()) return fmt::format("seed {}: {}", seed, fault);
  }
  return "";
}

/// Every other chunk is called by two threads at once, except where allocations fail for all of them.
std::string run_all(chunk const& all) {
  std::uint64_t const kind = all.first / std::max<std::uint64_t>(all.count, 1);
  skua::pool_options options{.workers = static_cast<std::uint32_t>(1 + kind % 4), .policy = all.policy};
  if (kind % 3 == 1) options.topology = "package:2 numa:1 l3:1 core:2";
  skua::pool pool(options);
  if (kind % 2 == 0 || all.inject == "memory") return run_some(pool, all, all.first, 1);
  std::string others;
  std::thread second([&] { others = run_some(pool, all, all.first + 1, 2); });
  std::string const mine = run_some(pool, all, all.first, 2);
  second.join();
  return mine.empty() ? others : mine;
}

}  // namespace

int main(int argc, char** argv) {
  chunk all;
  CLI::App command("random fork-join programs under one policy, compared with their serial elision");
  command.add_option("--policy", all.policy, "as SKUA_POLICY")->required();
  command.add_option("--first", all.first, "the first seed")->capture_default_str();
  command.add_option("--count", all.count, "how many seeds")->capture_default_str();
  command.add_option("--inject", all.inject, "a disturbance; wrong-answers: every program must fail")
      ->check(CLI::IsMember({"nothing", "memory", "signals", "no-membarrier", "fork", "wrong-answers"}))
      ->capture_default_str();
  CLI11_PARSE(command, argc, argv);
  try {
    if (all.inject == "no-membarrier") refuse_membarrier();
    if (all.inject == "signals") send_signals();
    std::string const fault = run_all(all);
    if (fault.empty()) return 0;
    fmt::print(stderr, "{} under {}, chunk of {} from {}, with {} injected\n", fault, all.policy, all.count, all.first,
               all.inject);
  } catch (std::exception const& e) {
    fmt::print(stderr, "{}\n", e.what());
  }
  return 1;
}
