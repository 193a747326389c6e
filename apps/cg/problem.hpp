// SPDX-License-Identifier: MIT
// cg: the largest eigenvalue of a sparse matrix by inverse iteration, each step solved by conjugate gradients: NAS
// benchmark CG. Or the solution of one system of equations, by the same sweeps. It reads a whole vector irregularly, and the same rows in every sweep: the worker that had them before
// still has them in its cache. [numa-ws-2018 V]
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
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

/// A system is solved when the residual is at most `tolerance` times the length of the right-hand side.
struct stop_rule {
  double tolerance = 1e-8;
  std::uint32_t most_iterations = 10'000;
};

enum class ending : std::uint8_t {
  converged,
  out_of_iterations,
  not_positive,  ///< a direction p with p.(a p) <= 0
  out_of_range,  ///< of double
};

/// The result of a run.
struct estimate {
  double zeta = 0;      ///< of NAS's benchmark
  double residual = 0;  ///< the length of x - a z: of the last step; of a system, relative to that of x
  ending end = ending::converged;
  double curvature = 0;  ///< if it is not_positive: p.(a p)
  std::vector<double> residuals =
      {};  ///< of a system, relative, by the recursion: the first guess's and after each iteration
  [[nodiscard]] std::size_t iterations() const noexcept { return residuals.empty() ? 0 : residuals.size() - 1; }
  friend bool operator==(estimate const&, estimate const&) = default;
};

class problem {
 public:
  problem() = default;
  /// rows_per_block >= 1. Throws std::bad_alloc.
  problem(nas_class const& of, std::size_t rows_per_block);
  /// The system a z = b, with as many elements in b as rows in a. Also solves it serially, for wrong(); see right().
  problem(matrix a, std::vector<double> b, stop_rule const& until, std::size_t rows_per_block);

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
  /// None: it is the benchmark.
  [[nodiscard]] std::optional<stop_rule> const& until() const noexcept { return until_; }
  /// Of a system, by the serial run.
  [[nodiscard]] estimate const& right() const noexcept { return right_; }
  [[nodiscard]] std::span<double const> solution() const noexcept { return on_.z.elements(); }
  [[nodiscard]] std::size_t nonzeros_of_all() const noexcept { return on_.a.nonzeros(); }
  [[nodiscard]] std::optional<estimate> const& found() const noexcept { return found_; }
  /// Empty if zeta is the published one, or if the system is solved, with the same residuals as serially; else one line.
  [[nodiscard]] std::string wrong() const;

 private:
  /// A leaf of this many rows takes about a microsecond.
  static constexpr std::size_t rows_per_vector_leaf = 2048;

  [[nodiscard]] std::size_t rows_of_all() const noexcept { return on_.x.size(); }
  void make_vectors(std::size_t rows);
  [[nodiscard]] std::string wrong_solution() const;

  nas_class of_{};
  std::optional<stop_rule> until_;
  std::vector<double> b_;  ///< of a system
  estimate right_;
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

/// The system a z = b with z = b on entry, which the first sweep takes as its right-hand side; from z = 0. Work O(iterations * nonzeros).
/// (Hestenes, Stiefel 1952)
template <class Sweep, class Begins>
estimate solve_system(equations& on, stop_rule const& until, Sweep&& sweep, Begins&& begins) {
  estimate found;
  double rho = sweep(start{on, 1}).first;
  double const length = std::sqrt(rho);
  auto const note = [&] { found.residuals.push_back(length == 0 ? 0 : std::sqrt(rho) / length); };
  note();
  while (!(found.residuals.back() <= until.tolerance)) {
    if (found.iterations() == until.most_iterations) {
      found.end = ending::out_of_iterations;
      break;
    }
    begins(found.iterations());
    found.curvature = sweep(multiply{on}).first;
    if (!std::isfinite(rho) || rho < std::numeric_limits<double>::min() || !std::isfinite(found.curvature)) {
      found.end = ending::out_of_range;
      return found;
    }
    if (found.curvature <= 0) {
      found.end = ending::not_positive;
      return found;
    }
    double const next = sweep(advance{on, rho / found.curvature}).first;
    sweep(turn{on, next / rho});
    rho = next;
    note();
  }
  found.curvature = 0;
  found.residual = length == 0 ? 0 : std::sqrt(sweep(judge{on}).third) / length;
  return found;
}

/// What this problem asks for.
template <class Sweep, class Begins>
estimate solve(problem& p, Sweep&& sweep, Begins&& begins) {
  return p.until() ? solve_system(p.on(), *p.until(), sweep, begins) : solve(p.on(), p.of(), sweep, begins);
}
template <class Sweep>
estimate solve(problem& p, Sweep&& sweep) {
  return solve(p, sweep, [](std::size_t) {});
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
      p, [&](auto const& sweep) { return over(here, p, places, p.all(), sweep); },
      [&](std::size_t i) { mark(here, "iteration", i); }));
}

void with_openmp(unsigned workers, problem& p, openmp_schedule schedule);
void with_tbb(tbb_workers& workers, unsigned count, problem& p, tbb_partitioner partitioner);

}  // namespace skua::apps::cg
