// SPDX-License-Identifier: MIT
// Applies a function to every element of a range, or to the pairs of two.
#pragma once

#include "skua/program/algorithm/body.hpp"
#include "skua/program/algorithm/split.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// Sets out[i] = f([here,] in[i]) for every i, in any order; returns the end of the output. `out` must have room for n
/// elements; it may be the input itself but must not overlap it otherwise.
/// Work O(n), span O(log n + most); no extra space. Exceptions and stops: as for_each.
template <fork_join Here, divisible_range In, std::random_access_iterator Out, class F>
  requires body_of<F, Here, reference_of<In>>
Out transform(Here& here, In&& in, Out out, F&& f, grain most = automatic) {
  auto const first = std::ranges::begin(in);
  std::size_t const n = length(in);
  auto leaf = [&f, first, out](Here& h, std::size_t begin, std::size_t end) {
    auto const last = after(first, end);
    auto to = after(out, begin);
    for (auto from = after(first, begin); from != last; ++from, ++to) *to = call_body(h, f, *from);
  };
  for_pieces(here, n, most, leaf);
  return after(out, n);
}

/// Sets out[i] = f([here,] a[i], b[i]) for every i below the shorter length. Otherwise as above.
template <fork_join Here, divisible_range A, divisible_range B, std::random_access_iterator Out, class F>
  requires body_of<F, Here, reference_of<A>, reference_of<B>>
Out transform(Here& here, A&& a, B&& b, Out out, F&& f, grain most = automatic) {
  auto const first = std::ranges::begin(a);
  auto const second = std::ranges::begin(b);
  std::size_t const n = std::min(length(a), length(b));
  auto leaf = [&f, first, second, out](Here& h, std::size_t begin, std::size_t end) {
    auto const last = after(first, end);
    auto y = after(second, begin);
    auto to = after(out, begin);
    for (auto x = after(first, begin); x != last; ++x, ++y, ++to) *to = call_body(h, f, *x, *y);
  };
  for_pieces(here, n, most, leaf);
  return after(out, n);
}

}}}  // namespace skua::v0::runtime

namespace skua { inline namespace v0 {

using runtime::transform;

}}  // namespace skua::v0
