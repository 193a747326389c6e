// SPDX-License-Identifier: MIT
// Memory: what fib(36) keeps resident, compared with the same program without a pool; and whether pools that come and
// go leave anything behind. Uses the kernel's own figures (/proc/self).
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "apps/fib/problem.hpp"
#include "bench/harness.hpp"
#include "bench/resident.hpp"
#include "skua/skua.hpp"

namespace {

using namespace skua;

struct options {
  std::int64_t n = 36;
  std::int64_t rounds = 5;
  std::int64_t pools = 10'000;
  std::string alone = SKUA_BENCH_FIB_ALONE;
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
      "fib(" + std::to_string(o.n) + "), " +
      (workers == 0 ? "serial, no pool" : std::to_string(workers) + (workers == 1 ? " worker" : " workers"));
  if (workers == 2) {
    say.row(name + ": peak resident", "MiB", bench::spread_of(peak), bench::at_most(6));
  } else {
    say.row(name + ": peak resident", "MiB", bench::spread_of(peak));
  }
  say.row(name + ": of it not from files", "MiB", bench::spread_of(own));
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
  come_and_go(std::min<std::int64_t>(o.pools, 100), us);  // lets the allocator reach its size
  us.clear();
  long const before = bench::resident_kib();
  std::size_t const mappings = lines_of("/proc/self/maps");
  std::size_t const files = open_files();
  us.reserve(static_cast<std::size_t>(o.pools));
  come_and_go(o.pools, us);
  long const books = static_cast<long>(us.size() * sizeof(double) / 1024);  // our own list of times
  auto const once = [](double value) { return bench::spread_of({value}); };
  std::string const name = std::to_string(o.pools) + " pools made and destroyed: ";
  say.row(name + "growth", "KiB", once(static_cast<double>(bench::resident_kib() - before - books)),
          bench::at_most(1024));
  say.row(name + "mappings left", "",
          once(static_cast<double>(lines_of("/proc/self/maps")) - static_cast<double>(mappings)));
  say.row(name + "files left open", "", once(static_cast<double>(open_files()) - static_cast<double>(files)),
          bench::at_most(0));
  say.row("a pool of 2 workers: made, used, destroyed", "us", bench::spread_of(us));
}

void run(options const& o, bench::command const& asked) {
  bench::report say(asked);
  for (int const workers : {0, 1, 2}) resident(say, o, workers);
  many_pools(say, o);
  say.write();
}

}  // namespace

int main(int argc, char** argv) {
  options o;
  bench::command asked("memory_bench", "resident memory of fib, and of pools that come and go");
  asked.number("--n", o.n, 2, 50, "which Fibonacci number");
  asked.number("--rounds", o.rounds, 1, 1000, "runs of fib per number of workers");
  asked.number("--pools", o.pools, 1, 1'000'000, "how many pools come and go");
  asked.text("--alone", o.alone, "the program fib_alone");
  return asked.run(argc, argv, [&] { run(o, asked); });
}
