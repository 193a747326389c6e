// SPDX-License-Identifier: MIT
// The rows of a picture as one task for each rank, which splits as it runs: rows take very different times, and many have nothing to add.
#include <skua/mpi.hpp>

#include <complex>
#include <cstdint>
#include <cstdio>

constexpr std::uint64_t num_rows = 1200;
constexpr int width = 400;

/// The points of a row that belong to the Mandelbrot set, as far as 200 steps tell.
double row_sum(std::uint64_t row) {
  double inside = 0;
  double const y = -3 + 6 * (static_cast<double>(row) + 0.5) / num_rows;
  for (int column = 0; column < width; ++column) {
    std::complex<double> const c(-2.2 + 3.2 * column / width, y);
    std::complex<double> z;
    int steps = 0;
    while (steps < 200 && std::norm(z) < 4) {
      z = z * z + c;
      ++steps;
    }
    inside += steps == 200 ? 1 : 0;
  }
  return inside;
}

int main(int argc, char** argv) {
  skua::mpi::session session(argc, argv);
  skua::communicator& world = session.world();
  double own = 0;
  skua::task_collection<skua::index_range> rows(world, {.name = "rows"}, [&](skua::index_range const& r) {
    double sum = 0;
    for (std::uint64_t i = r.first; i < r.last; ++i) sum += row_sum(i);
    if (sum == 0) return skua::task_outcome::null;
    own += sum;
    return skua::task_outcome::done;
  });
  skua::index_range const mine = skua::index_range{0, num_rows, 8}.part(world.rank(), world.size());
  rows.add_range(mine.first, mine.last, mine.grain);
  double first = 0;
  double points = 0;
  for (int iteration = 0; iteration < 3; ++iteration) {
    own = 0;
    rows.process();
    points = world.sum(own);
    if (iteration == 0) first = points;
    skua::ranks_report const each = rows.report_by_rank();
    if (world.rank() == 0) std::printf("%.0f points\n%s", points, in_words(each).c_str());
    rows.restore();
  }
  return points > 0 && points == first ? 0 : 1;
}
