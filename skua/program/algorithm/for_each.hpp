// SPDX-License-Identifier: MIT
// A loop whose iterations may run in parallel.
#pragma once

#include "skua/program/algorithm/body.hpp"
#include "skua/program/algorithm/split.hpp"

namespace skua::inline v0::runtime {

/// Calls body([here,] element) once for every element of the range, in any order.
/// `most`: elements per leaf; automatic: 8 leaves per worker, without forks where the loop takes less than 1.5 us or no other
/// worker could help. A leaf is a plain loop, left to right.
/// Work O(n), span O(log n + most) calls of the body; no extra space. Rethrows the body's first exception and drops the
/// elements not yet begun. Throws `cancelled` if a stop was requested before all leaves had begun.
template <fork_join Here, divisible_range Range, class Body>
  requires body_of<Body, Here, std::ranges::range_reference_t<Range>>
void for_each(Here& here, Range&& range, Body&& body, grain most = automatic) {
  auto const first = std::ranges::begin(range);
  std::size_t const n = length(range);
  auto leaf = [&body, first](Here& h, std::size_t begin, std::size_t end) {
    auto const last = after(first, end);
    for (auto it = after(first, begin); it != last; ++it) call_body(h, body, *it);
  };
  for_pieces(here, n, most, leaf);
}

/// The same for the numbers first, first + 1, .., last - 1, or for the elements that
/// the iterators [first, last) point to.
template <fork_join Here, class First, class Last, class Body>
  requires requires(First first, Last last) { between(first, last); }
void for_each(Here& here, First first, Last last, Body&& body, grain most = automatic) {
  for_each(here, between(first, last), body, most);
}

}  // namespace skua::inline v0::runtime

namespace skua::inline v0 {

using runtime::for_each;

}  // namespace skua::inline v0
