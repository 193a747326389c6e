// SPDX-License-Identifier: MIT
// cg: the largest eigenvalue of a sparse matrix by inverse iteration, each step solved by conjugate gradients: NAS
// benchmark CG. It reads a whole vector irregularly, and the same rows in every sweep: the worker that had them before
// still has them in its cache. [numa-ws-2018 V]
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/cg/matrix.hpp"
#include "apps/cg/sweeps.hpp"
#include "apps/loop_styles.hpp"
#include "apps/owned_array.hpp"
#include "apps/place_range.hpp"
#include "apps/tbb_workers.hpp"
#include "skua/program/fork_join.hpp"
#include "skua/program/mark.hpp"

namespace skua::apps::cg {

/// Blocks of rows begin .. end-1. They are halved down to one block. The parentheses of a sweep's sums follow this
/// tree, whichever worker runs it and wherever the recursion ends, so the bits are always the same.
struct blocks {
  std::size_t begin;
  std::size_t end;
  [[nodiscard]] std::size_t count() const noexcept { return end - begin; }
  [[nodiscard]] std::pair<blocks, blocks> halves() const noexcept {
    std::size_t const middle = begin + count() / 2;
    return {{begin, middle}, {middle, end}};
  }
};

/// The sum over a tree of blocks, where of_block(b) is the sum of block b.
template <class OfBlock>
sums tree_sum(blocks const& some, OfBlock const& of_block) {
  if (some.count() == 1) return of_block(some.begin);
  auto const [left, right] = some.halves();
  sums const a = tree_sum(left, of_block);
  return a + tree_sum(right, of_block);
}

/// The result of a run.
struct estimate {
  double zeta = 0;
  double residual = 0;  ///< of the last step: the length of x - a z
  friend bool operator==(estimate const&, estimate const&) = default;
};

class problem {
 public:
  problem() = default;
  /// rows_per_block >= 1. Throws std::bad_alloc.
  problem(nas_class const& of, std::size_t rows_per_block);

  [[nodiscard]] blocks all() const noexcept { return {0, (rows_of_all() + rows_per_block_ - 1) / rows_per_block_}; }
  [[nodiscard]] rows rows_of(blocks const& b) const noexcept {
    return {b.begin * rows_per_block_, std::min(b.end * rows_per_block_, rows_of_all())};
  }
  /// The most blocks in a leaf of this sweep: its work should be worth a fork.
  template <class Sweep>
  [[nodiscard]] std::size_t grain(Sweep const&) const noexcept {
    return Sweep::is_product ? 1 : std::max<std::size_t>(1, rows_per_vector_leaf / rows_per_block_);
  }
  /// Work: the nonzeros, for all sweeps alike, so that a policy that uses work hints gives a block to the same worker
  /// each time. Place: the owner of most of the blocks; the children inherit it.
  [[nodiscard]] hint known(blocks const& b, place_range const& places) const noexcept {
    return {.work = static_cast<double>(nonzeros(on_.a, rows_of(b))),
            .place = places.owner_of_part(b.begin, b.end, all().end)};
  }

  /// Rows of the matrix and of all vectors belong to the place that known() names for their block. While the problem
  /// lives.
  [[nodiscard]] std::vector<owned_array> owned(place_range const& places);

  /// Restores the first guess and drops the answer.
  void reset();
  /// The vectors of a run; and the sums of its blocks for runtimes that do not return them. There are two sets of sums,
  /// because a fast thread may begin a sweep while a slow one still adds up those of the last.
  [[nodiscard]] equations& on() noexcept { return on_; }
  [[nodiscard]] std::vector<sums>& partial(std::size_t which) noexcept { return partial_[which % 2]; }
  void answer(estimate const& found) noexcept { found_ = found; }

  [[nodiscard]] nas_class const& of() const noexcept { return of_; }
  [[nodiscard]] std::size_t nonzeros_of_all() const noexcept { return on_.a.nonzeros(); }
  [[nodiscard]] std::optional<estimate> const& found() const noexcept { return found_; }
  /// Empty if zeta is the published one, else one line.
  [[nodiscard]] std::string wrong() const;

 private:
  /// A leaf of this many rows takes about a microsecond.
  static constexpr std::size_t rows_per_vector_leaf = 2048;

  [[nodiscard]] std::size_t rows_of_all() const noexcept { return on_.x.size(); }

  nas_class of_{};
  std::size_t rows_per_block_ = 1;
  equations on_;
  std::array<std::vector<sums>, 2> partial_;
  std::optional<estimate> found_;
};

/// The benchmark; sweep(s) runs a sweep over all rows and returns its sums, begins(i) precedes each iteration. Per
/// iteration, 26 products with the matrix: work O(iterations * nonzeros).
template <class Sweep, class Begins>
estimate solve(equations& on, nas_class const& of, Sweep&& sweep, Begins&& begins) {
  constexpr int steps = 25;
  estimate found;
  double scale = 1;
  for (std::size_t i = 0; i < of.iterations; ++i) {
    begins(i);
    double rho = sweep(start{on, scale}).first;
    for (int step = 0; step < steps; ++step) {
      double const alpha = rho / sweep(multiply{on}).first;
      double const next = sweep(advance{on, alpha}).first;
      sweep(turn{on, next / rho});
      rho = next;
    }
    sums const judged = sweep(judge{on});
    found = {.zeta = of.shift + 1 / judged.first, .residual = std::sqrt(judged.third)};
    scale = 1 / std::sqrt(judged.second);
  }
  return found;
}
template <class Sweep>
estimate solve(equations& on, nas_class const& of, Sweep&& sweep) {
  return solve(on, of, sweep, [](std::size_t) {});
}

/// One sweep over some blocks. Span O(log blocks + a leaf).
template <fork_join Here, class Sweep>
sums over(Here& here, problem const& p, place_range const& places, blocks const& some, Sweep const& sweep) {
  if (some.count() <= p.grain(sweep)) {
    return sweep.leaf(here, p.rows_of(some),
                      [&] { return tree_sum(some, [&](std::size_t b) { return sweep.run(p.rows_of({b, b + 1})); }); });
  }
  auto const halves = some.halves();
  auto const& left = std::get<0>(halves);
  auto const& right = std::get<1>(halves);
  auto const [a, b] = here.join(
      p.known(left, places), [&](Here& h) { return over(h, p, places, left, sweep); }, p.known(right, places),
      [&](Here& h) { return over(h, p, places, right, sweep); });
  return a + b;
}

/// The whole run.
template <fork_join Here>
void program(Here& here, problem& p, place_range const& places) {
  p.answer(solve(
      p.on(), p.of(), [&](auto const& sweep) { return over(here, p, places, p.all(), sweep); },
      [&](std::size_t i) { mark(here, "iteration", i); }));
}

void with_openmp(unsigned workers, problem& p, openmp_schedule schedule);
void with_tbb(tbb_workers& workers, unsigned count, problem& p, tbb_partitioner partitioner);

}  // namespace skua::apps::cg
