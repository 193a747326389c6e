// SPDX-License-Identifier: MIT
// A user's program on ranks, which also calls MPI itself.
#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <skua/mpi.hpp>

int main(int argc, char** argv) {
  try {
    skua::mpi::session session(argc, argv);
    skua::communicator& world = session.world();
    std::uint64_t own = 0;
    skua::task_collection<int> numbers(world, {.name = "numbers"}, [&own](int n) { own += std::uint64_t(n); });
    if (world.rank() == 0) {
      for (int n = 1; n <= 100; ++n) numbers.add(n);
    }
    numbers.process();
    std::uint64_t const sum = world.sum(own);
    int ranks = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (world.rank() == 0)
      std::printf("sum %d on %d ranks of %s\n", int(sum), ranks, skua::mpi::library_version().c_str());
    return sum == 5050 && world.size() == unsigned(ranks) ? 0 : 1;
  } catch (std::exception const& fault) {
    std::fprintf(stderr, "refused: %s\n", fault.what());
    return 2;
  }
}
