// SPDX-License-Identifier: MIT
// The concepts of <ranges> that Skua asks for, over std::ranges::begin, end and size, which <iterator> has: the views in
// <ranges> cost every program that includes Skua 0.05 s to compile.
#pragma once

#include <iterator>
#include <utility>

namespace skua { inline namespace v0 { namespace runtime {

template <class R>
using iterator_of = decltype(std::ranges::begin(std::declval<R&>()));
template <class R>
using reference_of = std::iter_reference_t<iterator_of<R>>;
template <class R>
using value_of_range = std::iter_value_t<iterator_of<R>>;
template <class R>
using difference_of = std::iter_difference_t<iterator_of<R>>;

/// std::ranges::input_range.
template <class R>
concept input_range = requires(R& r) {
  { std::ranges::begin(r) } -> std::input_iterator;
  std::ranges::end(r);
};
/// std::ranges::random_access_range.
template <class R>
concept random_access_range = input_range<R> && std::random_access_iterator<iterator_of<R>>;
/// A range that can be cut anywhere: it has random access and knows its size. std::ranges::sized_range with the above.
template <class R>
concept divisible_range = random_access_range<R> && requires(R& r) { std::ranges::size(r); };

}}}  // namespace skua::v0::runtime
