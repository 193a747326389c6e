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

struct question : option_table {
  number_option<std::int64_t> rounds{*this, "--rounds", 7, between(1, 1000), "measurements per row"};
  number_option<std::size_t> n{*this, "--n", 4096, between(1, 65536), "rows of the matrix"};
  number_option<std::size_t> tile{*this, "--tile", 256, between(1, 4096), "rows of a tile"};
};

void measure(report& say, question const& q, std::uint32_t workers) {
  apps::cholesky::problem p({.n = q.n, .tile = q.tile});
  std::map<std::string, std::vector<double>> seconds;
  std::vector<entrant> const all = entrants();
  in_turn(q.rounds + 1, all.size(), [&](std::int64_t round, std::size_t i) {
    entrant const& e = all[i];
    p.reset();
    double const took = e.run(p, workers);
    if (round > 0) return seconds[e.name].push_back(took);
    verify(p.wrong().empty(), std::string(e.name) + ": " + p.wrong());  // it warms up
  });
  std::string const where =
      "n " + std::to_string(q.n) + ", tile " + std::to_string(q.tile) + ", " + workers_in_words(workers) + ", ";
  for (entrant const& e : all) say.row(where + e.name, "s", seconds[e.name]);
  entrant const* best = nullptr;
  for (entrant const& e : all) {
    if (e.is_peer && (best == nullptr || median(seconds[e.name]) < median(seconds[best->name]))) best = &e;
  }
  for (entrant const& ours : all) {
    if (ours.is_peer) continue;
    say.row(where + ours.name + ", x " + best->name, "", ratios(seconds[ours.name], seconds[best->name]), at_most(1));
  }
}

}  // namespace
}  // namespace skua::bench::choleskies

int main(int argc, char** argv) {
  using namespace skua::bench;
  choleskies::question const q;
  return run("cholesky_bench", "Cholesky factorisation in tiles as a task graph: seconds", q, argc, argv,
             [&](report& say) {
               if (choleskies::starpu() == nullptr) say.note("this build is without StarPU (libstarpu-dev)");
               for (std::uint32_t const workers : {1U, 2U}) choleskies::measure(say, q, workers);
             });
}
