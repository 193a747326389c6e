// SPDX-License-Identifier: MIT
// The cost of a fork and its join: fib without cut-off on 1 and 2 workers, against the serial elision, oneTBB's
// task_group and rayon, one after the other in every round, so that a slow minute of the machine hits all alike.
//
// Times are per fork-join, the serial work of fib included. Ratios are taken within a round, then their spread.
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "apps/fib/problem.hpp"
#include "bench/harness.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/program/serial.hpp"
#include "skua/skua.hpp"

namespace {

using namespace skua;
namespace fib = skua::apps::fib;

struct options {
  std::int64_t n = 36;
  std::int64_t rounds = 11;
  std::string rayon = SKUA_BENCH_RAYON;
};

struct runner {
  std::string name;
  std::function<double()> seconds;  ///< one verified run
  std::vector<double> ns = {};      ///< per fork-join, one entry a round
};

template <class Run>
double timed(std::int64_t n, Run const& run) {
  auto const start = bench::clock::now();
  std::uint64_t const value = run();
  double const seconds = bench::seconds_since(start);
  bench::verify(value == fib::answer(static_cast<int>(n)), "fib(" + std::to_string(n) + ")");
  return seconds;
}

/// One run of the Cargo program in peers/, which warms its pool, times one run and checks it.
double on_rayon(options const& o, int workers) {
  std::string const said =
      bench::output_of({o.rayon, "--n", std::to_string(o.n), "--workers", std::to_string(workers), "--repeat", "1"});
  auto const at = said.find("\"times_s\":[");
  if (at == std::string::npos) throw resource_error("skua-peers answered " + said);
  return std::stod(said.substr(at + std::string("\"times_s\":[").size()));
}

std::vector<double> ratios(runner const& above, runner const& below) {
  std::vector<double> all;
  for (std::size_t i = 0; i < above.ns.size(); ++i) all.push_back(above.ns[i] / below.ns[i]);
  return all;
}

/// `what`: reports the ratio in each round; and of the best times, which says more on a machine with other work.
void compare(bench::report& say, std::string const& what, runner const& above, runner const& below,
             std::optional<bench::target> goal = {}) {
  bench::spread const seen = bench::spread_of(ratios(above, below));
  if (goal) {
    say.row(what, "", seen, *goal);
  } else {
    say.row(what, "", seen);
  }
  double const best = std::ranges::min(above.ns) / std::ranges::min(below.ns);
  say.row(what + ", best times", "", bench::spread_of({best}));
}

void measure(std::vector<runner>& runners, options const& o) {
  auto const forks = static_cast<double>(bench::forks_of_fib(o.n));
  for (auto& r : runners) static_cast<void>(r.seconds());  // threads started, pages touched
  for (std::int64_t round = 0; round < o.rounds; ++round) {
    // Rotates the order, so that no runner always follows the same other.
    for (std::size_t i = 0; i < runners.size(); ++i) {
      auto& r = runners[(i + static_cast<std::size_t>(round)) % runners.size()];
      r.ns.push_back(r.seconds() * 1e9 / forks);
    }
  }
}

void run(options const& o, bench::command const& asked) {
  bench::report say(asked);
  int const n = static_cast<int>(o.n);
  pool one({.workers = 1});
  pool two({.workers = 2});
  apps::tbb_workers tbb;
  auto const on = [n](pool& p) { return p.run([n](auto& here) { return fib::program(here, n); }); };
  auto const on_tbb = [&](unsigned workers) { return fib::with_tbb(tbb, workers, n); };
  std::vector<runner> runners;
  runners.push_back({"serial elision", [&] {
                       return timed(n, [n] {
                         serial here;
                         return fib::program(here, n);
                       });
                     }});
  runners.push_back({"skua, 1 worker", [&] { return timed(n, [&] { return on(one); }); }});
  runners.push_back({"skua, 2 workers", [&] { return timed(n, [&] { return on(two); }); }});
  runners.push_back({"tbb task_group, 1 worker", [&] { return timed(n, [&] { return on_tbb(1); }); }});
  runners.push_back({"tbb task_group, 2 workers", [&] { return timed(n, [&] { return on_tbb(2); }); }});
  bool const with_rayon = access(o.rayon.c_str(), X_OK) == 0;
  if (with_rayon) {
    runners.push_back({"rayon join, 1 worker", [&] { return on_rayon(o, 1); }});
    runners.push_back({"rayon join, 2 workers", [&] { return on_rayon(o, 2); }});
  } else {
    say.note("rayon is left out: there is no " + o.rayon + "; `make peers` builds it where cargo is");
  }
  measure(runners, o);
  for (auto const& r : runners) say.row(r.name, "ns/fork", bench::spread_of(r.ns));
  compare(say, "skua 1 / serial", runners[1], runners[0]);
  compare(say, "tbb 1 / skua 1", runners[3], runners[1], bench::at_least(20));
  compare(say, "tbb 2 / skua 2", runners[4], runners[2]);
  compare(say, "skua 1 / skua 2", runners[1], runners[2], bench::at_least(1.9));
  if (with_rayon) {
    compare(say, "skua 1 / rayon 1", runners[1], runners[5], bench::at_most(0.4));
    compare(say, "skua 2 / rayon 2", runners[2], runners[6]);
  }
  say.write();
}

}  // namespace

int main(int argc, char** argv) {
  options o;
  bench::command asked("fork_bench",
                       "fib without cut-off, interleaved with its peers; ns per fork-join, serial work included");
  asked.number("--n", o.n, 2, 50, "which Fibonacci number");
  asked.number("--rounds", o.rounds, 1, 10'000, "rounds in which everybody runs once");
  asked.text("--rayon", o.rayon, "the program built from bench/peers");
  return asked.run(argc, argv, [&] { run(o, asked); });
}
