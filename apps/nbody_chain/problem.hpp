// SPDX-License-Identifier: MIT
// nbody-chain: bodies of unit mass on a line, in two arrays. Task A moves those of the first by the forces of the second, task B
// those of the second by the forces of the first, and so on: a graph of two nodes without parallelism but that inside of a task.
// [arms-2021 1.1, Listing 1, Figure 1]
//
// The paper flushes the caches after each iteration. With `fresh` arrays each iteration has bodies of its own instead, in memory
// that no cache has: what a flush leaves, for hardware and for the simulator.
//
// A body's force is summed up in the order of the sources, so the division of a task among workers does not change the bits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "apps/owned_array.hpp"
#include "apps/partition_counts.hpp"
#include "apps/placed_array.hpp"
#include "skua/program/flow/flow.hpp"
#include "skua/program/footprint.hpp"

namespace skua::apps::nbody_chain {

inline constexpr float softening = 1e-3F;
inline constexpr float time_step = 1e-2F;
inline constexpr double flops_per_pair = 7;  ///< the inverse root counts as two

/// Moves targets by the mean of the forces dx / sqrt(dx^2 + softening) of the sources.
void n_body(std::span<float> targets, std::span<float const> sources) noexcept;

/// The two tasks have different numbers, because their models differ where their data are in different places.
inline constexpr std::array<task_type, 2> types{{{.number = 1, .moldable = 1}, {.number = 2, .moldable = 1}}};

struct shape {
  std::size_t n = 1;  ///< bodies in each array
  std::uint64_t iterations = 1;
  bool remote = false;  ///< the addresses of the tasks are half of the line apart; else they are the same [Table 1]
  bool fresh = false;   ///< each iteration has arrays of its own
  std::uint64_t seed = 1;
};

class problem {
 public:
  problem() = default;
  explicit problem(shape const& s);

  [[nodiscard]] std::size_t n() const noexcept { return shape_.n; }
  [[nodiscard]] std::uint64_t iterations() const noexcept { return shape_.iterations; }
  [[nodiscard]] address at(std::size_t task) const noexcept {
    return address::at(shape_.remote && task == 1 ? 0.75 : 0.25);
  }
  [[nodiscard]] double operations() const noexcept {  ///< of a task
    return flops_per_pair * static_cast<double>(shape_.n) * static_cast<double>(shape_.n);
  }
  [[nodiscard]] bool is_fresh() const noexcept { return shape_.fresh; }
  /// The bodies of array 0 or 1 in this iteration.
  [[nodiscard]] std::span<float> bodies(std::size_t array, std::uint64_t iteration) const noexcept {
    return now_[array].elements().subspan(shape_.fresh ? iteration * n() : 0, n());
  }
  /// Array 0 lies where task A runs, array 1 where task B does. [Table 1]
  [[nodiscard]] std::vector<owned_array> owned(std::uint32_t places);

  /// The bodies [begin, end) of task 0 (A) or 1 (B).
  void run(std::size_t task, std::size_t begin, std::size_t end, std::uint64_t iteration = 0) noexcept {
    n_body(bodies(task, iteration).subspan(begin, end - begin), bodies(1 - task, iteration));
  }
  /// The part of a task that one member of a team has.
  template <class Here>
  void run_part(std::size_t task, team<Here>& mine, std::uint64_t iteration) {
    auto const [begin, end] = mine.share(n());
    std::span<float const> const sources = bodies(1 - task, iteration);
    double const pairs = static_cast<double>(end - begin) * static_cast<double>(n());
    mine.here().leaf(reads{sources.data(), sources.size_bytes()},
                     writes{bodies(task, iteration).data() + begin, (end - begin) * sizeof(float)},
                     flops{flops_per_pair * pairs},
                     [&, first = begin, past = end] { run(task, first, past, iteration); });
    if (mine.member() == 0)
      ++partitions_[{index(mine.here().worker()), mine.width()}];  // one leader at a time: tasks follow each other
  }
  /// Of the tasks that ran as nodes of a flow.
  [[nodiscard]] partition_counts const& partitions() const noexcept { return partitions_; }

  void reset();
  /// Empty if the bits are those of a serial run, which the first call makes; else one line.
  [[nodiscard]] std::string wrong();

 private:
  using positions = std::array<std::vector<float>, 2>;
  shape shape_;
  positions initial_;
  std::array<placed_array<float>, 2> now_;
  positions right_;  ///< of a serial run; empty: none yet
  partition_counts partitions_;
};

/// One graph, run once per iteration; with fresh arrays one graph of all iterations.
template <class Here>
void program(Here& here, problem& p) {
  flow graph(here);
  auto const node = [&](std::size_t task, std::uint64_t iteration, auto const&... words) {
    return graph.add_team(work{p.operations()}, p.at(task), types[task], words...,
                          [&p, task, iteration](auto& mine) { p.run_part(task, mine, iteration); });
  };
  auto last = node(1, 0, after(node(0, 0)));
  if (!p.is_fresh()) return graph.run(here, p.iterations());
  for (std::uint64_t i = 1; i < p.iterations(); ++i) last = node(1, i, after(node(0, i, after(last))));
  graph.run(here);
}

/// Task after task.
void run_alone(problem& p);
void with_openmp(unsigned workers, problem& p);

}  // namespace skua::apps::nbody_chain
