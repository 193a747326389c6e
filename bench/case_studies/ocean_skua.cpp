// SPDX-License-Identifier: MIT
// The same basin on Skua. What changed: the loop over rows became a division in halves, and each half says how much water
// it has. Under `adws` each worker then comes back to its own rows in every step, and has as much to do as the others.
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "bench/case_studies/ocean.hpp"
#include "bench/case_studies/study.hpp"
#include "skua/skua.hpp"

namespace {

using skua::bench::ocean::basin;

constexpr std::size_t rows_per_leaf = 16;

/// Rows [first, end). before[i] is the water in all rows before row i.
void relax(auto& here, basin& b, std::vector<double> const& before, std::size_t first, std::size_t end) {
  if (end - first <= rows_per_leaf) {
    for (std::size_t i = first; i < end; ++i) skua::bench::ocean::relax_row(b, i);
    return;
  }
  std::size_t const middle = first + (end - first) / 2;
  here.join(
      skua::work{before[middle] - before[first]}, [&](auto& h) { relax(h, b, before, first, middle); },
      skua::work{before[end] - before[middle]}, [&](auto& h) { relax(h, b, before, middle, end); });
}

}  // namespace

int main(int argc, char** argv) {
  using namespace skua::bench;
  study::arguments const given(argc, argv);  // N STEPS WORKERS POLICY
  ocean::basin b = ocean::make_basin(given.number(1, 1200));
  auto const steps = given.number(2, 1000);
  std::vector<double> before(b.rows + 1, 0);
  for (std::size_t i = 0; i < b.rows; ++i) before[i + 1] = before[i] + ocean::cells(b, i);
  skua::pool pool({.workers = static_cast<std::uint32_t>(given.number(3, 2)), .policy = given.text(4, "adws")});
  study::stopwatch const watch;
  pool.run([&](auto& here) {
    for (std::size_t t = 0; t < steps; ++t) {
      skua::mark(here, "iteration", t);
      relax(here, b, before, 1, b.rows - 1);
      std::swap(b.level, b.next);
    }
  });
  return study::tell(watch, ocean::checksum(b));
}
