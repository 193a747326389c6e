// SPDX-License-Identifier: MIT
// Task collections on ranks that exist in virtual time only. simulated.md describes the model.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "skua/machine/ranks/simulated/cluster.hpp"

namespace skua { inline namespace v0 { namespace ranks {

struct simulation_options {
  std::uint64_t seed = 1;
  bool steals = true;
  /// The pause between two requests of a thief that found nothing; it doubles from the first to the longest.
  std::uint64_t first_pause_ns = 500;
  std::uint64_t longest_pause_ns = 200'000;
  /// On a polling cluster a thief that has waited this long for a reply asks another victim, too; 0: it waits.
  std::uint64_t patience_ns = 1'000'000;
  /// Also sends the requests that the simulator knows to fail (simulated.md). Always true for a polling cluster.
  bool every_attempt = false;
  /// Thieves wait on lifelines (policy/lifelines.md). All their requests are sent.
  bool lifelines = false;
  /// Called every few thousand events; null: never. If it throws, process() ends, and the simulation cannot be used
  /// again.
  void (*interruption_point)() = nullptr;
};

/// Mean and standard deviation over the ranks.
struct per_rank {
  double mean = 0;
  double deviation = 0;
};

/// One process(), simulated.
struct simulated_iteration {
  double seconds = 0;        ///< until the last rank left
  double ideal_seconds = 0;  ///< all durations, divided by the ranks
  double last_task_s = 0;    ///< the end of the last task
  double efficiency = 0;     ///< ideal over seconds
  per_rank attempted;
  per_rank successful;
  per_rank tasks;
  std::uint64_t moved = 0;     ///< tasks
  std::uint64_t messages = 0;  ///< of any kind
  std::uint64_t events = 0;
  std::uint32_t rounds = 0;  ///< of termination
  std::vector<float> busy;   ///< share of the ranks that ran tasks, in 100 equal parts of the time
};

class simulated_ranks {
 public:
  /// `durations_ns`: of each task, by number; they outlive the simulation. Throws std::bad_alloc.
  simulated_ranks(cluster const& where, std::uint32_t ranks, std::span<std::uint64_t const> durations_ns,
                  simulation_options const& options);
  ~simulated_ranks();

  /// Adds a task to a rank's queue. The first that is added to a rank runs first.
  void seed(std::uint32_t rank, std::uint32_t task);

  /// Runs all tasks. Afterwards `executed` says which rank ran which task, and the queues are empty.
  [[nodiscard]] simulated_iteration process();

  /// The tasks of the last process(), by rank, in order of execution.
  [[nodiscard]] std::vector<std::vector<std::uint32_t>> const& executed() const noexcept;
  void stealing(bool on) noexcept;

 private:
  class world;
  std::unique_ptr<world> world_;
};

}}}  // namespace skua::v0::ranks
