// SPDX-License-Identifier: MIT
// An unstable sort: radix sort for integers, quicksort in place for other elements.
#pragma once

#include <algorithm>
#include <functional>
#include <iterator>
#include <memory>

#include "skua/program/algorithm/quick_sort.hpp"
#include "skua/program/algorithm/radix_sort.hpp"
#include "skua/program/algorithm/split.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// Sorts the range; equal elements may change their order (`stable_sort` keeps it). `less` is a strict weak order;
/// several workers may call it at once. Elements may be move-only.
/// Integers in contiguous memory, in the order of std::less or std::greater: radix sort with a buffer of n elements;
/// quicksort if there is no memory for the buffer. Work O(n sizeof(T)), span O(n / workers + workers).
/// Other elements: quicksort. `most`: elements per leaf; automatic: 2048. Work O(n log n), span O(n); no extra space.
/// If `less` throws or a stop is requested (see for_each), the range holds n valid elements of unspecified values.
template <fork_join Here, divisible_range Range, class Less = std::less<>>
  requires std::sortable<iterator_of<Range>, Less> && std::is_lvalue_reference_v<reference_of<Range>>
void sort(Here& here, Range&& range, Less less = {}, grain most = automatic) {
  using It = iterator_of<Range>;
  using T = std::iter_value_t<It>;
  throw_if_stopped(here);
  It const first = std::ranges::begin(range);
  std::size_t const n = length(range);
  It const last = after(first, n);
  if (std::is_sorted(first, last, std::ref(less))) return;
  if constexpr (std::contiguous_iterator<It> && radix_key<T>) {
    constexpr direction to = direction_of<T, Less>;
    if constexpr (to != direction::none) {
      using by_digits = radix_sort<Here, T, to>;
      if (n >= by_digits::least && by_digits::run(here, std::to_address(first), n)) return;
    }
  }
  quick_sort<It, Less>{less, most.elements != 0 ? most.elements : std::size_t{2048}}(here, first, last);
}

/// The same for the elements that the iterators [first, last) point to.
template <fork_join Here, std::random_access_iterator It, class Less = std::less<>>
  requires std::sortable<It, Less>
void sort(Here& here, It first, It last, Less less = {}, grain most = automatic) {
  sort(here, between(first, last), std::move(less), most);
}

}}}  // namespace skua::v0::runtime

namespace skua { inline namespace v0 {

using runtime::sort;

}}  // namespace skua::v0
