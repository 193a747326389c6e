// SPDX-License-Identifier: MIT
// Merges two sorted ranges into one, stably. It halves the output; a binary search in both inputs at once finds which
// elements belong to the first half (Akl, Santoro 1987; Varman et al. 1991). So the pieces are equal for every input.
#pragma once

#include <algorithm>
#include <concepts>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

#include "skua/program/algorithm/split.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// Two sorted sequences. Of equal elements, those of `a` come first.
template <class A, class B>
struct sorted_pair {
  A a;
  std::size_t a_size;
  B b;
  std::size_t b_size;

  [[nodiscard]] std::size_t size() const noexcept { return a_size + b_size; }
};

/// Returns how many of the first k elements of the stable merge come from `a`. At most log2(min(k, a_size, b_size)) + 1
/// comparisons. Stays inside both sequences even if `less` is inconsistent.
template <class A, class B, class Less>
std::size_t taken_from_a(sorted_pair<A, B> const& in, std::size_t k, Less& less) {
  std::size_t low = k > in.b_size ? k - in.b_size : 0;
  std::size_t high = std::min(k, in.a_size);
  while (low < high) {
    std::size_t const i = middle(low, high);
    if (std::invoke(less, *after(in.b, k - 1 - i), *after(in.a, i))) {
      high = i;
    } else {
      low = i + 1;
    }
  }
  return low;
}

/// How a merge transfers an element: `merge` copies, `stable_sort` moves.
struct by_copying {
  template <class T>
  constexpr T& operator()(T& element) const noexcept {
    return element;
  }
};
struct by_moving {
  template <class T>
  constexpr T&& operator()(T& element) const noexcept {
    return std::move(element);
  }
};

/// Merges serially. One comparison per element of output; one comparison in all if the inputs are in order already.
///
/// For trivially copyable elements the loop has no branch on the comparison: on random keys a mispredicted branch costs
/// more than everything else. For other elements (strings) it branches: branch prediction lets the processor fetch the
/// next operands while the comparison still waits for memory, which saves more.
template <class A, class B, class Out, class Less, class Hand>
void merge_leaf(sorted_pair<A, B> const& in, Out out, Less& less, Hand hand) {
  using element = std::remove_reference_t<std::iter_reference_t<A>>;
  std::size_t a_left = in.a_size;
  std::size_t b_left = in.b_size;
  A a = in.a;
  B b = in.b;
  if (a_left != 0 && b_left != 0 && std::invoke(less, *b, *after(a, a_left - 1))) {
    for (std::size_t safe = std::min(a_left, b_left); safe != 0; safe = std::min(a_left, b_left)) {
      for (std::size_t left = safe; left != 0; --left, ++out) {  // neither input can run out in this loop
        if constexpr (std::is_trivially_copyable_v<element>) {
          element* const both[2] = {std::addressof(*a), std::addressof(*b)};
          std::size_t const right = std::invoke(less, *both[1], *both[0]) ? 1 : 0;
          *out = hand(*both[right]);
          b = after(b, right);
          a = after(a, right ^ 1U);
        } else if (std::invoke(less, *b, *a)) {
          *out = hand(*b);
          ++b;
        } else {
          *out = hand(*a);
          ++a;
        }
      }
      a_left = in.a_size - static_cast<std::size_t>(a - in.a);
      b_left = in.b_size - static_cast<std::size_t>(b - in.b);
    }
  }
  for (; a_left != 0; --a_left, ++a, ++out) *out = hand(*a);
  for (; b_left != 0; --b_left, ++b, ++out) *out = hand(*b);
}

/// `merge`, by copying or by moving.
template <fork_join Here, class A, class B, class Out, class Less, class Hand>
void merge_pieces(Here& here, sorted_pair<A, B> in, Out out, Less& less, std::size_t most, Hand hand) {
  if (in.size() <= most) {
    throw_if_stopped(here);
    merge_leaf(in, out, less, hand);
    return;
  }
  std::size_t const half = middle(0, in.size());
  std::size_t const i = taken_from_a(in, half, less);
  sorted_pair<A, B> const low{in.a, i, in.b, half - i};
  sorted_pair<A, B> const high{after(in.a, i), in.a_size - i, after(in.b, half - i), in.b_size - (half - i)};
  Out const out_high = after(out, half);
  here.join([&](Here& h) { merge_pieces(h, low, out, less, most, hand); },
            [&](Here& h) { merge_pieces(h, high, out_high, less, most, hand); });
}

/// Copies the stable merge of two sorted ranges to `out`; returns the end of the output. `out` must have room for all
/// elements and must not overlap the input. Equal elements keep their order, those of `a` first.
/// `less` is a strict weak order; several workers may call it at once. `most`: elements of output per leaf; automatic:
/// 16384. Work O(n), span O(most + log^2 n); no extra space. Exceptions and stops: as for_each.
template <fork_join Here, divisible_range A, divisible_range B, std::random_access_iterator Out,
          class Less = std::less<>>
  requires std::is_lvalue_reference_v<reference_of<A const>> &&
           std::same_as<reference_of<A const>, reference_of<B const>>
Out merge(Here& here, A const& a, B const& b, Out out, Less less = {}, grain most = automatic) {
  sorted_pair<iterator_of<A const>, iterator_of<B const>> const in{std::ranges::begin(a), length(a),
                                                                   std::ranges::begin(b), length(b)};
  merge_pieces(here, in, out, less, most.elements != 0 ? most.elements : std::size_t{16384}, by_copying{});
  return after(out, in.size());
}

}}}  // namespace skua::v0::runtime

namespace skua { inline namespace v0 {

using runtime::merge;

}}  // namespace skua::v0
