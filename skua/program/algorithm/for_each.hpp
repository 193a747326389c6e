// SPDX-License-Identifier: MIT
// A loop whose iterations may run in parallel.
#pragma once

#include <concepts>
#include <cstddef>
#include <iterator>
#include <type_traits>

#include "skua/parts/base/error.hpp"
#include "skua/parts/base/ranges.hpp"
#include "skua/program/algorithm/body.hpp"
#include "skua/program/algorithm/split.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// The loop over n elements from `first` on.
template <fork_join Here, std::random_access_iterator It, class Body>
void for_each_from(Here& here, It first, std::size_t n, Body& body, grain most) {
  auto leaf = [&body, first](Here& h, std::size_t begin, std::size_t end) {
    auto const last = after(first, end);
    for (auto it = after(first, begin); it != last; ++it) call_body(h, body, *it);
  };
  for_pieces(here, n, most, leaf);
}

/// Calls body([here,] element) once for every element of the range, in any order. Each leaf is a plain loop, left to
/// right. `most`: elements per leaf; automatic: 8 leaves per worker, fewer if such a leaf would take less than a steal
/// (1.5 us). Work O(n), span O(log n + most) calls of the body; no extra space. Rethrows the body's first exception and
/// drops the elements that have not begun. Throws `cancelled` if a stop was requested before all leaves had begun.
template <fork_join Here, divisible_range Range, class Body>
  requires body_of<Body, Here, reference_of<Range>>
void for_each(Here& here, Range&& range, Body&& body, grain most = automatic) {
  for_each_from(here, std::ranges::begin(range), length(range), body, most);
}

/// The same for the elements of the iterator range [first, last).
template <fork_join Here, std::random_access_iterator It, class Body>
  requires body_of<Body, Here, std::iter_reference_t<It>>
void for_each(Here& here, It first, It last, Body&& body, grain most = automatic) {
  for_each_from(here, first, static_cast<std::size_t>(last - first), body, most);
}

/// The same for the numbers first, first + 1, .., last - 1; for none if last < first. Throws usage_error if one bound
/// is negative and the type of the other is unsigned, because their common type has no negative numbers.
template <fork_join Here, std::integral First, std::integral Last, class Body>
  requires body_of<Body, Here, std::common_type_t<First, Last>>
void for_each(Here& here, First first, Last last, Body&& body, grain most = automatic) {
  if constexpr (!of_one_sign<First, Last>) {
    if (first < First{0} || last < Last{0})
      throw usage_error(
          "for_each: a bound is negative, and the other's type is unsigned; allowed: bounds of the same type");
  }
  using index = std::common_type_t<First, Last>;
  using distance = std::make_unsigned_t<index>;
  auto const zero = static_cast<distance>(static_cast<index>(first));
  auto const end = static_cast<distance>(static_cast<index>(last));
  if (static_cast<index>(last) <= static_cast<index>(first)) return;
  // In unsigned numbers, because last - first may not fit into `index`.
  auto leaf = [&body, zero](Here& h, std::size_t from, std::size_t to) {
    auto const end_of_piece = static_cast<index>(static_cast<distance>(zero + to));
    for (auto i = static_cast<index>(static_cast<distance>(zero + from)); i != end_of_piece; ++i)
      call_body(h, body, index{i});
  };
  for_pieces(here, static_cast<distance>(end - zero), most, leaf);
}

}}}  // namespace skua::v0::runtime

namespace skua { inline namespace v0 {

using runtime::for_each;

}}  // namespace skua::v0
