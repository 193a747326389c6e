// SPDX-License-Identifier: MIT
// The cost of a fork and its join: fib without cut-off on 1 and 2 workers, against the serial elision, oneTBB's
// task_group and rayon, one after the other in every round, so that a slow minute of the machine hits all alike.
//
// Times are per fork-join, the serial work of fib included. Ratios are taken within a round, then their spread.
#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "apps/fib/problem.hpp"
#include "bench/runners.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/program/serial.hpp"
#include "skua/skua.hpp"

namespace {

using namespace skua;
namespace fib = skua::apps::fib;

struct options : bench::option_table {
  bench::number_option<int> n{*this, "--n", 36, bench::between(2, 50), "which Fibonacci number"};
  bench::number_option<std::int64_t> rounds{*this, "--rounds", 11, bench::between(1, 10'000),
                                            "rounds in which everybody runs once"};
  bench::text_option rayon{*this, "--rayon", SKUA_BENCH_RAYON, "the program built from bench/peers"};
};

struct runner {
  std::string name;
  std::function<double()> seconds;  ///< one verified run
  std::vector<double> ns = {};      ///< per fork-join, one entry a round
};

template <class Run>
double timed(int n, Run const& run) {
  auto const start = bench::clock::now();
  std::uint64_t const value = run();
  double const seconds = bench::seconds_since(start);
  bench::verify(value == fib::answer(n), "fib(" + std::to_string(n) + ")");
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

/// `what`: reports the ratio in each round; and of the best times, which says more on a machine with other work.
void compare(bench::report& say, std::string const& what, runner const& above, runner const& below,
             std::optional<bench::target> goal = {}) {
  say.row(what, "", bench::ratios(above.ns, below.ns), goal);
  say.row(what + ", best times", "", std::ranges::min(above.ns) / std::ranges::min(below.ns));
}

void measure(std::vector<runner>& runners, options const& o) {
  auto const forks = static_cast<double>(bench::forks_of_fib(o.n));
  for (auto& r : runners) static_cast<void>(r.seconds());  // threads started, pages touched
  bench::in_turn(o.rounds, runners.size(),
                 [&](std::int64_t, std::size_t i) { runners[i].ns.push_back(runners[i].seconds() * 1e9 / forks); });
}

void run(options const& o, bench::report& say) {
  int const n = o.n;
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
  bool const with_rayon = !bench::where_built(say, o.rayon).empty();
  if (with_rayon) {
    runners.push_back({"rayon join, 1 worker", [&] { return on_rayon(o, 1); }});
    runners.push_back({"rayon join, 2 workers", [&] { return on_rayon(o, 2); }});
  }
  measure(runners, o);
  for (auto const& r : runners) say.row(r.name, "ns/fork", r.ns);
  compare(say, "skua 1 / serial", runners[1], runners[0]);
  compare(say, "tbb 1 / skua 1", runners[3], runners[1], bench::at_least(20));
  compare(say, "tbb 2 / skua 2", runners[4], runners[2]);
  compare(say, "skua 1 / skua 2", runners[1], runners[2], bench::at_least(1.9));
  if (with_rayon) {
    compare(say, "skua 1 / rayon 1", runners[1], runners[5], bench::at_most(0.4));
    compare(say, "skua 2 / rayon 2", runners[2], runners[6]);
  }
}

}  // namespace

int main(int argc, char** argv) {
  options const o;
  return bench::run("fork_bench",
                    "fib without cut-off, interleaved with its peers; ns per fork-join, serial work included", o, argc,
                    argv, [&](bench::report& say) { run(o, say); });
}
