// SPDX-License-Identifier: MIT
// heat-dag: the plate of heat as a task graph. Each block of the plate has a task that computes its next temperatures into a
// second buffer, and one that copies them back when its neighbours have read the old ones. [arms-2021 4.4, Figure 8(a)]
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "apps/heat/field.hpp"
#include "apps/heat/sweep.hpp"
#include "apps/row_parts.hpp"
#include "skua/program/flow/flow.hpp"
#include "skua/program/footprint.hpp"

namespace skua::apps::heat_dag {

inline constexpr task_type compute_type{.number = 1};
inline constexpr task_type copy_type{.number = 2};

struct shape {
  std::size_t n = 1;      ///< rows and columns
  std::size_t block = 1;  ///< rows and columns of a block, but for the last ones
  std::size_t iterations = 1;
  std::uint64_t seed = 1;
};

class problem {
 public:
  problem() = default;
  /// Computes the right answer serially. Throws resource_error if there is no memory.
  explicit problem(shape const& s);

  [[nodiscard]] std::size_t iterations() const noexcept { return shape_.iterations; }
  [[nodiscard]] std::size_t blocks() const noexcept {
    return (shape_.n + shape_.block - 1) / shape_.block;
  }  ///< in a row
  [[nodiscard]] std::size_t rows_of(std::size_t i) const noexcept;  ///< of a block in row i, or columns in column i

  /// The begin of a block, which names the block in a task's reads and writes.
  [[nodiscard]] float* now(std::size_t i, std::size_t j) noexcept { return cell(now_, i, j); }
  [[nodiscard]] float* next(std::size_t i, std::size_t j) noexcept { return cell(next_, i, j); }
  template <class Word>
  [[nodiscard]] Word touched(float* block, std::size_t i, std::size_t j) const noexcept {
    return {block, rows_of(j) * sizeof(float), rows_of(i), now_.stride() * sizeof(float)};
  }

  /// The rows [begin, end) of a block; parts may run at the same time.
  void compute(std::size_t i, std::size_t j, std::size_t begin, std::size_t end) noexcept;
  void copy(std::size_t i, std::size_t j, std::size_t begin, std::size_t end) noexcept;

  void reset();
  /// Empty if the answer is right to the last bit, else one line.
  [[nodiscard]] std::string wrong() const;

 private:
  [[nodiscard]] float* cell(heat::field& f, std::size_t i, std::size_t j) const noexcept {
    return f.row(static_cast<std::ptrdiff_t>(i * shape_.block)) + j * shape_.block;
  }
  shape shape_;
  heat::sweep_function* sweep_ = nullptr;
  heat::field initial_;
  heat::field right_;
  heat::field now_;
  heat::field next_;
};

/// The neighbours above, below, left and right of a block; the block itself where there is none.
struct cross {
  std::array<std::array<std::size_t, 2>, 4> at;
  cross(std::size_t i, std::size_t j, std::size_t blocks) noexcept
      : at{{{i == 0 ? i : i - 1, j},
            {i + 1 == blocks ? i : i + 1, j},
            {i, j == 0 ? j : j - 1},
            {i, j + 1 == blocks ? j : j + 1}}} {}
};

/// The footprint of computing a block: also the rows above and below. The columns on both sides are left out.
inline reads with_rows_around(reads const& block) noexcept {
  return {static_cast<char const*>(block.data) - block.stride, block.bytes, block.rows + 2, block.stride};
}

/// Adds the tasks of one iteration.
template <class Graph>
void add_iteration(Graph& graph, problem& p) {
  std::size_t const n = p.blocks();
  auto const for_each_block = [n](auto&& visit) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) visit(i, j);
    }
  };
  auto const hints = [&](std::size_t i, std::size_t j, double per_cell) {
    return work{per_cell * static_cast<double>(p.rows_of(i) * p.rows_of(j))} | address::of(i * n + j, n * n);
  };
  for_each_block([&](std::size_t i, std::size_t j) {
    cross const near(i, j, n);
    auto const read = [&](std::array<std::size_t, 2> b) { return p.touched<reads>(p.now(b[0], b[1]), b[0], b[1]); };
    reads const own = read({i, j});
    writes const to = p.touched<writes>(p.next(i, j), i, j);
    graph.add_team(hints(i, j, 7), compute_type, own, read(near.at[0]), read(near.at[1]), read(near.at[2]),
                   read(near.at[3]), to, [&p, i, j, own, to](auto& mine) {
                     auto const rows = mine.share(p.rows_of(i));
                     if (rows.begin == rows.end) return;
                     flops const operations{7 * static_cast<double>((rows.end - rows.begin) * p.rows_of(j))};
                     mine.here().leaf(with_rows_around(apps::rows_of(own, rows.begin, rows.end)),
                                      apps::rows_of(to, rows.begin, rows.end), operations,
                                      [&] { p.compute(i, j, rows.begin, rows.end); });
                   });
  });
  for_each_block([&](std::size_t i, std::size_t j) {
    reads const from = p.touched<reads>(p.next(i, j), i, j);
    writes const to = p.touched<writes>(p.now(i, j), i, j);
    graph.add_team(hints(i, j, 1), copy_type, from, to, [&p, i, j, from, to](auto& mine) {
      auto const rows = mine.share(p.rows_of(i));
      if (rows.begin == rows.end) return;
      mine.here().leaf(apps::rows_of(from, rows.begin, rows.end), apps::rows_of(to, rows.begin, rows.end),
                       [&] { p.copy(i, j, rows.begin, rows.end); });
    });
  });
}

/// The graph holds this many iterations, which overlap; graphs follow each other. Precondition: it divides the
/// iterations.
template <class Here>
void program(Here& here, problem& p, std::size_t overlapping) {
  flow graph(here);
  for (std::size_t i = 0; i < overlapping; ++i) add_iteration(graph, p);
  graph.run(here, p.iterations() / overlapping);
}

/// Block by block.
void run_alone(problem& p);
void with_openmp(unsigned workers, problem& p);

}  // namespace skua::apps::heat_dag
