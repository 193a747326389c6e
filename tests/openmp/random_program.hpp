// SPDX-License-Identifier: MIT
// Random programs of OpenMP: regions inside of tasks inside of loops inside of regions, with cancellation, locks and members that spin for each other, and
// what such a program counts.
#pragma once

#include <omp.h>

#include <atomic>
#include <cstdint>
#include <random>
#include <vector>

namespace omp_random {

/// What one thread runs, or, of the second kind, what all members of a team run.
struct node {
  enum kind : std::uint8_t {
    leaf,
    sequence,
    task,
    included,
    undeferred,
    group,
    wait,
    chain,
    taskloop,
    cancelled_group,
    locked,
    region,  // one thread
    loop,
    each,
    single,
    sections,
    critical,
    barrier,
    cancelled_loop,
    cancelled_sections,
    cancelled_region,
    spinning_region  // a team
  };
  kind what = leaf;
  int number = 1;  ///< of members, iterations, or tasks
  int schedule = 0;
  std::vector<node> parts{};
};

constexpr int most_levels = 3;

class generator {
 public:
  explicit generator(std::uint32_t seed) : dice_(seed) {}
  /// What one thread runs, at this level of regions.
  node for_one(int budget, int level);
  /// A region.
  node for_team(int budget, int level);

 private:
  node team_part(int budget, int level);
  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(dice_); }
  std::vector<node> several(int budget, int level);
  std::mt19937 dice_;
};

/// What a run of a program, with its regions, leaves.
struct counted {
  counted() { omp_init_lock(&lock); }
  ~counted() { omp_destroy_lock(&lock); }
  counted(counted const&) = delete;
  counted& operator=(counted const&) = delete;

  std::atomic<std::uint64_t> leaves{0};
  std::uint64_t in_critical = 0;
  std::uint64_t in_lock = 0;
  omp_lock_t lock;
  std::atomic<int> wrong{0};  ///< conditions that did not hold
  /// Other threads fork meanwhile: a child would find a critical section, which is the process's, held for ever by a thread that it does not have. Then
  /// the program's own lock stands for it.
  bool forks_beside = false;
  [[nodiscard]] std::uint64_t all() const { return leaves + in_critical + in_lock; }
};

/// What counted::all must be after a run.
std::uint64_t expected(node const& n);
/// Runs a region.
void run_team(node const& n, counted& c);
/// True if the process has this library, not libgomp.
bool is_on_skua();
/// The program of a seed: a region that counts no more than 200,000.
node program_of(std::uint32_t seed);

}  // namespace omp_random
