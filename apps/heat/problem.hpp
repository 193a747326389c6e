// SPDX-License-Identifier: MIT
// heat: a plate cools, 5-point Jacobi in single precision; each iteration divides the plate in four, recursively. An
// iterative program that mostly moves memory: the placement of its tasks decides its speed. [adws-sc19 5.1]
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "apps/heat/estimate.hpp"
#include "apps/heat/field.hpp"
#include "apps/heat/sweep.hpp"
#include "apps/loop_styles.hpp"
#include "apps/owned_array.hpp"
#include "apps/place_range.hpp"
#include "apps/tbb_workers.hpp"
#include "skua/parts/memory/shares.hpp"
#include "skua/parts/topology/layout.hpp"
#include "skua/program/fork_join.hpp"
#include "skua/program/mark.hpp"

namespace skua::apps::heat {

/// Where the recursion ends, and with which kernel. Whole rows are the default: a row of the plate is one stream for
/// the prefetcher, while the paper's squares (64 x 64) are 64 streams.
struct cutoff {
  std::size_t rows = 64;
  std::size_t columns = 4096;
  sweep_function* sweep = nullptr;

  [[nodiscard]] bool reached(rectangle const& r) const noexcept { return r.rows <= rows && r.columns <= columns; }
};

/// Columns are cut at multiples of this, so that two tasks never write to one cache line.
inline constexpr std::size_t column_group = padded::line;

/// Four parts: quadrants if both sides are longer than the cut-off, else four bands across the longer side. They are cut at
/// multiples of the cut-off, so that all leaves but the last ones are full. A part may be empty.
std::array<rectangle, 4> quarters(rectangle const& r, cutoff const& end) noexcept;

/// The rows from `first` to before `end`.
rectangle band(rectangle const& r, std::size_t first, std::size_t end) noexcept;

/// One iteration. `guess` turns the cells of the children into work hints. While there are several places, the parts of
/// the plate get place hints; below a single place the children inherit it. Work O(cells), span O(log cells + a leaf).
template <fork_join Here>
void step(Here& here, rectangle const& r, cutoff const& end, estimate const& guess = {}, place_range const& at = {}) {
  if (end.reached(r)) {
    if (r.rows == 0 || r.columns == 0) return;
    std::size_t const row = r.columns * sizeof(float);
    std::size_t const stride = r.stride * sizeof(float);
    double const cells = static_cast<double>(r.rows) * static_cast<double>(r.columns);
    // The rows above and below are included; the columns read on both sides are not.
    here.leaf(reads{r.from - r.stride, row, r.rows + 2, stride}, writes{r.to, row, r.rows, stride}, flops{7 * cells},
              [&] { end.sweep(r); });
    return;
  }
  std::array<rectangle, 4> const q = quarters(r, end);
  std::array<double, 4> const error = guess.factors();
  auto const known = [&](std::uint32_t i) {
    hint all = as_hint(work{static_cast<double>(q[i].rows) * static_cast<double>(q[i].columns) * error[i]});
    if (at.count > 1) all.place = place_id{at.quarter(i).first};
    return all;
  };
  auto const part = [&](std::uint32_t i) {
    return [&, i](Here& h) { step(h, q[i], end, guess.below(i), at.quarter(i)); };
  };
  here.join(known(0), part(0), known(1), part(1), known(2), part(2), known(3), part(3));
}

/// Which of `places` owns which part of a buffer, by the hints of step(): shares of its memory, from `origin` to the
/// end of the plate, in order. Work O(rows log rows).
std::vector<memory::share> owners(rectangle const& plate, float const* origin, cutoff const& end,
                                  place_range const& places);

/// The plate, and the right answer.
class problem {
 public:
  problem() = default;
  /// Computes the right answer serially: work O(cells * iterations). Throws resource_error if there is no memory.
  problem(field initial, std::size_t iterations);

  [[nodiscard]] std::size_t rows() const noexcept { return initial_.rows(); }
  [[nodiscard]] std::size_t columns() const noexcept { return initial_.columns(); }
  [[nodiscard]] std::size_t iterations() const noexcept { return iterations_; }

  /// The rectangle of iteration `which`: the whole plate, from one buffer to the other.
  [[nodiscard]] rectangle whole(std::size_t which) noexcept;
  /// Restores the initial field and drops the answer.
  void reset();
  /// Both buffers belong to the places that step() names for their parts. While the problem lives.
  [[nodiscard]] std::vector<owned_array> owned(cutoff const& end, place_range const& places);
  /// The field after all iterations.
  [[nodiscard]] field const& answer() const noexcept { return buffers_[iterations_ % 2]; }
  [[nodiscard]] field& answer() noexcept { return buffers_[iterations_ % 2]; }
  /// Empty if the answer is right to the last bit, else one line.
  [[nodiscard]] std::string wrong() const;

 private:
  field initial_;
  field right_;
  std::array<field, 2> buffers_;
  std::size_t iterations_ = 0;
};

/// All iterations, one after the other; calls after(i) after the i-th, when no leaf runs.
template <fork_join Here, class After>
void program(Here& here, problem& p, cutoff const& end, estimate const& guess, place_range const& at, After&& after) {
  for (std::size_t i = 0; i < p.iterations(); ++i) {
    mark(here, "iteration", i);
    step(here, p.whole(i), end, guess.below(i), at);
    after(i);
  }
}
template <fork_join Here>
void program(Here& here, problem& p, cutoff const& end, estimate const& guess = {}, place_range const& at = {}) {
  program(here, p, end, guess, at, [](std::size_t) {});
}

/// `of_dynamic` hands out bands of the cut-off's height.
void with_openmp(unsigned workers, problem& p, cutoff const& end, openmp_schedule schedule);
void with_tbb(tbb_workers& workers, unsigned count, problem& p, cutoff const& end, tbb_partitioner partitioner);

}  // namespace skua::apps::heat
