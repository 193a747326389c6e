// SPDX-License-Identifier: MIT
// Fock builds on many ranks: a density and a Fock matrix lie on all of them; a task gets the blocks of the density that it
// needs, and accumulates to the Fock matrix. The next iteration begins with the placement of tasks that the last one ended with.
#include <skua/distributed_matrix.hpp>
#include <skua/mpi.hpp>
#include <skua/rank_pool.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

struct tile_pair {
  std::uint32_t i;
  std::uint32_t k;
};

constexpr std::uint64_t functions = 96;
constexpr std::uint64_t tile = 8;

/// Stands for the integrals: decays with the distance of the basis functions.
double integral(std::uint64_t i, std::uint64_t k) {
  double const distance = static_cast<double>(i) - static_cast<double>(k);
  return std::exp(-0.05 * distance * distance);
}

int main(int argc, char** argv) {
  skua::mpi::session session(argc, argv);
  skua::communicator& world = session.world();
  skua::pool pool(world.processors());
  skua::rank_pool const workers(world, pool);

  using matrix = skua::distributed_matrix<double>;
  auto const grid = skua::matrix_distribution::grid();
  matrix density(world, functions, functions, grid, {.name = "density"});
  matrix fock(world, functions, functions, grid, {.name = "Fock"});

  skua::task_collection<tile_pair> build(world, {.name = "build"}, [&](tile_pair const& t) {
    skua::rectangle const here{t.i * tile, t.k * tile, tile, tile};
    skua::rectangle const mirrored{t.k * tile, t.i * tile, tile, tile};
    std::vector<double> block(here.size());
    skua::matrix_transfer arrives = density.start_get(here, block.data(), tile);
    std::vector<double> const exchange = density.get(mirrored);
    arrives.wait();
    for (std::uint64_t a = 0; a < tile; ++a) {
      for (std::uint64_t b = 0; b < tile; ++b) {
        double& f = block[a * tile + b];
        f = integral(here.row + a, here.column + b) * (f - exchange[b * tile + a] / 2);
      }
    }
    fock.accumulate(here, block.data(), tile);
  });

  for (auto const& part : density.local_parts()) {
    for (std::uint64_t i = 0; i < part.where.rows; ++i) {
      for (std::uint64_t j = 0; j < part.where.columns; ++j)
        part(i, j) = part.where.row + i == part.where.column + j ? 1 : 0.1;
    }
  }
  density.sync();
  if (world.rank() == 0) {
    for (std::uint32_t i = 0; i < functions / tile; ++i) {
      for (std::uint32_t k = 0; k < functions / tile; ++k) build.add({i, k});
    }
  }
  double energy = 0;
  for (int iteration = 0; iteration < 4; ++iteration) {
    fock.fill(0);
    build.process();
    fock.sync();
    fock.symmetrise();
    energy = density.dot(fock);
    density.add(0.9, density, 0.1, fock);
    if (world.rank() == 0) std::printf("iteration %d: energy %.6f\n", iteration, energy);
    build.restore();
  }
  std::string const path = argc > 1 ? argv[1] : "density.matrix";
  density.write(path);
  matrix again(world, functions, functions, skua::matrix_distribution::by_rows(), {.name = "again"});
  again.read(path);
  return std::abs(again.trace() - density.trace()) < 1e-9 && energy > 0 ? 0 : 1;
}
