// SPDX-License-Identifier: MIT
// Strassen's product in Winograd's form: seven products of half the side instead of eight, for fifteen additions.
// (Strassen 1969; Winograd 1971; numa-ws-2018 V)  The pieces of work of a step, for every runtime and layout.
#pragma once

#include <array>
#include <cstddef>

#include "apps/matmul/product.hpp"
#include "apps/matmul/rows.hpp"
#include "apps/padded.hpp"
#include "apps/strassen/sums.hpp"
#include "apps/strassen/workspaces.hpp"
#include "skua/parts/memory/z_matrix.hpp"
#include "skua/program/fork_join.hpp"

namespace skua::apps::strassen {

using matmul::product;
using matmul::rows_view;

/// How an n x n product is cut. Zeros enlarge the matrices, so that every step halves them in whole blocks.
struct plan {
  std::size_t n = 0;
  unsigned levels = 0;   ///< of Strassen's steps; below them, matmul
  std::size_t side = 0;  ///< of a block
  std::size_t room = 0;  ///< side of the matrices: the next multiple of 2^levels blocks

  /// Takes as few levels as make the lowest products at most `cutoff` long, with blocks of at most `leaf`.
  plan(std::size_t n, std::size_t cutoff, std::size_t leaf) noexcept;
  plan() = default;

  /// Bounds the intermediate numbers of the algorithm, as matmul::input needs it. S2 * T2 sums products of 3 * 3
  /// entries, over half as many terms, and no other product of a step is larger: 4.5 per level. A step adds up to 1 + 9
  /// + 4 of the products of its level (P1 + P6 + P7), each of half the terms: 7, where the leaves have 4.5.
  [[nodiscard]] double growth() const noexcept;
};

/// A view of the step's temporaries, by layout.
inline rows_view<float> view_at(rows_view<float> const&, float* data, std::size_t length, std::size_t side,
                                row_gap gap) noexcept {
  return {data, length, length, padded::stride_for(length, gap), side};
}
inline z_view<float> view_at(z_view<float> const&, float* data, std::size_t length, std::size_t side,
                             row_gap) noexcept {
  return {data, length, length, side};
}
inline std::size_t floats_of(rows_view<float> const& v) noexcept { return v.rows() * v.stride(); }
inline std::size_t floats_of(z_view<float> const& v) noexcept { return v.stored(); }

/// A square matrix as lines of contiguous elements. Rows are lines; in Z layout whole blocks are lines, too.
template <class T>
std::size_t lines(rows_view<T> const& v) noexcept {
  return v.rows();
}
template <class T>
std::size_t lines(z_view<T> const& v) noexcept {
  return v.stored() / (v.side() * v.side());
}
template <class T>
T* line(rows_view<T> const& v, std::size_t i) noexcept {
  return v.row(i);
}
template <class T>
T* line(z_view<T> const& v, std::size_t i) noexcept {
  return v.data() + i * v.side() * v.side();
}

/// Distance between lines, in elements.
template <class T>
std::size_t line_stride(rows_view<T> const& v) noexcept {
  return v.stride();
}
template <class T>
std::size_t line_stride(z_view<T> const& v) noexcept {
  return v.side() * v.side();
}

/// The tools that all steps of a run share.
template <template <class> class View>
struct tools {
  workspaces* room = nullptr;
  matmul::leaf_function* leaf = nullptr;
  sum_function* sum = nullptr;
  unsigned levels = 0;
  row_gap gap{};
};

/// One step: C = A * B on halves. The order must be: all pieces of `sum_inputs`, all products, all pieces of
/// `sum_products`. Each of these groups may run in any order.
template <template <class> class View>
class step {
 public:
  static constexpr std::size_t temporaries = 11;  ///< of the size of a quadrant

  step(product<View> const& whole, float* room, tools<View> const& with) noexcept
      : sum_(with.sum), a_(whole.a.quadrants()), b_(whole.b.quadrants()), c_(whole.c.quadrants()) {
    for (View<float>& temporary : all_) {
      temporary = view_at(View<float>{}, room, a_[0].rows(), whole.a.side(), with.gap);
      room += floats_of(temporary);
    }
  }
  /// The floats that a step on quadrants of this side needs.
  [[nodiscard]] static std::size_t floats(std::size_t length, std::size_t side, row_gap gap) noexcept {
    return temporaries * floats_of(view_at(View<float>{}, nullptr, length, side, gap));
  }

  /// P1 = A11 B11, P2 = A12 B21, P3 = S4 B22, P4 = A22 T4, P5 = S1 T1, P6 = S2 T2, P7 = S3 T3.
  [[nodiscard]] std::array<product<View>, 7> products() const noexcept {
    return {{{p(0), a_[0], b_[0], true},
             {c_[0], a_[1], b_[2], true},
             {c_[1], s(3), b_[3], true},
             {c_[2], a_[3], t(3), true},
             {c_[3], s(0), t(0), true},
             {p(1), s(1), t(1), true},
             {p(2), s(2), t(2), true}}};
  }

