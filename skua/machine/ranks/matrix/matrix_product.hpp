// SPDX-License-Identifier: MIT
// The product of two matrices that lie on all ranks: each rank computes its own blocks of the result, and gets panels of the factors from their
// owners, the next one while it multiplies the last one (SRUMMA: Krishnan and Nieplocha, IPDPS 2004). distributed_matrix.md, "Products".
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "skua/machine/ranks/matrix/matrix_arithmetic.hpp"
#include "skua/machine/ranks/matrix/matrix_layout.hpp"

namespace skua { inline namespace v0 {

/// c += a * b, of blocks in rows: `a` has `rows` x `inner` elements, `b` `inner` x `columns`. Leading dimensions count elements from one row to the next.
template <class T>
struct block_product {
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
  std::uint64_t inner = 0;
  T const* a = nullptr;
  std::uint64_t leading_a = 0;
  T const* b = nullptr;
  std::uint64_t leading_b = 0;
  T* c = nullptr;
  std::uint64_t leading_c = 0;
};

template <class T>
struct product_options {
  /// Called for each block, on the communicator's thread: a call of the program's BLAS. Empty: loops, an order of magnitude slower.
  std::function<void(block_product<T> const&)> kernel = {};
  /// The program knows that the result will be symmetric. Then half of it is computed and the rest copied from there. Every rank gives the same.
  bool is_symmetric = false;
};

namespace ranks {

template <class T>
void multiply_in_loops(block_product<T> const& p) noexcept {
  constexpr std::uint64_t most_inner = 64;  // so many rows of b stay in a cache
  constexpr std::uint64_t most_columns = 256;
  for (std::uint64_t k0 = 0; k0 < p.inner; k0 += most_inner) {
    std::uint64_t const k1 = std::min(p.inner, k0 + most_inner);
    for (std::uint64_t j0 = 0; j0 < p.columns; j0 += most_columns) {
      std::uint64_t const width = std::min(most_columns, p.columns - j0);
      for (std::uint64_t i = 0; i < p.rows; ++i) {
        T* const c = p.c + i * p.leading_c + j0;
        for (std::uint64_t k = k0; k < k1; ++k) {
          T const a = p.a[i * p.leading_a + k];
          T const* const b = p.b + k * p.leading_b + j0;
          for (std::uint64_t j = 0; j < width; ++j) c[j] = sum_of(c[j], product_of(a, b[j]));
        }
      }
    }
  }
}

/// Columns [from, to).
struct column_range {
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  [[nodiscard]] std::uint64_t size() const noexcept { return to > from ? to - from : 0; }
};
using column_ranges = std::array<column_range, 2>;

/// Which half of a symmetric matrix is computed: the rows are cut into stripes, and of each pair of stripes (i, j) the one whose other is at most half a round
/// ahead computes the block. So every stripe has as much to do. **Each pair once**: of elements (i, j) and (j, i) in different stripes one is computed, in the
/// same stripe both.
class symmetric_halves {
 public:
  explicit symmetric_halves(std::uint64_t order) noexcept : order_(order), stripes_((order + height - 1) / height) {}

  static constexpr std::uint64_t height = 64;
  /// The end of the stripe that has this row.
  [[nodiscard]] std::uint64_t stripe_end(std::uint64_t row) const noexcept {
    return std::min(order_, (row / height + 1) * height);
  }
  /// What the stripe of this row computes: up to two ranges, empty ones included.
  [[nodiscard]] column_ranges computed(std::uint64_t row) const noexcept {
    auto const [first, count] = stripes_of(row);
    return ranges(first, count);
  }
  /// What it copies.
  [[nodiscard]] column_ranges copied(std::uint64_t row) const noexcept {
    auto const [first, count] = stripes_of(row);
    return ranges((first + count) % stripes_, stripes_ - count);
  }

 private:
  [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> stripes_of(std::uint64_t row) const noexcept {
    std::uint64_t const i = row / height;
    std::uint64_t const half = stripes_ / 2;
    // With an even number two stripes are half a round apart in both directions: the first one has the block.
    bool const has_last = stripes_ % 2 == 1 || i < half;
    return {i, has_last ? half + 1 : half};
  }
  [[nodiscard]] column_ranges ranges(std::uint64_t first, std::uint64_t count) const noexcept {
    std::uint64_t const end = first + count;
    return {column_range{first * height, std::min(order_, std::min(end, stripes_) * height)},
            column_range{0, end > stripes_ ? (end - stripes_) * height : 0}};
  }

  std::uint64_t order_;
  std::uint64_t stripes_;
};

/// One rank's part of a product. The matrices do not change while it computes.
template <class Matrix>
class product_part {
 public:
  using value_type = typename Matrix::value_type;

  product_part(Matrix& a, Matrix& b, product_options<value_type> const& options, std::uint32_t rank,
               std::uint32_t ranks)
      : a_(a), b_(b), options_(options), rank_(rank), ranks_(ranks), own_a_(a.local_parts()), own_b_(b.local_parts()),
        halves_(b.columns()) {}

