// SPDX-License-Identifier: MIT
// The same solver on Skua. What changed: each loop with a sum became a `reduce` over indices, each other one a `for_each`;
// all of them run inside one `pool.run`. Idle workers take what is left of the long rows, so there is no schedule to choose.
#include <cstddef>
#include <functional>
#include <ranges>

#include "bench/case_studies/solver.hpp"
#include "bench/case_studies/study.hpp"
#include "skua/skua.hpp"

int main(int argc, char** argv) {
  using namespace skua::bench;
  study::arguments const given(argc, argv);  // N STEPS WORKERS POLICY
  solver::matrix const a = solver::make_network(given.number(1, 60'000), 8);
  auto const steps = given.number(2, 200);
  skua::pool pool({.workers = static_cast<std::uint32_t>(given.number(3, 2)), .policy = given.text(4, "random")});
  solver::state s(a.n);
  auto& [x, r, p, q] = s;
  study::stopwatch const watch;
  pool.run([&](auto& here) {
    auto const all = std::views::iota(std::size_t{0}, a.n);
    auto const sum = [&](auto&& term) { return skua::reduce(here, all, 0.0, std::plus<>{}, term); };
    double rho = sum([&](std::size_t i) { return r[i] * r[i]; });
    for (std::size_t t = 0; t < steps; ++t) {
      skua::mark(here, "iteration", t);
      double const pq = sum([&](std::size_t i) {
        q[i] = solver::row_times(a, i, p);
        return p[i] * q[i];
      });
      double const alpha = rho / pq;
      double const next = sum([&](std::size_t i) {
        x[i] += alpha * p[i];
        r[i] -= alpha * q[i];
        return r[i] * r[i];
      });
      double const beta = next / rho;
      rho = next;
      skua::for_each(here, all, [&](std::size_t i) { p[i] = r[i] + beta * p[i]; });
    }
  });
  double total = 0;
  for (double const v : x) total += v;
  return study::tell(watch, total);
}
