// SPDX-License-Identifier: MIT
// cholesky: A = L * L^T of a symmetric positive definite matrix in tiles. The task graph by which tiled linear algebra is
// usually introduced (Buttari et al. 2009).
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "apps/cholesky/lapack.hpp"
#include "skua/program/flow/flow.hpp"
#include "skua/program/footprint.hpp"

namespace skua::apps::cholesky {

struct shape {
  std::size_t n = 1;
  std::size_t tile = 1;
  std::uint64_t seed = 1;

  [[nodiscard]] std::size_t tiles() const noexcept { return (n + tile - 1) / tile; }  ///< in a column
  [[nodiscard]] std::size_t rows_of(std::size_t i) const noexcept { return std::min(tile, n - i * tile); }
  /// Element (i, j) of A: random in [-1, 1], and n more on the diagonal.
  [[nodiscard]] double element(std::size_t i, std::size_t j) const noexcept;
};

/// The lower half of the matrix: tiles (i, j) with i >= j, each column by column.
class tiles {
 public:
  tiles() = default;
  /// Throws std::bad_alloc.
  explicit tiles(shape const& s) : shape_(s), all_(s.tiles() * (s.tiles() + 1) / 2 * s.tile * s.tile) {}

  [[nodiscard]] shape const& of() const noexcept { return shape_; }
  [[nodiscard]] double* at(std::size_t i, std::size_t j) noexcept { return all_.data() + offset(i, j); }
  [[nodiscard]] double const* at(std::size_t i, std::size_t j) const noexcept { return all_.data() + offset(i, j); }
  /// A; its upper half is zero.
  void generate();

 private:
  [[nodiscard]] std::size_t offset(std::size_t i, std::size_t j) const noexcept {
    return (i * (i + 1) / 2 + j) * shape_.tile * shape_.tile;
  }
  shape shape_;
  std::vector<double> all_;
};

enum class operation : std::uint16_t { factor = 1, solve, square, multiply };

/// Tile (i, j) is written in step k; it depends on (i, k) and (j, k).
struct task {
  operation what;
  std::size_t i, j, k;

  [[nodiscard]] double operations(shape const& s) const noexcept;
  [[nodiscard]] std::string name() const;  ///< with the tile and the step
  [[nodiscard]] char const* operation_name() const noexcept;
  [[nodiscard]] task_type type() const noexcept { return {.number = static_cast<std::uint16_t>(what)}; }
};

class problem {
 public:
  problem() = default;
  /// Throws usage_error if there is no OpenBLAS, and std::bad_alloc.
  explicit problem(shape const& s);

  [[nodiscard]] tiles& matrix() noexcept { return matrix_; }
  [[nodiscard]] shape const& of() const noexcept { return matrix_.of(); }
  void reset();

  void run(task const& t);
  /// Rows [begin, end) of the written tile, of a `solve` or `multiply`: the parts may run at the same time.
  void run_rows(task const& t, std::size_t begin, std::size_t end);

  /// Empty if L * L^T * x = A * x for random x, as exactly as rounding allows; else one line. |L L^T - A| <= g |L| |L^T| with
  /// g = (n + 1) e / (1 - (n + 1) e) (Higham 2002, theorem 10.3).
  [[nodiscard]] std::string wrong() const;

 private:
  tiles matrix_;
  std::vector<lapack> by_;  ///< one, or none in an empty problem
  std::atomic<bool> failed_{false};
};

/// Calls visit(task) for all tasks, in an order in which they can be executed.
template <class Visit>
void for_each_task(std::size_t tiles, Visit&& visit) {
  for (std::size_t k = 0; k < tiles; ++k) {
    visit(task{operation::factor, k, k, k});
    for (std::size_t i = k + 1; i < tiles; ++i) visit(task{operation::solve, i, k, k});
    for (std::size_t i = k + 1; i < tiles; ++i) {
      for (std::size_t j = k + 1; j < i; ++j) visit(task{operation::multiply, i, j, k});
      visit(task{operation::square, i, i, k});
    }
  }
}

/// Adds all tasks to a graph; calls seen(node, task) for each.
template <class Graph, class Seen>
void build(Graph& graph, problem& p, Seen&& seen) {
  shape const s = p.of();
  std::uint64_t const n = s.tiles();
  std::size_t const bytes = s.tile * s.tile * sizeof(double);
  auto const tile = [&p](std::size_t i, std::size_t j) { return p.matrix().at(i, j); };
  for_each_task(s.tiles(), [&](task const& t) {
    flops const operations{t.operations(s)};
    auto const hints = work{operations.count} | address::of(t.i * n + t.j, n * n) | t.type();
    auto const add = [&](auto const&... words) {
      return graph.add(hints, words..., [=, &p](auto& here) { here.leaf(words..., operations, [&] { p.run(t); }); });
    };
    // Rows of the written tile, and of the one of the same rows that a `multiply` reads, can be shared among a team.
    auto const add_team = [&](reads const& common, writes const& to, auto const&... same_rows) {
      return graph.add_team(hints, common, same_rows..., to, [=, &p](auto& mine) {
        std::uint64_t const rows = s.rows_of(t.i);
        auto const [begin, end] = mine.share(rows);
        double const part = static_cast<double>(end - begin) / static_cast<double>(rows);
        auto const of_mine = [&]<class Word>(Word const& whole) {
          return Word{static_cast<double const*>(whole.data) + begin, (end - begin) * sizeof(double), s.tile,
                      s.tile * sizeof(double)};
        };
        mine.here().leaf(common, of_mine(same_rows)..., of_mine(to), flops{operations.count * part},
                         [&] { p.run_rows(t, begin, end); });
      });
    };
    writes const to{tile(t.i, t.j), bytes};
    switch (t.what) {
      case operation::factor: return seen(add(to), t);
      case operation::solve: return seen(add_team(reads{tile(t.k, t.k), bytes}, to), t);
      case operation::square: return seen(add(reads{tile(t.i, t.k), bytes}, to), t);
      case operation::multiply:
        return seen(add_team(reads{tile(t.j, t.k), bytes}, to, reads{tile(t.i, t.k), bytes}), t);
    }
  });
}

template <class Here>
void program(Here& here, problem& p) {
  flow graph(here);
  build(graph, p, [&](auto const& node, task const& t) { graph.name(node, t.operation_name()); });  // for traces
  graph.run(here);
}

/// The graph in the language of Graphviz.
std::string to_dot(problem& p);

/// One task after the other.
void run_alone(problem& p);
void with_openmp(unsigned workers, problem& p);

}  // namespace skua::apps::cholesky
