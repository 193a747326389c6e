// SPDX-License-Identifier: MIT
// qr: A = Q * R of a square matrix in tiles. A tile below the diagonal is eliminated against the triangle above it, so a column has
// a chain of tasks, and each of them a row of updates. [Buttari, Langou, Kurzak, Dongarra 2009]
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "apps/qr/lapack.hpp"
#include "apps/row_parts.hpp"
#include "skua/program/flow/flow.hpp"
#include "skua/program/footprint.hpp"

namespace skua::apps::qr {

struct shape {
  std::size_t n = 1;
  std::size_t tile = 1;
  std::uint64_t seed = 1;

  [[nodiscard]] std::size_t tiles() const noexcept { return (n + tile - 1) / tile; }  ///< in a row
  [[nodiscard]] std::size_t rows_of(std::size_t i) const noexcept { return std::min(tile, n - i * tile); }
  /// Element (i, j) of A: random in [-1, 1].
  [[nodiscard]] double element(std::size_t i, std::size_t j) const noexcept;
};

/// In step k: the tile on the diagonal is factored; the tiles right of it are updated; each tile (i, k) below is eliminated
/// against the diagonal, and then rows k and i are updated together.
enum class operation : std::uint16_t { factor = 1, update, eliminate, update_pair };

/// Writes tile (i, j), and (k, j) unless i is k.
struct task {
  operation what;
  std::size_t i, j, k;
  [[nodiscard]] double operations(shape const& s) const noexcept;
  [[nodiscard]] std::string name() const;
  [[nodiscard]] task_type type() const noexcept { return {.number = static_cast<std::uint16_t>(what)}; }
};

class problem {
 public:
  problem() = default;
  /// Throws usage_error if there is no OpenBLAS, and std::bad_alloc.
  explicit problem(shape const& s);

  [[nodiscard]] shape const& of() const noexcept { return shape_; }
  [[nodiscard]] double* at(std::size_t i, std::size_t j) noexcept { return tiles_.data() + offset(i, j); }
  [[nodiscard]] double const* at(std::size_t i, std::size_t j) const noexcept { return tiles_.data() + offset(i, j); }
  /// The T of the task that eliminated tile (i, k), or factored (k, k).
  [[nodiscard]] double* factor_of(std::size_t i, std::size_t k) noexcept {
    return factors_.data() + (i * shape_.tiles() + k) * lapack::inner * shape_.tile;
  }
  /// The V of the tile (k, k): R above it goes on changing.
  [[nodiscard]] double* reflectors(std::size_t k) noexcept {
    return reflectors_.data() + k * shape_.tile * shape_.tile;
  }
  void reset();

  void run(task const& t) { run_columns(t, 0, shape_.rows_of(t.j)); }
  /// Columns [begin, end) of the written tiles, of an `update` or `update_pair`; the parts may run at the same time. Others run
  /// whole.
  void run_columns(task const& t, std::size_t begin, std::size_t end);

  /// Empty if R^T R x = A^T A x for random x, up to rounding; else one line. So R is right, and its factor was
  /// orthogonal.
  [[nodiscard]] std::string wrong() const;

 private:
  [[nodiscard]] std::size_t offset(std::size_t i, std::size_t j) const noexcept {
    return (i * shape_.tiles() + j) * shape_.tile * shape_.tile;
  }
  shape shape_;
  std::vector<double> tiles_;  ///< row by row, each column by column
  std::vector<double> factors_;
  std::vector<double> reflectors_;
  std::vector<lapack> by_;  ///< one, or none in an empty problem
};

/// Calls visit(task) for all tasks, in an order in which they can be executed.
template <class Visit>
void for_each_task(std::size_t tiles, Visit&& visit) {
  for (std::size_t k = 0; k < tiles; ++k) {
    visit(task{operation::factor, k, k, k});
    for (std::size_t j = k + 1; j < tiles; ++j) visit(task{operation::update, k, j, k});
    for (std::size_t i = k + 1; i < tiles; ++i) {
      visit(task{operation::eliminate, i, k, k});
      for (std::size_t j = k + 1; j < tiles; ++j) visit(task{operation::update_pair, i, j, k});
    }
  }
}

/// Adds all tasks to a graph; calls seen(node, task) for each.
template <class Graph, class Seen>
void build(Graph& graph, problem& p, Seen&& seen) {
  shape const s = p.of();
  std::uint64_t const n = s.tiles();
  std::size_t const bytes = s.tile * s.tile * sizeof(double);
  std::size_t const t_bytes = lapack::inner * s.tile * sizeof(double);
  for_each_task(s.tiles(), [&](task const& t) {
    double const operations = t.operations(s);
    auto const hints = work{operations} | address::of(t.i * n + t.j, n * n) | t.type();
    writes const to{p.at(t.i, t.j), bytes};
    writes const top{p.at(t.k, t.j), bytes};
    auto const add = [&](auto const&... words) {
      return graph.add(hints, words...,
                       [=, &p](auto& here) { here.leaf(words..., flops{operations}, [&] { p.run(t); }); });
    };
    // Members share the columns of what is written; all of them read V and T.
    auto const add_team = [&](reads const& v, reads const& factor, auto const&... written) {
      return graph.add_team(hints, v, factor, written..., [=, &p](auto& mine) {
        std::uint64_t const columns = s.rows_of(t.j);
        auto const part = mine.share(columns);
        if (part.begin == part.end) return;
        auto const of_mine = [&](writes const& whole) {
          std::size_t const column = s.tile * sizeof(double);
          return writes{static_cast<char const*>(whole.data) + part.begin * column, (part.end - part.begin) * column};
        };
        mine.here().leaf(v, factor, of_mine(written)..., flops{part_of(operations, part.begin, part.end, columns)},
                         [&] { p.run_columns(t, part.begin, part.end); });
      });
    };
    switch (t.what) {
      case operation::factor:
        return seen(add(to, writes{p.factor_of(t.k, t.k), t_bytes}, writes{p.reflectors(t.k), bytes}), t);
      case operation::update:
        return seen(add_team(reads{p.reflectors(t.k), bytes}, reads{p.factor_of(t.k, t.k), t_bytes}, to), t);
      case operation::eliminate: return seen(add(top, to, writes{p.factor_of(t.i, t.k), t_bytes}), t);
      case operation::update_pair:
        return seen(add_team(reads{p.at(t.i, t.k), bytes}, reads{p.factor_of(t.i, t.k), t_bytes}, top, to), t);
    }
  });
}

template <class Here>
void program(Here& here, problem& p) {
  flow graph(here);
  build(graph, p, [](auto const&, task const&) {});
  graph.run(here);
}

/// One task after the other.
void run_alone(problem& p);
void with_openmp(unsigned workers, problem& p);

}  // namespace skua::apps::qr
