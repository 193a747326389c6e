// SPDX-License-Identifier: MIT
// Memory: what fib(36) keeps resident, compared with the same program without a pool; and whether pools that come and
// go leave anything behind. Uses the kernel's own figures (/proc/self).
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "apps/fib/problem.hpp"
#include "bench/harness.hpp"
#include "bench/resident.hpp"
#include "skua/skua.hpp"

namespace {

using namespace skua;

struct options : bench::option_table {
  bench::number_option<std::int64_t> n{*this, "--n", 36, bench::between(2, 50), "which Fibonacci number"};
  bench::number_option<std::int64_t> rounds{*this, "--rounds", 5, bench::between(1, 1000),
                                            "runs of fib per number of workers"};
  bench::number_option<std::int64_t> pools{*this, "--pools", 10'000, bench::between(1, 1'000'000),
                                           "how many pools come and go"};
  bench::text_option alone{*this, "--alone", SKUA_BENCH_FIB_ALONE, "the program fib_alone"};
};

/// Runs fib_alone several times; each run checks its value.
void resident(bench::report& say, options const& o, int workers) {
  std::vector<double> peak;
  std::vector<double> own;
  for (std::int64_t i = 0; i < o.rounds; ++i) {
    std::string const said = bench::output_of({o.alone, std::to_string(o.n), std::to_string(workers)});
    peak.push_back(bench::number_in(said, "peak_kib") / 1024);
    own.push_back(bench::number_in(said, "own_kib") / 1024);
  }
  std::string const name =
      "fib(" + std::to_string(o.n) + "), " + (workers == 0 ? "serial, no pool" : bench::workers_in_words(workers));
  say.row(name + ": peak resident", "MiB", peak, workers == 2 ? std::optional(bench::at_most(6)) : std::nullopt);
  say.row(name + ": of it not from files", "MiB", own);
}

std::size_t lines_of(char const* path) {
  std::ifstream file(path);
  std::size_t lines = 0;
  for (std::string line; std::getline(file, line);) ++lines;
  return lines;
}

std::size_t open_files() {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {}));
}

void come_and_go(std::int64_t pools, std::vector<double>& us) {
  for (std::int64_t i = 0; i < pools; ++i) {
    auto const start = bench::clock::now();
    {
      pool p({.workers = 2});
      bench::verify(p.run([](auto& here) { return apps::fib::program(here, 8); }) == 21, "fib(8)");
    }
    us.push_back(bench::seconds_since(start) * 1e6);
  }
}

void many_pools(bench::report& say, options const& o) {
  std::vector<double> us;
  std::int64_t const pools = o.pools;
  come_and_go(std::min<std::int64_t>(pools, 100), us);  // lets the allocator reach its size
  us.clear();
  long const before = bench::resident_kib();
  std::size_t const mappings = lines_of("/proc/self/maps");
  std::size_t const files = open_files();
  us.reserve(static_cast<std::size_t>(pools));
  come_and_go(pools, us);
  long const books = static_cast<long>(us.size() * sizeof(double) / 1024);  // our own list of times
  std::string const name = std::to_string(pools) + " pools made and destroyed: ";
  say.row(name + "growth", "KiB", static_cast<double>(bench::resident_kib() - before - books), bench::at_most(1024));
  say.row(name + "mappings left", "", static_cast<double>(lines_of("/proc/self/maps")) - static_cast<double>(mappings));
  say.row(name + "files left open", "", static_cast<double>(open_files()) - static_cast<double>(files),
          bench::at_most(0));
  say.row("a pool of 2 workers: made, used, destroyed", "us", us);
}

}  // namespace

int main(int argc, char** argv) {
  options const o;
  return bench::run("memory_bench", "resident memory of fib, and of pools that come and go", o, argc, argv,
                    [&](bench::report& say) {
                      for (int const workers : {0, 1, 2}) resident(say, o, workers);
                      many_pools(say, o);
                    });
}
