// SPDX-License-Identifier: MIT
// A graph of tasks: a tiled triangular solve. Each block waits for the blocks that it reads.
// SKUA_POLICY=arms ./example_flow
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <vector>

#include "skua/skua.hpp"

constexpr std::size_t tiles = 12;
constexpr std::size_t size = 32;
using tile = std::vector<double>;

/// x -= a * y; the members of a team divide the rows.
void subtract_product(auto& team, tile const& a, tile const& y, tile& x) {
  auto const [begin, end] = team.share(size);
  for (auto row = begin; row < end; ++row) {
    for (std::size_t k = 0; k < size; ++k) x[row] -= a[row * size + k] * y[k];
  }
}

/// Solves a * x = x in place, for a lower triangular a.
void solve(tile const& a, tile& x) {
  for (std::size_t row = 0; row < size; ++row) {
    for (std::size_t k = 0; k < row; ++k) x[row] -= a[row * size + k] * x[k];
    x[row] /= a[row * size + row];
  }
}

int main() {
  std::vector<tile> a(tiles * tiles, tile(size * size, 0.001));
  for (std::size_t t = 0; t < tiles; ++t) {
    for (std::size_t i = 0; i < size; ++i) a[t * tiles + t][i * size + i] = 2;
  }
  std::vector<tile> x(tiles, tile(size, 1.0));

  skua::pool pool;
  double const last = pool.run([&](auto& here) {
    skua::flow graph(here);
    for (std::size_t column = 0; column < tiles; ++column) {
      auto& top = x[column];
      graph.add(skua::address::of(column, tiles), skua::writes{top.data(), size * sizeof(double)},
                [&a, &top, column](auto&) { solve(a[column * tiles + column], top); });
      for (std::size_t row = column + 1; row < tiles; ++row) {
        graph.add_team(
            skua::address::of(row, tiles), skua::task_type{1}, skua::reads{top.data(), size * sizeof(double)},
            skua::writes{x[row].data(), size * sizeof(double)},
            [&a, &x, &top, row, column](auto& team) { subtract_product(team, a[row * tiles + column], top, x[row]); });
      }
    }
    auto const solved = graph.add(skua::reads{x[tiles - 1].data(), size * sizeof(double)},
                                  [&](auto&) { return x[tiles - 1][size - 1]; });
    double answer = 0;
    graph.add(skua::takes(solved), [&](auto&, double found) { answer = found; });
    std::printf("%zu nodes, %zu edges, a critical path of %zu\n", graph.nodes(), graph.edges(),
                graph.critical_path().size());
    graph.run(here);

    double norm = 0;
    here.team(skua::address::at(0.5), [&](auto& team) {
      auto const [begin, end] = team.share(tiles);
      double mine = 0;
      for (auto t = begin; t < end; ++t) {
        for (double const value : x[t]) mine += value * value;
      }
      double const all = team.reduce(mine, std::plus<>());
      if (team.member() == 0) norm = std::sqrt(all);
    });
    std::printf("norm %.6f\n", norm);
    return answer;
  });

  // The same, row by row.
  std::vector<double> expected(tiles * size, 1.0);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) expected[i] -= 0.001 * expected[k];
    expected[i] /= 2;
  }
  std::printf("%.6f\n", last);
  return std::abs(last - expected.back()) < 1e-9 ? 0 : 1;
}
