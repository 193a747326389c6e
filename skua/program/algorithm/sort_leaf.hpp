// SPDX-License-Identifier: MIT
// The serial end of `stable_sort`: a stable merge sort between two sequences that both hold live objects.
//
// Not std::stable_sort, which allocates a buffer per call although `stable_sort` has one already, and mispredicts a
// branch per comparison.
#pragma once

#include <algorithm>
#include <functional>
#include <utility>

#include "skua/program/algorithm/merge.hpp"
#include "skua/program/algorithm/split.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// The longest run that is sorted by insertion.
inline constexpr std::size_t insertion_most = 16;

/// Sorts n elements by insertion, stably. O(n^2) comparisons.
template <class It, class Less>
void insertion_sort(It first, std::size_t n, Less& less) {
  for (std::size_t i = 1; i < n; ++i) {
    It hole = after(first, i);
    if (!std::invoke(less, *hole, *std::prev(hole))) continue;
    auto moved = std::move(*hole);
    do {
      *hole = std::move(*std::prev(hole));
      --hole;
    } while (hole != first && std::invoke(less, moved, *std::prev(hole)));
    *hole = std::move(moved);
  }
}

template <class From, class To, class Less>
void sort_across(From from, To to, std::size_t n, Less& less);

/// Sorts the n elements at `data`; overwrites the n objects at `other`.
template <class Data, class Other, class Less>
void sort_in_place(Data data, Other other, std::size_t n, Less& less) {
  if (n <= insertion_most) {
    insertion_sort(data, n, less);
    return;
  }
  std::size_t const half = n / 2;
  sort_across(data, other, half, less);
  sort_across(after(data, half), after(other, half), n - half, less);
  merge_leaf(sorted_pair<Other, Other>{other, half, after(other, half), n - half}, data, less, by_moving{});
}

/// Sorts the n elements at `from` into the n objects at `to`.
template <class From, class To, class Less>
void sort_across(From from, To to, std::size_t n, Less& less) {
  if (n <= insertion_most) {
    insertion_sort(from, n, less);
    std::move(from, after(from, n), to);
    return;
  }
  std::size_t const half = n / 2;
  sort_in_place(from, to, half, less);
  sort_in_place(after(from, half), after(to, half), n - half, less);
  merge_leaf(sorted_pair<From, From>{from, half, after(from, half), n - half}, to, less, by_moving{});
}

}}}  // namespace skua::v0::runtime
