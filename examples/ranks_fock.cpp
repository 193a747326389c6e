// SPDX-License-Identifier: MIT
// A Fock build over quadruples of tiles: F(i,j) += g(ijkl) D(k,l), and F(i,k) -= g(ijkl) D(j,l) / 2. Both matrices lie on all ranks.
// Quadruples of small integrals are left out, and the others say how many integrals they have, so the first build is balanced, too.
#include <skua/distributed_matrix.hpp>
#include <skua/mpi.hpp>
#include <skua/rank_pool.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

using number = std::uint64_t;
constexpr number functions = 48;
constexpr number tile = 8;
constexpr number tiles = functions / tile;
constexpr double threshold = 1e-2;

struct quadruple {
  number i, j, k, l;  // tiles
};

double distance(number i, number j) { return static_cast<double>(std::max(i, j) - std::min(i, j)); }
double overlap(number i, number j) { return std::exp(-0.15 * distance(i, j)); }
double density_at(number i, number j) { return 1 / static_cast<double>(1 + i + j); }

/// Calls f(i, j, k, l, integral) for those of a quadruple that are not too small, with functions counted in their tiles.
void each_integral(quadruple const& q, auto f) {
  for (number n = 0; n < tile * tile * tile * tile; ++n) {
    number const i = n / (tile * tile * tile), j = n / (tile * tile) % tile, k = n / tile % tile, l = n % tile;
    double const g = overlap(q.i * tile + i, q.j * tile + j) * overlap(q.k * tile + k, q.l * tile + l);
    if (g >= threshold) f(i, j, k, l, g * std::erf(1 / (1 + distance(q.i * tile + i, q.k * tile + k))));
  }
}

std::vector<quadruple> all_quadruples() {
  std::vector<quadruple> all;
  for (number i = 0; i < tiles; ++i)
    for (number j = 0; j < tiles; ++j)
      for (number k = 0; k < tiles; ++k)
        for (number l = 0; l < tiles; ++l) all.push_back({i, j, k, l});
  return all;
}

/// The sum of F(i,j) D(i,j).
double energy_on_one_rank() {
  double sum = 0;
  for (quadruple const& q : all_quadruples()) {
    each_integral(q, [&](number i, number j, number k, number l, double g) {
      i += q.i * tile, j += q.j * tile, k += q.k * tile, l += q.l * tile;
      sum += g * (density_at(k, l) * density_at(i, j) - density_at(j, l) * density_at(i, k) / 2);
    });
  }
  return sum;
}

int main(int argc, char** argv) {
  skua::mpi::session session(argc, argv);
  skua::communicator& world = session.world();
  skua::pool pool(world.processors());
  skua::rank_pool const workers(world, pool);

  auto const dealt = skua::matrix_distribution::tiles(tile, tile);
  skua::distributed_matrix<double> density(world, functions, functions, dealt, {.name = "density"});
  skua::distributed_matrix<double> fock(world, functions, functions, dealt, {.name = "Fock"});
  skua::matrix_cache<double> known(density);
  skua::matrix_accumulator<double> sums(fock);
  auto const block = [](std::uint64_t row, std::uint64_t column) {
    return skua::rectangle{row * tile, column * tile, tile, tile};
  };

  skua::task_collection<quadruple> build(world, {.name = "build"}, [&](quadruple const& q) {
    auto const coulomb = known.get(block(q.k, q.l)), exchange = known.get(block(q.j, q.l));
    std::vector<double> ij(tile * tile), ik(tile * tile);
    each_integral(q, [&](number i, number j, number k, number l, double g) {
      ij[i * tile + j] += g * (*coulomb)[k * tile + l];
      ik[i * tile + k] -= g * (*exchange)[j * tile + l] / 2;
    });
    sums.accumulate(block(q.i, q.j), ij.data(), tile);
    sums.accumulate(block(q.i, q.k), ik.data(), tile);
  });

  for (auto const& part : density.local_parts()) {
    for (number i = 0; i < tile; ++i)
      for (number j = 0; j < tile; ++j) part(i, j) = density_at(part.where.row + i, part.where.column + j);
  }
  if (world.rank() == 0) {
    for (quadruple const& q : all_quadruples()) {
      int integrals = 0;
      each_integral(q, [&](number, number, number, number, double) { ++integrals; });
      if (integrals > 0) build.add(q, integrals);
    }
  }
  density.sync();
  build.rebalance("hierarchical");
  double energy = 0;
  for (int iteration = 0; iteration < 3; ++iteration) {
    fock.fill(0);
    build.process();
    sums.flush();
    energy = fock.dot(density);
    skua::collection_report const report = build.report();
    if (world.rank() == 0) std::printf("energy %.9f: %s\n", energy, in_words(report).c_str());
    build.restore("auto");
  }
  return std::abs(energy - energy_on_one_rank()) < 1e-9 * energy ? 0 : 1;
}
