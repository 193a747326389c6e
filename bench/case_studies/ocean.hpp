// SPDX-License-Identifier: MIT
// A shallow basin with land: only cells of water are computed, so rows take different times. The model that both versions of
// the case study share (docs/case-studies.md).
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

namespace skua::bench::ocean {

/// Consecutive cells of water in a row.
struct strait {
  std::size_t first, end;
};

struct basin {
  std::size_t rows = 0, columns = 0;
  std::vector<std::vector<strait>> water;  ///< of each row
  std::vector<float> level, next;
};

/// A bay that narrows from south to north, with islands. Deterministic.
inline basin make_basin(std::size_t n) {
  basin b{.rows = n, .columns = n, .water = std::vector<std::vector<strait>>(n), .level = {}, .next = {}};
  for (std::size_t i = 1; i + 1 < n; ++i) {
    double const y = static_cast<double>(i) / static_cast<double>(n);
    auto const half = static_cast<std::size_t>(static_cast<double>(n - 2) * 0.5 * y * y);
    std::size_t const from = n / 2 - half, to = n / 2 + half;
    bool const has_island = (i / (n / 16 + 1)) % 3 == 1 && half > n / 8;
    if (half == 0) continue;
    if (has_island) {
      b.water[i].push_back({from, n / 2 - half / 4});
      b.water[i].push_back({n / 2 + half / 4, to});
    } else {
      b.water[i].push_back({from, to});
    }
  }
  b.level.assign(n * n, 0);
  for (std::size_t i = 0; i < n * n; ++i) b.level[i] = static_cast<float>(std::sin(0.01 * static_cast<double>(i)));
  b.next = b.level;
  return b;
}

/// The next state of one row.
inline void relax_row(basin& b, std::size_t i) {
  float const* const row = b.level.data() + i * b.columns;
  float const* const north = row - b.columns;
  float const* const south = row + b.columns;
  float* const out = b.next.data() + i * b.columns;
  for (strait const& s : b.water[i]) {
    for (std::size_t j = s.first; j < s.end; ++j)
      out[j] = row[j] + 0.2F * (north[j] + south[j] + row[j - 1] + row[j + 1] - 4 * row[j]);
  }
}

/// How many cells of a row are water: its work.
inline double cells(basin const& b, std::size_t i) {
  double n = 0;
  for (strait const& s : b.water[i]) n += static_cast<double>(s.end - s.first);
  return n;
}

inline double checksum(basin const& b) {
  double sum = 0;
  for (float const x : b.level) sum += static_cast<double>(x);
  return sum;
}

}  // namespace skua::bench::ocean
