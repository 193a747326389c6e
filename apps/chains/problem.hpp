// SPDX-License-Identifier: MIT
// chains: P chains of tasks, each on data of its own. The synthetic benchmark for a task graph with a known parallelism.
// [arms-2021 4.3, Figure 7]
//
// Every number is an integer that floats hold exactly, and what a chain of any length computes has a closed form.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "apps/matmul/leaf.hpp"
#include "apps/padded.hpp"
#include "apps/partition_counts.hpp"
#include "apps/tbb_workers.hpp"
#include "skua/program/flow/flow.hpp"
#include "skua/program/footprint.hpp"

namespace skua::apps::chains {

enum class kernel : std::uint8_t {
  matmul,  ///< next = A * last: A is a permutation of the rows, with signs
  triad,   ///< next = last + s * the one before; s is -1
  mixed,   ///< by turns, triad first
};

struct shape {
  std::uint32_t parallelism = 1;  ///< chains
  std::uint64_t tasks = 1;        ///< of all chains
  kernel runs = kernel::matmul;
  std::size_t size = 1;  ///< rows and columns of every matrix
  std::uint64_t seed = 1;
};

/// The types of the tasks; a team may run either.
inline constexpr task_type matmul_type{.number = 1, .moldable = 1};
inline constexpr task_type triad_type{.number = 2, .moldable = 1};

/// One chain, its data, and its closed form.
class chain {
 public:
  chain(shape const& all, std::uint32_t which);

  [[nodiscard]] std::uint64_t steps() const noexcept { return steps_; }
  [[nodiscard]] task_type type_of(std::uint64_t step) const noexcept;
  [[nodiscard]] flops operations(std::uint64_t step) const noexcept;
  /// The footprint that the rows [begin, end) of a step write.
  [[nodiscard]] writes written(std::uint64_t step, std::size_t begin, std::size_t end) const noexcept {
    return touched<writes>(of(step).to, begin, end);
  }
  /// The footprint that they read: the same rows of A, and of the matrices of a triad; all of B.
  [[nodiscard]] std::array<reads, 2> read(std::uint64_t step, std::size_t begin, std::size_t end) const noexcept;

  /// The rows [begin, end) of a step; the parts of a step write different rows and may run at the same time.
  void run_rows(std::uint64_t step, std::size_t begin, std::size_t end) noexcept;
  /// Once per step, after its rows.
  void end_step(std::uint64_t step) noexcept;
  void run(std::uint64_t step) noexcept {
    run_rows(step, 0, size_);
    end_step(step);
  }
  /// The part of a step that one member of a team has; the last to end its part ends the step.
  template <class Here>
  void run_part(std::uint64_t step, team<Here>& mine) {
    auto const share = mine.share(size_);
    double const part = static_cast<double>(share.end - share.begin) / static_cast<double>(size_);
    if (share.begin < share.end) {
      auto const [first, second] = read(step, share.begin, share.end);
      mine.here().leaf(first, second, written(step, share.begin, share.end), flops{operations(step).count * part},
                       [&] { run_rows(step, share.begin, share.end); });
    }
    if (mine.member() == 0)
      ++partitions_[{index(mine.here().worker()), mine.width()}];  // one leader at a time: the steps follow each other
    // acq_rel: the other members' writes, for the member that ends the step. Pairs with: itself
    std::atomic_ref<std::uint32_t> ended(parts_ended_);
    if (ended.fetch_add(1, std::memory_order_acq_rel) + 1 < mine.width()) return;
    ended.store(0, std::memory_order_relaxed);  // relaxed: the next step begins after this one
    end_step(step);
  }
  [[nodiscard]] partition_counts const& partitions() const noexcept { return partitions_; }

  void reset();
  /// Empty if every step has run once, in order, and the last matrices are those of the closed form; else the
  /// difference.
  [[nodiscard]] std::string wrong() const;

 private:
  struct matrices {
    padded* to;
    padded const* first;
    padded const* second;
  };
  [[nodiscard]] bool multiplies(std::uint64_t step) const noexcept;
  /// Steps of the same kernel before this one.
  [[nodiscard]] std::uint64_t before(std::uint64_t step) const noexcept {
    return runs_ == kernel::mixed ? step / 2 : step;
  }
  [[nodiscard]] matrices of(std::uint64_t step) const noexcept;
  template <class Word>
  [[nodiscard]] static Word touched(padded const* m, std::size_t begin, std::size_t end) noexcept {
    return {m->row(begin), m->columns() * sizeof(float), end - begin, m->stride() * sizeof(float)};
  }
  [[nodiscard]] std::string wrong_product() const;
  [[nodiscard]] std::string wrong_triad() const;

  kernel runs_;
  std::size_t size_;
  std::uint64_t steps_;
  std::uint64_t seed_;
  float scalar_ = -1;                  // not a constant: the triad multiplies
  std::vector<std::uint32_t> source_;  ///< row i of A * B is +- row source_[i] of B
  std::vector<float> sign_;
  mutable padded a_;
  mutable std::array<padded, 2> b_;  ///< step m of the products reads m % 2
  mutable std::array<padded, 3> x_;  ///< step t of the triads writes (t + 2) % 3
  matmul::leaf_function* leaf_;
  std::uint64_t done_ =
      0;  ///< steps that have ended in order; the steps of a chain follow each other, so it is no atomic
  bool in_order_ = true;
  std::uint32_t parts_ended_ = 0;
  partition_counts partitions_;
};

class problem {
 public:
  problem() = default;
  /// Throws usage_error, and resource_error if there is no memory.
  explicit problem(shape const& s);

  [[nodiscard]] std::vector<chain>& chains() noexcept { return chains_; }
  void reset();
  [[nodiscard]] std::string wrong() const;
  [[nodiscard]] partition_counts partitions() const;  ///< of the steps of all chains

 private:
  std::vector<chain> chains_;
};

/// The graph: nodes are added chain by chain.
template <class Here>
void program(Here& here, problem& p) {
  flow graph(here);
  std::uint64_t which = 0;
  for (chain& c : p.chains()) {
    address const at = address::of(which++, p.chains().size());
    auto const node = [&](std::uint64_t step, auto const&... words) {
      return graph.add_team(work{c.operations(step).count}, at, c.type_of(step), words...,
                            [&c, step](auto& mine) { c.run_part(step, mine); });
    };
    if (c.steps() == 0) continue;
    auto last = node(0);
    for (std::uint64_t step = 1; step < c.steps(); ++step) last = node(step, after(last));
  }
  graph.run(here);
}

/// Chain after chain.
void run_alone(problem& p);
void with_openmp(unsigned workers, problem& p);
void with_tbb(tbb_workers& workers, unsigned count, problem& p);

}  // namespace skua::apps::chains
