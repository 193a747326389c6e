// SPDX-License-Identifier: MIT
// Ranks of several workers each, in four iterations. If a rank dies, the others run its tasks again. Each worker keeps a partial
// result, and the program sums them after process().
#include <skua/mpi.hpp>
#include <skua/rank_pool.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <vector>

struct interval {
  double from;
  double to;
};

double area_of(interval const& part) {
  constexpr long steps = 5'000;
  double const width = (part.to - part.from) / steps;
  double sum = 0;
  for (long n = 0; n < steps; ++n) sum += std::sqrt(part.from + (static_cast<double>(n) + 0.5) * width) * width;
  return sum;
}

int main(int argc, char** argv) {
  skua::mpi::session session(argc, argv, {.deadline_s = 10});
  skua::communicator& world = session.world();
  skua::pool pool(world.processors());
  skua::rank_pool const workers(world, pool);
  std::vector<double> own(world.workers());
  skua::task_collection<interval> parts(
      world, {.name = "areas", .on_loss = skua::lost_tasks::run_again},
      [&own](auto& here, interval const& part) { own[here.worker()] += area_of(part); });
  if (world.rank() == 0) {
    for (int n = 0; n < 400; ++n) parts.add({n / 400.0, (n + 1) / 400.0});
  }
  double area = 0;
  for (int iteration = 0; iteration < 4;) {
    try {
      std::ranges::fill(own, 0.0);
      parts.process();
      area = world.sum(std::accumulate(own.begin(), own.end(), 0.0));
      parts.restore();
      ++iteration;
    } catch (skua::rank_lost const& lost) {
      if (!lost.can_go_on()) throw;
      parts.recover();
    }
  }
  if (world.rank() == 0) std::printf("%.6f on %u ranks that live\n", area, world.live());
  return std::abs(area - 2.0 / 3) < 1e-5 ? 0 : 1;
}
