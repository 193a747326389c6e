// SPDX-License-Identifier: MIT
// C += A * B by divide and conquer, in any layout: every matrix in four quadrants, two groups of four products.
// [adws-sc19 4.1.2, 5.2; numa-ws-2018 V]
//
// The same source runs on rows (rows_view) and on Z-ordered blocks (z_view), with the same cuts and the same leaves, so
// that a difference of times is a difference of layouts.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "apps/matmul/leaf.hpp"
#include "apps/place_range.hpp"
#include "apps/tbb_workers.hpp"
#include "skua/program/fork_join.hpp"

namespace skua::apps::matmul {

/// C is m x n, A is m x k, B is k x n.
template <template <class> class View>
struct product {
  View<float> c;
  View<float const> a;
  View<float const> b;
  bool replace = false;  ///< C = A * B

  [[nodiscard]] bool empty() const noexcept { return c.empty() || a.columns() == 0; }
  [[nodiscard]] bool is_leaf() const noexcept { return c.is_block() && a.is_block(); }
  [[nodiscard]] double flops() const noexcept {
    return 2.0 * static_cast<double>(c.rows()) * static_cast<double>(c.columns()) * static_cast<double>(a.columns());
  }
  [[nodiscard]] block as_block() const noexcept {
    return {.c = c.row(0),
            .a = a.row(0),
            .b = b.row(0),
            .c_stride = c.stride(),
            .a_stride = a.stride(),
            .b_stride = b.stride(),
            .m = c.rows(),
            .n = c.columns(),
            .k = a.columns(),
            .replace = replace};
  }

  using group = std::array<product, 4>;
  /// The products of a group write different quadrants of C, upper left first. Both groups write the same
  /// C, so the second follows the first; it is empty if the sums are not cut. A side of one block is not
  /// cut: its second half is empty.
  [[nodiscard]] std::array<group, 2> groups() const noexcept {
    auto const in_c = c.quadrants();
    auto const in_a = a.quadrants();
    auto const in_b = b.quadrants();
    std::array<group, 2> all;
    for (std::size_t half = 0; half < 2; ++half) {
      for (std::size_t i = 0; i < 4; ++i) {
        all[half][i] = {in_c[i], in_a[i / 2 * 2 + half], in_b[half * 2 + i % 2], replace && half == 0};
      }
    }
    return all;
  }
};

/// A block of a matrix as a leaf's footprint.
template <class Word, class View>
Word footprint_of(View const& v) noexcept {
  return {v.data(), v.columns() * sizeof(float), v.rows(), v.stride() * sizeof(float)};
}

/// The hints of product i of a group: its work, and the place of its quadrant of C. Below a single place there is no
/// place hint, so the product inherits the place. [adws-sc19 4.1, numa-ws-2018 III-A]
template <template <class> class View>
hint hint_of(product<View> const& p, place_range all, std::uint32_t i) noexcept {
  hint known = as_hint(work{p.flops()});
  if (all.count > 1) known.place = place_id{all.quarter(i).first};
  return known;
}

/// C += A * B, or C = A * B; C is divided among the places, quadrant by quadrant, while there are several.
/// Work O(m n k), span O(k / side * side^3) for blocks of `side`.
template <fork_join Here, template <class> class View>
void program(Here& here, product<View> const& p, leaf_function* leaf, place_range at = {}) {
  if (p.empty()) return;
  if (p.is_leaf()) {
    here.leaf(footprint_of<reads>(p.a), footprint_of<reads>(p.b), footprint_of<writes>(p.c), flops{p.flops()},
              [&] { leaf(p.as_block()); });
    return;
  }
  for (auto const& g : p.groups()) {
    if (g[0].empty()) continue;
    here.join(
        hint_of(g[0], at, 0), [&](Here& h) { program(h, g[0], leaf, at.quarter(0)); }, hint_of(g[1], at, 1),
        [&](Here& h) { program(h, g[1], leaf, at.quarter(1)); }, hint_of(g[2], at, 2),
        [&](Here& h) { program(h, g[2], leaf, at.quarter(2)); }, hint_of(g[3], at, 3),
        [&](Here& h) { program(h, g[3], leaf, at.quarter(3)); });
  }
}

/// The same with OpenMP tasks, inside a team. One thread calls it and takes part.
template <template <class> class View>
void with_openmp_tasks(product<View> const& p, leaf_function* leaf);
/// The same with oneTBB, inside an arena.
template <template <class> class View>
void with_tbb_tasks(product<View> const& p, leaf_function* leaf);

template <template <class> class View>
void with_openmp(unsigned workers, product<View> const& p, leaf_function* leaf);
template <template <class> class View>
void with_tbb(tbb_workers& workers, unsigned count, product<View> const& p, leaf_function* leaf) {
  workers.run(count, [&] { with_tbb_tasks(p, leaf); });
}

}  // namespace skua::apps::matmul
