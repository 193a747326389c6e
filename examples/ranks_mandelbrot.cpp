// SPDX-License-Identifier: MIT
// The Mandelbrot set on many ranks. A task is a row of the picture; rows through the set take a hundred times as long as others. The
// picture is wanted on rank 0, and no rank holds it before.
#include <skua/distributed_matrix.hpp>
#include <skua/mpi.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr std::uint32_t width = 320;
constexpr std::uint32_t height = 240;
constexpr std::int32_t most_steps = 1000;

std::int32_t steps_at(std::uint32_t x, std::uint32_t y) {
  std::complex<double> const c(-2.2 + 3.2 * x / width, (y - height / 2.0) * 2.4 / height);
  std::complex<double> z = 0;
  std::int32_t n = 0;
  for (; n < most_steps && std::norm(z) < 4; ++n) z = z * z + c;
  return n;
}

/// Rows above and below the real axis are mirror images, and the area of the set is 1.5066.
bool is_right(std::vector<std::int32_t> const& picture) {
  auto const row = [&](std::uint32_t y) { return picture.begin() + y * width; };
  for (std::uint32_t y = 1; y < height; ++y) {
    if (!std::equal(row(y), row(y) + width, row(height - y))) return false;
  }
  double const pixel = 3.2 / width * 2.4 / height;
  return std::abs(static_cast<double>(std::ranges::count(picture, most_steps)) * pixel - 1.5066) < 0.03;
}

int main(int argc, char** argv) {
  skua::mpi::session session(argc, argv);
  skua::communicator& world = session.world();
  skua::distributed_matrix<std::int32_t> picture(world, height, width);
  skua::task_collection<std::uint32_t> rows(world, {.name = "rows"}, [&](std::uint32_t y) {
    std::vector<std::int32_t> row(width);
    for (std::uint32_t x = 0; x < width; ++x) row[x] = steps_at(x, y);
    picture.put({y, 0, 1, width}, row.data(), width);
  });
  if (world.rank() == 0) {
    for (std::uint32_t y = 0; y < height; ++y) rows.add(y);
  }
  rows.process();
  std::vector<std::int32_t> const whole = picture.gather();
  skua::collection_report const report = rows.report();
  bool const right = world.rank() != 0 || is_right(whole);
  if (world.rank() == 0) std::printf("%s: %s\n", right ? "right" : "wrong", in_words(report).c_str());
  return right ? 0 : 1;
}
