// SPDX-License-Identifier: MIT
// Conjugate gradients on a sparse matrix in CSR form, whose rows are of very different length: the graph Laplacian of a
// network with hubs, plus the identity. What both versions of the case study share (docs/case-studies.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace skua::bench::solver {

struct matrix {
  std::size_t n = 0;
  std::vector<std::size_t> begin;  ///< n + 1
  std::vector<std::uint32_t> column;
  std::vector<double> value;
};

/// Node i is linked with some earlier ones, mostly with the first few: hubs. Deterministic.
inline matrix make_network(std::size_t n, std::size_t links) {
  std::vector<std::vector<std::uint32_t>> near(n);
  std::uint64_t state = 12345;
  auto const draw = [&] {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<double>(state >> 11) / 9007199254740992.0;
  };
  for (std::size_t i = 1; i < n; ++i) {
    for (std::size_t l = 0; l < links; ++l) {
      double const u = draw();
      auto const j = static_cast<std::size_t>(u * u * u * static_cast<double>(i));
      near[i].push_back(static_cast<std::uint32_t>(j));
      near[j].push_back(static_cast<std::uint32_t>(i));
    }
  }
  matrix m{.n = n, .begin = {0}, .column = {}, .value = {}};
  for (std::size_t i = 0; i < n; ++i) {
    m.column.push_back(static_cast<std::uint32_t>(i));
    m.value.push_back(1 + static_cast<double>(near[i].size()));
    for (std::uint32_t const j : near[i]) {
      m.column.push_back(j);
      m.value.push_back(-1);
    }
    m.begin.push_back(m.column.size());
  }
  return m;
}

inline double row_times(matrix const& m, std::size_t i, std::vector<double> const& x) {
  double sum = 0;
  for (std::size_t k = m.begin[i]; k < m.begin[i + 1]; ++k) sum += m.value[k] * x[m.column[k]];
  return sum;
}

/// What the solver keeps. b is 1 everywhere, so that x tends to 1, too: rows of the Laplacian sum to zero.
struct state {
  explicit state(std::size_t n) : x(n, 0), r(n), p(n), q(n, 0) {
    for (std::size_t i = 0; i < n; ++i) r[i] = p[i] = 1 + 0.5 * static_cast<double>(i % 7);
  }
  std::vector<double> x, r, p, q;
};

}  // namespace skua::bench::solver
