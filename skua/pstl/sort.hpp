// SPDX-License-Identifier: MIT
// libstdc++'s parallel backend: merging and sorting (loops.hpp has its rules).
//
// The caller of a sort brings the serial sort of a leaf, which may do more than sort: partial_sort_copy's constructs the
// elements first. So each element must be in exactly one leaf, and nothing else may touch it before.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>

#include "skua/program/algorithm/radix_sort.hpp"
#include "skua/program/algorithm/sort.hpp"
#include "skua/pstl/loops.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace pstl {

inline constexpr offset merge_leaf = 2048;  ///< elements: a merge takes some us
inline constexpr offset sort_leaf = 512;

/// Merges [x, x_end) and [y, y_end) into the elements from z on: calls leaf(x, x_end, y, y_end, z, comp) for pieces. Of equal
/// elements those of x come first. Work O(n), span O(log^2 n). [Cormen et al., Introduction to Algorithms, 3rd ed., 27.3]
template <class X, class Y, class Z, class Comp, class Leaf>
void merge_pieces(X x, X x_end, Y y, Y y_end, Z z, Comp& comp, Leaf& leaf) {
  auto const nx = static_cast<offset>(x_end - x);
  auto const ny = static_cast<offset>(y_end - y);
  if (nx + ny <= merge_leaf) {
    leaf(x, x_end, y, y_end, z, comp);
    return;
  }
  X const x_mid = nx < ny ? std::upper_bound(x, x_end, *later(y, ny / 2), std::ref(comp)) : later(x, nx / 2);
  Y const y_mid = nx < ny ? later(y, ny / 2) : std::lower_bound(y, y_end, *x_mid, std::ref(comp));
  Z const z_mid = later(z, static_cast<offset>(x_mid - x) + static_cast<offset>(y_mid - y));
  skua::parallel_invoke([&] { merge_pieces(x, x_mid, y, y_mid, z, comp, leaf); },
                        [&] { merge_pieces(x_mid, x_end, y_mid, y_end, z_mid, comp, leaf); });
}

template <class Policy, class X, class Y, class Z, class Comp, class Leaf>
void __parallel_merge(Policy&&, X x, X x_end, Y y, Y y_end, Z z, Comp comp, Leaf leaf) {
  if (static_cast<offset>(x_end - x) + static_cast<offset>(y_end - y) <= merge_leaf) {
    leaf(x, x_end, y, y_end, z, comp);
    return;
  }
  to_the_end([&](here&) { merge_pieces(x, x_end, y, y_end, z, comp, leaf); });
}

/// A stable merge sort of [first, first + n) with memory for as many elements.
template <class It, class Comp, class Leaf>
class merge_sort {
 public:
  using value = typename std::iterator_traits<It>::value_type;

  merge_sort(It first, offset n, Comp& comp, Leaf& leaf, offset leaf_size)
      : first_(first), comp_(comp), leaf_(leaf), leaf_size_(leaf_size), buffer_(static_cast<std::size_t>(n)) {
    sort(0, n, false);
  }

 private:
  /// The range [i, j) ends up sorted in its place, or constructed in the buffer with the moved-from elements in place. The
  /// buffer holds elements only between a merge into it and the merge out of it. (If `comp` throws, which ends the process
  /// unless it is std::bad_alloc, those elements are not destroyed.)
  void sort(offset i, offset j, bool into_buffer) {
    if (j - i <= leaf_size_) {
      leaf_(at(i), at(j), comp_);
      if (into_buffer) std::uninitialized_move(at(i), at(j), buffer_.get() + i);
      return;
    }
    offset const mid = i + (j - i) / 2;
    skua::parallel_invoke([&] { sort(i, mid, !into_buffer); }, [&] { sort(mid, j, !into_buffer); });
    value* const b = buffer_.get();
    if (into_buffer) {
      auto const construct = [](auto from, value* to) { std::construct_at(to, std::move(*from)); };
      auto merge = merge_leaf_with(construct);
      merge_pieces(at(i), at(mid), at(mid), at(j), b + i, comp_, merge);
    } else {
      auto const assign = [](value* from, It to) {
        *to = std::move(*from);
        std::destroy_at(from);
      };
      auto merge = merge_leaf_with(assign);
      merge_pieces(b + i, b + mid, b + mid, b + j, at(i), comp_, merge);
    }
  }

