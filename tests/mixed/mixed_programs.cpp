// SPDX-License-Identifier: MIT
// Mixed programs for as long as one likes: of one kind, or of all in turn. The first failure ends it with the command that
// repeats it.
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ratio>
#include <string>

#include "skua/policy/registry.hpp"
#include "tests/mixed/mixed_runs.hpp"

namespace {

using skua::testing::mixed_run;

/// The programs that were right; exits the process at the first that was not.
std::uint64_t run(mixed_run const& r, unsigned patience_s) {
  if (std::string const fault = fault_of(r, patience_s); !fault.empty()) {
    std::fprintf(stderr, "%s\n", fault.c_str());
    std::exit(1);
  }
  return std::uint64_t{r.programs} * r.callers;
}

/// Every policy with 1, 2, 4 and 16 workers, 1 to 3 callers, again and again with other seeds.
std::uint64_t run_all(mixed_run r, double minutes, unsigned patience_s) {
  auto const end = std::chrono::steady_clock::now() + std::chrono::duration<double, std::ratio<60>>(minutes);
  std::uint64_t done = 0;
  for (;; ++r.seed) {
    for (auto const& policy : skua::policies::all()) {
      for (std::uint32_t const workers : {1U, 2U, 4U, 16U}) {
        if (std::chrono::steady_clock::now() > end) return done;
        r.policy = "checked:" + std::string(policy.name);
        r.workers = workers;
        r.callers = 1 + static_cast<std::uint32_t>((r.seed + workers) % 3);
        done += run(r, patience_s);
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  setenv("SKUA_STALL", "20s", 0);  // who waits for whom, before the patience ends
  mixed_run r{.policy = "random"};
  std::uint64_t runs = 10;
  unsigned patience_s = 60;
  double minutes = 0;
  CLI::App app{"Random programs in which every construct meets every other, from several threads on two pools."};
  app.add_option("--policy", r.policy, "of the first pool")->capture_default_str();
  app.add_option("--workers", r.workers, "of the first pool")->capture_default_str();
  app.add_option("--seed", r.seed, "of the first run; the next ones follow")->capture_default_str();
  app.add_option("--runs", runs, "each with pools of its own")->capture_default_str();
  app.add_option("--programs", r.programs, "per caller and run")->capture_default_str();
  app.add_option("--callers", r.callers, "threads that call")->capture_default_str();
  app.add_option("--depth", r.depth, "of a program")->capture_default_str();
  app.add_option("--minutes", minutes, "instead of --runs: all policies, workers and callers in turn, so long");
  app.add_option("--patience", patience_s, "seconds without a step after which it aborts")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  std::uint64_t done = 0;
  if (minutes > 0) {
    done = run_all(r, minutes, patience_s);
  } else {
    for (std::uint64_t i = 0; i < runs; ++i, ++r.seed) done += run(r, patience_s);
  }
  std::printf("%llu programs right\n", static_cast<unsigned long long>(done));
}
