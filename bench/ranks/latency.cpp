// SPDX-License-Identifier: MIT
// What a task costs on its own rank, and how long a steal takes from another one, beside a message of MPI and its answer.
//
//   mpirun -n 2 latency_bench [ROUNDS]
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "apps/timing.hpp"
#include "skua/mpi.hpp"

namespace {

struct task {
  std::uint64_t number;
};

void print(char const* what, std::vector<double> all, char const* unit) {
  std::ranges::sort(all);
  auto const at = [&](double share) { return skua::apps::quantile(all, share); };
  std::printf("%-40s %8.2f %s (quartiles %.2f to %.2f)\n", what, at(0.5), unit, at(0.25), at(0.75));
}

/// Nanoseconds per empty task: added, run, and restored by each rank.
std::vector<double> local_tasks(skua::communicator& world, int rounds) {
  constexpr std::uint64_t count = 200'000;
  std::uint64_t sum = 0;
  skua::task_collection<task> all(world, {.name = "empty", .steals = false},
                                  [&sum](task const& t) { sum += t.number; });
  for (std::uint64_t n = 1; n <= count; ++n) all.add({n});
  std::vector<double> found;
  for (int round = 0; round < rounds; ++round) {
    sum = 0;
    double const began = MPI_Wtime();
    all.process();
    all.restore();
    found.push_back((MPI_Wtime() - began) * 1e9 / count);
    if (sum != count * (count + 1) / 2) MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return found;
}

/// Microseconds from the call of process() on rank 1, which has no task, to its first task. Rank 0 answers at once.
std::vector<double> steals(skua::communicator& world, int rounds) {
  double began = 0;
  std::vector<double> found;
  skua::task_collection<task> all(world, {.name = "steals"}, [&](auto& here, task const& t) {
    if (world.rank() == 1) {
      if (began > 0) found.push_back((MPI_Wtime() - began) * 1e6);
      began = 0;
    } else if (t.number == 3) {  // the newest: the others wait, and one of them is shared
      for (double const until = MPI_Wtime() + 1e-3; MPI_Wtime() < until;) here.progress();
    }
  });
  for (int round = 0; round < rounds; ++round) {
    if (world.rank() == 0) {
      for (std::uint64_t n = 0; n <= 3; ++n) all.add({n});
    } else {
      for (double const until = MPI_Wtime() + 2e-4; MPI_Wtime() < until;) {}  // rank 0 runs its task
    }
    began = MPI_Wtime();
    all.process();
    began = 0;
    world.barrier();
  }
  double count = static_cast<double>(found.size());
  found.resize(static_cast<std::size_t>(rounds));
  MPI_Bcast(&count, 1, MPI_DOUBLE, 1, MPI_COMM_WORLD);
  MPI_Bcast(found.data(), rounds, MPI_DOUBLE, 1, MPI_COMM_WORLD);
  found.resize(static_cast<std::size_t>(count));
  return found;
}

/// Microseconds for 64 bytes there and back by MPI.
std::vector<double> echoes(int rank, int rounds) {
  std::array<char, 64> body{};
  std::vector<double> found;
  for (int round = 0; round < rounds; ++round) {
    double const began = MPI_Wtime();
    if (rank == 0) {
      MPI_Send(body.data(), 64, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
      MPI_Recv(body.data(), 64, MPI_CHAR, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(body.data(), 64, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(body.data(), 64, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
    }
    found.push_back((MPI_Wtime() - began) * 1e6);
  }
  return found;
}

}  // namespace

int main(int argc, char** argv) {
  skua::mpi::session session(argc, argv);
  skua::communicator& world = session.world();
  int const rounds = argc > 1 ? std::atoi(argv[1]) : 400;
  if (world.size() != 2 || rounds < 1) {
    if (world.rank() == 0) std::fputs("latency_bench [ROUNDS >= 1], on 2 ranks\n", stderr);
    return 2;
  }
  auto const local = local_tasks(world, std::max(rounds / 10, 5));
  auto const stolen = steals(world, rounds);
  auto const echo = echoes(static_cast<int>(world.rank()), rounds);
  if (world.rank() == 0) {
    print("an empty task on its rank", local, "ns");
    if (!stolen.empty()) print("a steal: process() to the first task", stolen, "us");
    std::printf("%zu of %d rounds had a steal\n", stolen.size(), rounds);
    print("64 bytes there and back by MPI", echo, "us");
  }
  return 0;
}
