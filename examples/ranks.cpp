// SPDX-License-Identifier: MIT
// Integrates an uneven function on many ranks, repeatedly: each iteration starts with the tasks on the ranks that ran
// them last.
#include <skua/mpi.hpp>

#include <cmath>
#include <cstdio>

struct interval {
  double from;
  double to;
};

double area_of(interval const& part) {
  long const steps = part.from < 0.1 ? 100'000 : 5'000;  // near zero the function needs more steps
  double const width = (part.to - part.from) / static_cast<double>(steps);
  double sum = 0;
  for (long n = 0; n < steps; ++n) sum += std::sqrt(part.from + (static_cast<double>(n) + 0.5) * width) * width;
  return sum;
}

int main(int argc, char** argv) {
  skua::mpi::session session(argc, argv);
  skua::communicator& world = session.world();
  double own = 0;
  skua::task_collection<interval> parts(world, {.name = "areas"},
                                        [&own](interval const& part) { own += area_of(part); });
  if (world.rank() == 0) {
    for (int n = 0; n < 400; ++n) parts.add({n / 400.0, (n + 1) / 400.0});
  }
  double area = 0;
  for (int iteration = 0; iteration < 4; ++iteration) {
    own = 0;
    parts.process();
    area = world.sum(own);
    skua::collection_report const report = parts.report();
    if (world.rank() == 0) std::printf("%.9f: %s\n", area, in_words(report).c_str());
    parts.restore();
  }
  return std::abs(area - 2.0 / 3) < 1e-6 ? 0 : 1;
}