  template <class Move>
  static auto merge_leaf_with(Move const& move) {
    return [&move](auto x, auto x_end, auto y, auto y_end, auto z, Comp& comp) {
      for (; x != x_end && y != y_end; ++z) {
        if (comp(*y, *x)) {
          move(y++, z);
        } else {
          move(x++, z);
        }
      }
      for (; x != x_end; ++x, ++z) move(x, z);
      for (; y != y_end; ++y, ++z) move(y, z);
    };
  }

  [[nodiscard]] It at(offset i) const { return later(first_, i); }

  It first_;
  Comp& comp_;
  Leaf& leaf_;
  offset leaf_size_;
  __buffer<value> buffer_;
};

/// True if std::sort's order on these elements is that of their digits, and the leaf (a lambda without captures) only sorts.
template <class It, class Comp, class Leaf>
consteval bool sorted_by_digits() {
  if constexpr (std::contiguous_iterator<It> && std::is_empty_v<Leaf>) {
    if constexpr (radix_key<std::iter_value_t<It>>) return direction_of<std::iter_value_t<It>, Comp> != direction::none;
  }
  return false;
}

/// The `wanted` smallest of n elements come first, sorted; the leaf sorts as many of a tile. Work O(n log wanted).
template <class It, class Comp, class Leaf>
void sort_smallest(It first, tiling const& tiles, offset wanted, Comp& comp, Leaf& leaf) {
  skua::parallel_for(offset{0}, tiles.count,
                     [&](offset t) { leaf(later(first, tiles.begin(t)), later(first, tiles.end(t)), comp); });
  // To the front with each tile's smallest. None is overwritten before it has moved: tiles have at least `wanted` elements.
  for (offset t = 1; t < tiles.count; ++t)
    for (offset i = 0; i < wanted; ++i) std::iter_swap(later(first, t * wanted + i), later(first, tiles.begin(t) + i));
  std::partial_sort(first, later(first, wanted), later(first, tiles.count * wanted), std::ref(comp));
}

/// Sorts [first, last), stably if the leaf does: leaf(i, j, comp) sorts [i, j), or, if `smallest` is not 0, brings its
/// `smallest` smallest elements sorted to the front. Then only as many of the range need to be sorted. Needs memory for
/// n elements; throws std::bad_alloc. Integers in the order of std::less or std::greater are sorted by their digits.
/// Work O(n log n), span O(log^3 n) and a leaf of n / 8p elements.
template <class Policy, class It, class Comp, class Leaf>
void __parallel_stable_sort(Policy&&, It first, It last, Comp comp, Leaf leaf, std::size_t smallest = 0) {
  auto const n = static_cast<offset>(last - first);
  auto const wanted = smallest == 0 ? n : std::min(static_cast<offset>(smallest), n);
  if (n <= sort_leaf) {
    leaf(first, last, comp);
    return;
  }
  to_the_end([&](here& h) {
    if constexpr (sorted_by_digits<It, Comp, Leaf>()) {
      if (wanted == n) {
        skua::sort(h, first, last, comp);
        return;
      }
    }
    tiling const tiles(n, sort_leaf);
    if (wanted <= tiles.smallest() && wanted * tiles.count <= n / 4) {
      sort_smallest(first, tiles, wanted, comp, leaf);
    } else {
      merge_sort<It, Comp, Leaf>(first, n, comp, leaf, std::min(tiles.size, wanted));
    }
  });
}

}}}}  // namespace skua::v0::runtime::pstl