  /// The number of pieces into which the additions are cut, about 64 Ki elements each.
  [[nodiscard]] std::size_t pieces() const noexcept {
    std::size_t const wanted = (a_[0].rows() * a_[0].columns() + piece_elements - 1) / piece_elements;
    return wanted < lines(c_[0]) ? wanted : lines(c_[0]);
  }
  /// sum_inputs(i) and sum_products(i) as leaves: 4 sums per element of A or B, 7 per element of C.
  template <fork_join Here>
  void sum_inputs(Here& here, std::size_t i) const {
    bool const of_b = i >= pieces();
    auto const& in = of_b ? b_ : a_;
    std::size_t const out = of_b ? 4 : 0;
    std::size_t const k = of_b ? i - pieces() : i;
    here.leaf(part<reads>(in[0], k), part<reads>(in[1], k), part<reads>(in[2], k), part<reads>(in[3], k),
              part<writes>(all_[out], k), part<writes>(all_[out + 1], k), part<writes>(all_[out + 2], k),
              part<writes>(all_[out + 3], k), flops{4 * elements(k)}, [&] { sum_inputs(i); });
  }
  template <fork_join Here>
  void sum_products(Here& here, std::size_t i) const {
    here.leaf(part<reads>(p(0), i), part<reads>(p(1), i), part<reads>(p(2), i), part<writes>(c_[0], i),
              part<writes>(c_[1], i), part<writes>(c_[2], i), part<writes>(c_[3], i), flops{7 * elements(i)},
              [&] { sum_products(i); });
  }

  /// Piece i of 2 * pieces(): the sums of A's quadrants, then those of B's.
  void sum_inputs(std::size_t i) const noexcept {
    bool const of_b = i >= pieces();
    auto const& in = of_b ? b_ : a_;
    std::size_t const out = of_b ? 4 : 0;
    each_line(of_b ? i - pieces() : i, [&](std::size_t l, std::size_t count) {
      float const* const from[]{line(in[0], l), line(in[1], l), line(in[2], l), line(in[3], l)};
      float* const to[]{line(all_[out], l), line(all_[out + 1], l), line(all_[out + 2], l), line(all_[out + 3], l)};
      sum_(of_b ? pass::of_b : pass::of_a, count, from, to);
    });
  }
  /// Piece i of pieces(): computes C's quadrants from the products.
  void sum_products(std::size_t i) const noexcept {
    each_line(i, [&](std::size_t l, std::size_t count) {
      float const* const from[]{line(p(0), l), line(p(1), l), line(p(2), l)};
      float* const to[]{line(c_[0], l), line(c_[1], l), line(c_[2], l), line(c_[3], l)};
      sum_(pass::of_products, count, from, to);
    });
  }

 private:
  static constexpr std::size_t piece_elements = std::size_t{1} << 16;

  [[nodiscard]] View<float> const& s(std::size_t i) const noexcept { return all_[i]; }
  [[nodiscard]] View<float> const& t(std::size_t i) const noexcept { return all_[4 + i]; }
  [[nodiscard]] View<float> const& p(std::size_t i) const noexcept { return all_[8 + i]; }  ///< P1, P6, P7

  /// The lines of a piece: [first, end), each `length` elements long.
  struct range {
    std::size_t first;
    std::size_t end;
    std::size_t length;
  };
  [[nodiscard]] range lines_of(std::size_t piece) const noexcept {
    std::size_t const all = lines(c_[0]);
    return {all * piece / pieces(), all * (piece + 1) / pieces(), c_[0].rows() * c_[0].columns() / all};
  }
  template <class F>
  void each_line(std::size_t piece, F const& f) const noexcept {
    range const r = lines_of(piece);
    for (std::size_t l = r.first; l < r.end; ++l) f(l, r.length);
  }
  [[nodiscard]] double elements(std::size_t piece) const noexcept {
    range const r = lines_of(piece);
    return static_cast<double>((r.end - r.first) * r.length);
  }
  /// A piece of a matrix as a leaf's footprint.
  template <class Word, class Matrix>
  [[nodiscard]] Word part(Matrix const& v, std::size_t piece) const noexcept {
    range const r = lines_of(piece);
    return {line(v, r.first), r.length * sizeof(float), r.end - r.first, line_stride(v) * sizeof(float)};
  }

  sum_function* sum_;
  std::array<View<float const>, 4> a_;
  std::array<View<float const>, 4> b_;
  std::array<View<float>, 4> c_;
  std::array<View<float>, temporaries> all_;  ///< S1 .. S4, T1 .. T4, P1, P6, P7
};

}  // namespace skua::apps::strassen
