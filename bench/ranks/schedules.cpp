// SPDX-License-Identifier: MIT
// Uneven loops over MPI ranks, as they are written today and as a task collection:
//
//   static      each rank an equal share, then MPI_Reduce
//   counter     MPI_Fetch_and_op on a number of rank 0 hands out tasks, one by one or in chunks of 8
//   collection  seeded as static; its first iteration, and the fifth, which starts where the fourth ended
//
//   mpirun -n RANKS schedules_bench [ROUNDS [TOTAL_MS]]
//
// Every run verifies the sum of its tasks' results. The schedules take turns; the table has medians of the rounds' ratios and quartiles.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "apps/timing.hpp"
#include "skua/mpi.hpp"
#include "skua/parts/base/dice.hpp"

namespace {

using skua::runtime::dice;

struct task {
  std::uint32_t number;
  std::uint32_t steps;
};

/// The work of a task: its result says that it was done.
std::uint64_t work(task const& t) {
  std::uint64_t x = t.number + 1;
  for (std::uint32_t s = 0; s < t.steps; ++s) x = x * 6364136223846793005U + (x >> 31);
  return x;
}

double steps_per_us() {
  constexpr std::uint32_t steps = 20'000'000;
  double const began = MPI_Wtime();
  std::uint64_t volatile kept = work({1, steps});
  static_cast<void>(kept);
  return steps / ((MPI_Wtime() - began) * 1e6);
}

constexpr std::array<char const*, 5> shapes{"even", "10% noise", "ramp", "heavy block", "lognormal"};

/// How much of the mean each task takes.
std::vector<double> shares(std::size_t shape, std::size_t tasks) {
  dice d(7);
  std::vector<double> all(tasks);
  for (std::size_t t = 0; t < tasks; ++t) {
    double const place = (static_cast<double>(t) + 0.5) / static_cast<double>(tasks);
    switch (shape) {
      case 0: all[t] = 1; break;
      case 1: all[t] = 0.9 + 0.2 * d.unit(); break;
      case 2: all[t] = 2 * place; break;
      case 3: all[t] = place < 0.125 ? 8 : 1; break;
      default: all[t] = std::exp(std::sqrt(-2 * std::log(1 - d.unit())) * std::cos(2 * M_PI * d.unit()));
    }
  }
  double sum = 0;
  for (double const s : all) sum += s;
  for (double& s : all) s *= static_cast<double>(tasks) / sum;
  return all;
}

class schedules {
 public:
  schedules(skua::communicator& world, std::vector<task> const& tasks) : world_(world), tasks_(tasks) {
    for (task const& t : tasks) wanted_ += work(t);
    MPI_Win_allocate(world.rank() == 0 ? sizeof(std::int64_t) : 0, sizeof(std::int64_t), MPI_INFO_NULL, MPI_COMM_WORLD,
                     &next_, &window_);
    MPI_Win_lock_all(0, window_);
  }
  ~schedules() {
    MPI_Win_unlock_all(window_);
    MPI_Win_free(&window_);
  }
  schedules(schedules const&) = delete;
  schedules& operator=(schedules const&) = delete;

  double serial() {
    return timed([&] { return world_.rank() == 0 ? sum_of(0, tasks_.size()) : 0; });
  }
  double equal_shares() {
    return timed([&] { return sum_of(first_of(world_.rank()), first_of(world_.rank() + 1)); });
  }
  double counter(std::int64_t chunk) {
    if (world_.rank() == 0) *next_ = 0;
    MPI_Win_sync(window_);
    return timed([&] {
      std::uint64_t sum = 0;
      for (auto const count = static_cast<std::int64_t>(tasks_.size());;) {
        std::int64_t from = 0;
        MPI_Fetch_and_op(&chunk, &from, MPI_INT64_T, 0, 0, MPI_SUM, window_);
        MPI_Win_flush(0, window_);
        if (from >= count) return sum;
        sum += sum_of(static_cast<std::size_t>(from), static_cast<std::size_t>(std::min(from + chunk, count)));
      }
    });
  }
  struct iterations {
    double first = 0;
    double last = 0;
  };
  iterations collection() {
    std::uint64_t sum = 0;
    skua::task_collection<task> all(world_, {.name = "schedules"}, [&sum](task const& t) { sum += work(t); });
    for (std::size_t t = first_of(world_.rank() + 1); t-- > first_of(world_.rank());) all.add(tasks_[t]);
    auto const iteration = [&] {
      sum = 0;
      all.process();
      return sum;
    };
    iterations found;
    found.first = timed(iteration);
    for (int i = 0; i < 3; ++i) {
      all.restore();
      all.process();
    }
    found.last = timed([&] {
      all.restore();
      return iteration();
    });
    return found;
  }

