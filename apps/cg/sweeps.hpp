// SPDX-License-Identifier: MIT
// An iteration of conjugate gradients consists of five sweeps over the rows. Each returns up to three inner products of
// the vectors that it has just read or written, so that no vector is read twice.
#pragma once

#include <cstddef>
#include <cstdint>

#include "apps/cg/matrix.hpp"
#include "skua/program/fork_join.hpp"

namespace skua::apps::cg {

/// The matrix and the vectors, in NAS's letters: solve a z = x; residual r, direction p, q = a p.
struct equations {
  matrix a;
  placed_array<double> x, z, p, q, r;
};

/// Rows begin .. end-1.
struct rows {
  std::size_t begin;
  std::size_t end;
  [[nodiscard]] std::size_t count() const noexcept { return end - begin; }
};

/// Inner products over some rows.
struct sums {
  double first = 0;
  double second = 0;
  double third = 0;
  friend sums operator+(sums const& a, sums const& b) noexcept {
    return {a.first + b.first, a.second + b.second, a.third + b.third};
  }
  friend bool operator==(sums const&, sums const&) = default;
};

// The footprint of a leaf.
inline reads in(placed_array<double> const& v, rows const& some) noexcept {
  return {v.data() + some.begin, some.count() * sizeof(double)};
}
inline writes out(placed_array<double> const& v, rows const& some) noexcept {
  return {v.data() + some.begin, some.count() * sizeof(double)};
}
inline flops per_row(double operations, rows const& some) noexcept {
  return {operations * static_cast<double>(some.count())};
}
inline std::size_t nonzeros(matrix const& a, rows const& some) noexcept {
  return a.starts[some.end] - a.starts[some.begin];
}

/// Runs kernel() as a leaf that multiplies these rows of the matrix by the vector v.
template <fork_join Here, class... Words>
decltype(auto) product_leaf(Here& here, matrix const& a, placed_array<double> const& v, rows const& some,
                            Words&&... rest) {
  std::size_t const elements = nonzeros(a, some);
  return here.leaf(reads{a.values.data() + a.starts[some.begin], elements * sizeof(double)},
                   reads{a.columns.data() + a.starts[some.begin], elements * sizeof(std::uint32_t)},
                   reads{a.starts.data() + some.begin, (some.count() + 1) * sizeof(std::size_t)},
                   reads{v.data(), v.size() * sizeof(double)}, flops{2 * static_cast<double>(elements)}, rest...);
}

// A sweep: `run` handles some rows; `leaf` declares their footprint to `here` and calls `kernel`. `is_product`: a row
// is much work, because the sweep reads the matrix.

/// x = scale z; then z = 0, r = p = x. Returns r.r
struct start {
  equations& on;
  double scale;
  static constexpr bool is_product = false;
  [[nodiscard]] sums run(rows const& some) const noexcept;
  template <fork_join Here, class Kernel>
  sums leaf(Here& here, rows const& some, Kernel const& kernel) const {
    return here.leaf(in(on.z, some), out(on.x, some), out(on.z, some), out(on.r, some), out(on.p, some),
                     per_row(3, some), kernel);
  }
};

/// q = a p. Returns p.q
struct multiply {
  equations& on;
  static constexpr bool is_product = true;
  [[nodiscard]] sums run(rows const& some) const noexcept;
  template <fork_join Here, class Kernel>
  sums leaf(Here& here, rows const& some, Kernel const& kernel) const {
    return product_leaf(here, on.a, on.p, some, out(on.q, some), per_row(2, some), kernel);
  }
};

/// z += alpha p, r -= alpha q. Returns r.r
struct advance {
  equations& on;
  double alpha;
  static constexpr bool is_product = false;
  [[nodiscard]] sums run(rows const& some) const noexcept;
  template <fork_join Here, class Kernel>
  sums leaf(Here& here, rows const& some, Kernel const& kernel) const {
    return here.leaf(in(on.p, some), in(on.q, some), in(on.z, some), in(on.r, some), out(on.z, some), out(on.r, some),
                     per_row(6, some), kernel);
  }
};

/// p = r + beta p
struct turn {
  equations& on;
  double beta;
  static constexpr bool is_product = false;
  [[nodiscard]] sums run(rows const& some) const noexcept;
  template <fork_join Here, class Kernel>
  sums leaf(Here& here, rows const& some, Kernel const& kernel) const {
    return here.leaf(in(on.r, some), in(on.p, some), out(on.p, some), per_row(2, some), kernel);
  }
};

/// Judges z. Returns x.z, z.z, and the square of |x - a z|
struct judge {
  equations& on;
  static constexpr bool is_product = true;
  [[nodiscard]] sums run(rows const& some) const noexcept;
  template <fork_join Here, class Kernel>
  sums leaf(Here& here, rows const& some, Kernel const& kernel) const {
    return product_leaf(here, on.a, on.z, some, in(on.x, some), per_row(7, some), kernel);
  }
};

}  // namespace skua::apps::cg