  /// sums += the block `where` of the product, in rows without gaps.
  void add(rectangle const& where, value_type* sums, std::uint64_t leading) {
    std::uint64_t const inner = a_.columns();
    if (inner == 0 || where.is_empty()) return;
    std::uint64_t const height = panel_height(where);
    std::uint64_t const panels = (inner + height - 1) / height;
    std::uint64_t const first = panels * rank_ / ranks_;  // not all ranks ask the same owner at once
    auto const begin = [&](std::uint64_t n, panel_pair& into) {
      std::uint64_t const at = inner * ((first + n) % panels) / panels;
      std::uint64_t const end = inner * ((first + n) % panels + 1) / panels;
      into.inner = end - at;
      into.a.begin(a_, own_a_, {where.row, at, where.rows, end - at});
      into.b.begin(b_, own_b_, {at, where.column, end - at, where.columns});
    };
    panel_pair pairs[2];
    begin(0, pairs[0]);
    for (std::uint64_t n = 0; n < panels; ++n) {
      if (n + 1 < panels) begin(n + 1, pairs[(n + 1) % 2]);
      panel_pair& now = pairs[n % 2];
      now.a.arrives.wait();
      now.b.arrives.wait();
      multiply(where, now, sums, leading);
    }
  }

  /// Calls f(rectangle) for the parts of a block that are not computed.
  template <class F>
  void each_copied(rectangle const& where, F f) const {
    if (!options_.is_symmetric) return;
    each_stripe(where, [&](std::uint64_t row, std::uint64_t rows) {
      for (column_range const& r : halves_.copied(row)) {
        if (column_range const c = common(r, where); c.size() > 0) f(rectangle{row, c.from, rows, c.size()});
      }
    });
  }

 private:
  /// The block of a factor: where it lies, or a copy.
  struct panel {
    value_type const* first = nullptr;
    std::uint64_t leading = 0;
    std::vector<value_type> copy;
    decltype(std::declval<Matrix&>().start_get(rectangle{}, nullptr, 0)) arrives;  ///< ends before the copy

    template <class Parts>
    void begin(Matrix& of, Parts const& own, rectangle const& r) {
      for (auto const& v : own) {
        rectangle const& w = v.where;
        if (r.row < w.row || r.row + r.rows > w.row + w.rows) continue;
        if (r.column < w.column || r.column + r.columns > w.column + w.columns) continue;
        first = v.data + (r.row - w.row) * v.leading + (r.column - w.column);
        leading = v.leading;
        return;
      }
      copy.resize(r.size());
      arrives = of.start_get(r, copy.data(), r.columns);
      first = copy.data();
      leading = r.columns;
    }
  };
  struct panel_pair {
    std::uint64_t inner = 0;
    panel a;
    panel b;
  };

  /// Two panels of each factor take 32 MiB or less, if they have more than a few rows.
  [[nodiscard]] static std::uint64_t panel_height(rectangle const& where) noexcept {
    constexpr std::uint64_t most_bytes = std::uint64_t{16} << 20;
    return std::clamp<std::uint64_t>(most_bytes / sizeof(value_type) / (where.rows + where.columns), 8, 256);
  }
  [[nodiscard]] static column_range common(column_range const& r, rectangle const& where) noexcept {
    return {std::max(r.from, where.column), std::min(r.to, where.column + where.columns)};
  }
  template <class F>
  void each_stripe(rectangle const& where, F f) const {
    for (std::uint64_t row = where.row; row < where.row + where.rows;) {
      std::uint64_t const end = std::min(where.row + where.rows, halves_.stripe_end(row));
      f(row, end - row);
      row = end;
    }
  }
  void multiply(rectangle const& where, panel_pair const& p, value_type* sums, std::uint64_t leading) {
    auto const one = [&](std::uint64_t row, std::uint64_t rows, column_range const& c) {
      if (c.size() == 0) return;
      block_product<value_type> const block{.rows = rows,
                                            .columns = c.size(),
                                            .inner = p.inner,
                                            .a = p.a.first + (row - where.row) * p.a.leading,
                                            .leading_a = p.a.leading,
                                            .b = p.b.first + (c.from - where.column),
                                            .leading_b = p.b.leading,
                                            .c = sums + (row - where.row) * leading + (c.from - where.column),
                                            .leading_c = leading};
      options_.kernel ? options_.kernel(block) : multiply_in_loops(block);
    };
    if (!options_.is_symmetric) return one(where.row, where.rows, {where.column, where.column + where.columns});
    each_stripe(where, [&](std::uint64_t row, std::uint64_t rows) {
      for (column_range const& r : halves_.computed(row)) one(row, rows, common(r, where));
    });
  }

  Matrix& a_;
  Matrix& b_;
  product_options<value_type> const& options_;
  std::uint32_t rank_;
  std::uint32_t ranks_;
  decltype(std::declval<Matrix&>().local_parts()) own_a_;
  decltype(std::declval<Matrix&>().local_parts()) own_b_;
  symmetric_halves halves_;
};

}  // namespace ranks
}}  // namespace skua::v0
