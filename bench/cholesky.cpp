// SPDX-License-Identifier: MIT
// Tiled Cholesky as a task graph, by Skua, OpenMP's tasks with `depend` and StarPU, on the same tiles and the same BLAS.
#include "bench/cholesky.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "bench/harness.hpp"
#include "skua/skua.hpp"

namespace skua::bench::choleskies {
namespace {

double run_under(char const* policy, apps::cholesky::problem& p, std::uint32_t workers) {
  pool all({.workers = workers, .policy = policy});
  all.run([](auto&) {});  // its workers are there
  auto const start = clock::now();
  all.run([&](auto& here) { apps::cholesky::program(here, p); });
  return seconds_since(start);
}

}  // namespace

double run_skua(apps::cholesky::problem& p, std::uint32_t workers) { return run_under("random", p, workers); }
double run_arms(apps::cholesky::problem& p, std::uint32_t workers) { return run_under("arms", p, workers); }
double run_openmp(apps::cholesky::problem& p, std::uint32_t workers) {
  auto const start = clock::now();
  apps::cholesky::with_openmp(workers, p);
  return seconds_since(start);
}

namespace {

struct entrant {
  char const* name;
  runner run;
  bool is_peer;
};
std::vector<entrant> entrants() {
  std::vector<entrant> all{
      {"skua, random", run_skua, false}, {"skua, arms", run_arms, false}, {"openmp", run_openmp, true}};
  if (starpu() != nullptr) all.push_back({"starpu", starpu(), true});
  return all;
}

void measure(report& say, std::int64_t n, std::int64_t tile, std::uint32_t workers, std::int64_t rounds) {
  apps::cholesky::problem p({.n = static_cast<std::size_t>(n), .tile = static_cast<std::size_t>(tile)});
  std::map<std::string, std::vector<double>> seconds;
  std::vector<entrant> const all = entrants();
  for (std::int64_t round = -1; round < rounds; ++round) {  // the first one warms up
    for (std::size_t i = 0; i < all.size(); ++i) {
      entrant const& e = all[(i + static_cast<std::size_t>(round + 1)) % all.size()];
      p.reset();
      double const took = e.run(p, workers);
      if (round >= 0) seconds[e.name].push_back(took);
      if (round < 0) verify(p.wrong().empty(), std::string(e.name) + ": " + p.wrong());
    }
  }
  std::string const where = "n " + std::to_string(n) + ", tile " + std::to_string(tile) + ", " +
                            std::to_string(workers) + (workers == 1 ? " worker, " : " workers, ");
  for (entrant const& e : all) say.row(where + e.name, "s", spread_of(seconds[e.name]));
  auto const median = [&](entrant const& e) { return spread_of(seconds[e.name]).median; };
  entrant const* best = nullptr;
  for (entrant const& e : all) {
    if (e.is_peer && (best == nullptr || median(e) < median(*best))) best = &e;
  }
  for (entrant const& ours : all) {
    if (ours.is_peer) continue;
    std::vector<double> ratio;
    for (std::size_t r = 0; r < static_cast<std::size_t>(rounds); ++r)
      ratio.push_back(seconds[ours.name][r] / seconds[best->name][r]);
    say.row(where + ours.name + ", x " + best->name, "", spread_of(std::move(ratio)), at_most(1));
  }
}

}  // namespace
}  // namespace skua::bench::choleskies

int main(int argc, char** argv) {
  using namespace skua::bench;
  std::int64_t rounds = 7;
  std::int64_t n = 4096;
  std::int64_t tile = 256;
  command asked("cholesky_bench", "Cholesky factorisation in tiles as a task graph: seconds");
  asked.number("--rounds", rounds, 1, 1000, "measurements per row");
  asked.number("--n", n, 1, 65536, "rows of the matrix");
  asked.number("--tile", tile, 1, 4096, "rows of a tile");
  return asked.run(argc, argv, [&] {
    report say(asked);
    if (choleskies::starpu() == nullptr) say.note("this build is without StarPU (libstarpu-dev)");
    for (std::uint32_t const workers : {1U, 2U}) choleskies::measure(say, n, tile, workers, rounds);
    say.write();
  });
}
