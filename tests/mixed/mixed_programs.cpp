// SPDX-License-Identifier: MIT
// Mixed programs for as long as one likes: of one kind, or of all in turn. Each run has a process of its own. The first that fails ends
// it, with the smallest programs that fail in its place, and the command that repeats them.
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ratio>
#include <string>
#include <vector>

#include "skua/policy/combinations_for_test.hpp"
#include "tests/mixed/mixed_runs.hpp"
#include "tests/mixed/shrinking.hpp"

namespace {

using skua::testing::mixed_run;
using seconds = std::chrono::duration<double>;
using std::chrono::steady_clock;

struct patience {
  unsigned of_a_run_s = 60;       ///< without a step
  double of_shrinking_s = 300;    ///< 0: it does not shrink
  unsigned of_a_candidate_s = 3;  ///< without a step
  unsigned tries = 5;             ///< of a candidate
};

/// Steps of one try of a candidate. The smaller its programs are, the more often they run.
constexpr std::size_t steps_per_try = 4000;

/// Prints the smallest run that fails as this one does, or says that it did not fail again.
void shrink(mixed_run const& failing, patience const& most) {
  auto const end = steady_clock::now() + seconds(most.of_shrinking_s);
  std::fprintf(stderr, "shrinks it, for up to %.0f s\n", most.of_shrinking_s);
  auto const as_tried = [](mixed_run r) {
    r.times = static_cast<std::uint32_t>(1 + steps_per_try / skua::testing::steps_of(r));
    return r;
  };
  auto const fails = [&](mixed_run const& r) {
    mixed_run const tried = as_tried(r);
    for (unsigned i = 0; i < most.tries; ++i) {
      if (fails_in_a_child(tried, most.of_a_candidate_s, true)) return true;
    }
    return false;
  };
  if (!fails(failing)) {
    std::fprintf(stderr, "it has not failed again in %u tries\n", most.tries);
    return;
  }
  mixed_run const smallest = as_tried(shrunk(failing, fails, [&] { return steady_clock::now() < end; }));
  if (steady_clock::now() >= end) std::fprintf(stderr, "the time is over; --shrink gives it more\n");
  std::fprintf(stderr, "the smallest programs that failed:\n");
  for (auto const& p : smallest.these) std::fprintf(stderr, "%s", indented(p).c_str());
  std::fprintf(stderr, "to repeat it, perhaps more than once:\n  %s\n", command_of(smallest).c_str());
}

/// The programs that were right; exits the process at the first run with one that was not.
std::uint64_t run(mixed_run const& r, patience const& most) {
  if (fails_in_a_child(r, most.of_a_run_s, false)) {
    if (most.of_shrinking_s > 0) shrink(r, most);
    std::exit(1);
  }
  return std::uint64_t{r.times} * (r.these.empty() ? std::uint64_t{r.programs} * r.callers : r.these.size());
}

/// Every policy with 1, 2, 4 and 16 workers, 1 to 3 callers, again and again with other seeds.
std::uint64_t run_all(mixed_run r, double minutes, patience const& most) {
  auto const end = steady_clock::now() + std::chrono::duration<double, std::ratio<60>>(minutes);
  std::uint64_t done = 0;
  for (;; ++r.seed) {
    for (std::string const& policy : skua::testing::policies_and_combinations()) {
      for (std::uint32_t const workers : {1U, 2U, 4U, 16U}) {
        if (steady_clock::now() > end) return done;
        r.policy = "checked:" + policy;
        r.workers = workers;
        r.callers = 1 + static_cast<std::uint32_t>((r.seed + workers) % 3);
        done += run(r, most);
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  setenv("SKUA_STALL", "20s", 0);  // who waits for whom, before the patience ends
  mixed_run r{.policy = "random"};
  patience most;
  std::uint64_t runs = 10;
  double minutes = 0;
  std::vector<std::string> texts;
  CLI::App app{"Random programs in which every construct meets every other, from several threads on two pools."};
  app.add_option("--policy", r.policy, "of the first pool")->capture_default_str();
  app.add_option("--workers", r.workers, "of the first pool")->capture_default_str();
  app.add_option("--seed", r.seed, "of the first run; the next ones follow")->capture_default_str();
  app.add_option("--runs", runs, "each with a process and pools of its own")->capture_default_str();
  app.add_option("--programs", r.programs, "per caller and run")->capture_default_str();
  app.add_option("--callers", r.callers, "threads that call")->capture_default_str();
  app.add_option("--depth", r.depth, "of a program")->capture_default_str();
  app.add_option("--times", r.times, "each program")->capture_default_str();
  app.add_option("--minutes", minutes, "instead of --runs: all policies, workers and callers in turn, so long");
  app.add_option("--patience", most.of_a_run_s, "seconds without a step after which it aborts")->capture_default_str();
  app.add_option("--shrink", most.of_shrinking_s, "seconds for making what fails smaller; 0: none")
      ->capture_default_str();
  app.add_option("--tries", most.tries, "of each smaller run")->capture_default_str();
  app.add_option("program", texts, "instead of random ones, as a failure prints them; once, unless --times says more");
  CLI11_PARSE(app, argc, argv);
  try {
    for (std::string const& text : texts) r.these.push_back(skua::testing::step_from(text));
    if (!texts.empty()) runs = 1;
    std::uint64_t done = 0;
    if (minutes > 0) {
      done = run_all(r, minutes, most);
    } else {
      for (std::uint64_t i = 0; i < runs; ++i, ++r.seed) done += run(r, most);
    }
    std::printf("%llu programs right\n", static_cast<unsigned long long>(done));
  } catch (std::exception const& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 2;
  }
}