 private:
  [[nodiscard]] std::size_t first_of(std::uint32_t rank) const { return tasks_.size() * rank / world_.size(); }
  [[nodiscard]] std::uint64_t sum_of(std::size_t from, std::size_t to) const {
    std::uint64_t sum = 0;
    for (; from < to; ++from) sum += work(tasks_[from]);
    return sum;
  }
  /// Seconds until rank 0 has the sum of all tasks; ends the job if it is wrong.
  double timed(std::function<std::uint64_t()> const& run) {
    MPI_Barrier(MPI_COMM_WORLD);
    double const began = MPI_Wtime();
    std::uint64_t own = run();
    std::uint64_t sum = 0;
    MPI_Reduce(&own, &sum, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    double const seconds = MPI_Wtime() - began;
    if (world_.rank() == 0 && sum != wanted_) {
      std::fputs("schedules_bench: a sum is wrong\n", stderr);
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return seconds;
  }

  skua::communicator& world_;
  std::vector<task> const& tasks_;
  std::uint64_t wanted_ = 0;
  std::int64_t* next_ = nullptr;
  MPI_Win window_ = MPI_WIN_NULL;
};

std::string quartiles(std::vector<double> all) {
  std::ranges::sort(all);
  auto const at = [&](double share) { return skua::apps::quantile(all, share); };
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.2f (%.2f-%.2f)", at(0.5), at(0.25), at(0.75));
  return text.data();
}

void compare(skua::communicator& world, std::size_t shape, double mean_us, double per_us, double total_ms, int rounds) {
  auto const count = static_cast<std::size_t>(total_ms * 1000 / mean_us);
  std::vector<task> tasks;
  for (double const s : shares(shape, count)) {
    tasks.push_back({static_cast<std::uint32_t>(tasks.size()), static_cast<std::uint32_t>(s * mean_us * per_us)});
  }
  schedules by(world, tasks);
  std::array<std::vector<double>, 6> ratios;
  for (int round = 0; round <= rounds; ++round) {
    double const serial = by.serial();
    double const shared = by.equal_shares();
    double const one = by.counter(1);
    double const eight = by.counter(8);
    schedules::iterations const ours = by.collection();
    if (round == 0) continue;  // warm-up
    std::array<double, 6> const now{serial / ours.last,
                                    serial / ours.first,
                                    shared / ours.first,
                                    shared / ours.last,
                                    std::min(one, eight) / ours.first,
                                    std::min(one, eight) / ours.last};
    for (std::size_t i = 0; i < now.size(); ++i) ratios[i].push_back(now[i]);
  }
  if (world.rank() != 0) return;
  std::printf("| %s | %g |", shapes[shape], mean_us);
  for (auto const& r : ratios) std::printf(" %s |", quartiles(r).c_str());
  std::printf("\n");
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  skua::mpi::session session(argc, argv);
  skua::communicator& world = session.world();
  int const rounds = argc > 1 ? std::atoi(argv[1]) : 15;
  double const total_ms = argc > 2 ? std::atof(argv[2]) : 60;
  if (rounds < 1 || !(total_ms >= 1)) {
    if (world.rank() == 0) std::fputs("schedules_bench [ROUNDS >= 1 [TOTAL_MS >= 1]]\n", stderr);
    return 2;
  }
  double per_us = steps_per_us();
  MPI_Bcast(&per_us, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  if (world.rank() == 0) {
    std::printf("%u ranks; how many times as long as a collection: medians of %d rounds (quartiles)\n\n", world.size(),
                rounds);
    std::printf(
        "| load | us per task | serial / 5th | serial / 1st | static / 1st | static / 5th | counter / 1st | counter / "
        "5th |\n");
    std::printf("|---|--:|--:|--:|--:|--:|--:|--:|\n");
  }
  for (double const mean_us : {10.0, 100.0, 1000.0}) {
    for (std::size_t shape = 0; shape < shapes.size(); ++shape)
      compare(world, shape, mean_us, per_us, total_ms, rounds);
  }
  return 0;
}
