// SPDX-License-Identifier: MIT
// The loops of the oneTBB-style interface, with oneTBB's names and arguments, over the algorithms of program/algorithm.
//
// Any thread may call `on::parallel_for<Executor>(..)`: the executor supplies a `here`. A machine exports them as
// skua::parallel_for and so on, with its executor filled in. Several workers call the bodies at once, through a
// reference: bodies are not copied. The first exception is rethrown and the rest is dropped. A stop throws `cancelled`.
#pragma once

#include <concepts>
#include <functional>
#include <iterator>
#include <ranges>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "skua/program/algorithm/for_each.hpp"
#include "skua/program/algorithm/invoke.hpp"
#include "skua/program/algorithm/sort.hpp"
#include "skua/program/blocked_range.hpp"
#include "skua/program/executor.hpp"
#include "skua/program/partitioner.hpp"
#include "skua/program/pieces.hpp"

namespace skua::runtime::on {

/// Does a partitioner divide down to the grain?
template <partitioner P>
inline constexpr bool divides_fully = std::same_as<P, simple_partitioner>;

/// Calls body(piece) for the pieces of a self-dividing range, each once, in any order; P decides how many
/// (partitioner.hpp). Work: the bodies and a fork per piece; span: the largest piece and O(log pieces) forks.
template <task_executor Executor, self_dividing Range, class Body, partitioner P = auto_partitioner>
  requires std::invocable<Body const&, Range&>
void parallel_for(Range const& range, Body const& body, P const& = {}) {
  Executor::with_here([&](typename Executor::here& here) {
    Range whole(range);
    divide(here, whole, halvings<P>(here), body);
  });
}
/// The same pieces of a blocked_range: they are pairs of numbers, so the division need not know their type.
template <task_executor Executor, class Value, class Body, partitioner P = auto_partitioner>
  requires std::invocable<Body const&, blocked_range<Value>&>
void parallel_for(blocked_range<Value> const& range, Body const& body, P const& = {}) {
  struct loop {
    blocked_range<Value> const& whole;
    Body const& body;
  } const all{range, body};
  runtime::loop_over<Executor>(range.size(), range.grainsize(), divides_fully<P>,
                               {[](void const* self, typename Executor::here&, std::size_t begin, std::size_t end) {
                                  auto const& mine = *static_cast<loop const*>(self);
                                  blocked_range<Value> piece = mine.whole.part(begin, end);
                                  std::invoke(mine.body, piece);
                                },
                                &all});
}

/// Calls f(i) for i = first, first + 1, .., last - 1, each once, in any order. Cost: as for_each; with
/// simple_partitioner every element is a leaf.
template <task_executor Executor, std::integral First, std::integral Last, class F, partitioner P = auto_partitioner>
void parallel_for(First first, Last last, F const& f, P const& = {}) {
  using index = std::common_type_t<First, Last>;
  using distance = std::make_unsigned_t<index>;
  struct loop {
    index first;
    F const& body;
  } const all{static_cast<index>(first), f};
  auto const end = static_cast<index>(last);
  if (all.first >= end) return;
  // Unsigned: last - first need not fit into `index`.
  auto const n = static_cast<distance>(static_cast<distance>(end) - static_cast<distance>(all.first));
  runtime::loop_over<Executor>(
      n, 1, divides_fully<P>,
      {[](void const* self, typename Executor::here& here, std::size_t from, std::size_t to) {
         auto const& mine = *static_cast<loop const*>(self);
         auto i = static_cast<index>(static_cast<distance>(static_cast<distance>(mine.first) + from));
         auto const end_of_piece = static_cast<index>(static_cast<distance>(static_cast<distance>(mine.first) + to));
         for (; i != end_of_piece; ++i) static_cast<void>(call_body(here, mine.body, index{i}));
       },
       &all});
}

/// Calls f(i) for i = first, first + step, .. below last. Cost: as above.
/// Throws std::invalid_argument (as oneTBB does) unless step > 0.
template <task_executor Executor, std::integral First, std::integral Last, std::integral Step, class F,
          partitioner P = auto_partitioner>
void parallel_for(First first, Last last, Step step, F const& f, P const& p = {}) {
  using index = std::common_type_t<First, Last, Step>;
  using distance = std::make_unsigned_t<index>;
  if (step <= Step{0}) throw std::invalid_argument("parallel_for: step is not positive");
  auto const begin = static_cast<index>(first);
  auto const end = static_cast<index>(last);
  if (begin >= end) return;
  // Unsigned: last - first need not fit into `index`.
  auto const span = static_cast<distance>(static_cast<distance>(end) - static_cast<distance>(begin));
  auto const count = static_cast<distance>((span - 1) / static_cast<distance>(step) + 1);
  parallel_for<Executor>(
      distance{0}, count,
      [&](distance k) {
        std::invoke(f, static_cast<index>(static_cast<distance>(begin) +
                                          static_cast<distance>(k * static_cast<distance>(step))));
      },
      p);
}

/// Calls body(*it) for every iterator of [first, last), once, in any order. Walks iterators that are not random access
/// serially first; copies the values of input iterators.
/// Cost: as for_each; without random access also O(n) space and span.
template <task_executor Executor, std::input_iterator It, class Body>
void parallel_for_each(It first, It last, Body const& body) {
  if constexpr (std::random_access_iterator<It>) {
    Executor::with_here([&](typename Executor::here& here) { for_each(here, first, last, body); });
  } else if constexpr (std::forward_iterator<It>) {
    std::vector<It> all;
    for (; first != last; ++first) all.push_back(first);
    Executor::with_here(
        [&](typename Executor::here& here) { for_each(here, all, [&](It it) { std::invoke(body, *it); }); });
  } else {
    std::vector<std::iter_value_t<It>> all;
    for (; first != last; ++first) all.push_back(*first);
    Executor::with_here([&](typename Executor::here& here) { for_each(here, all, body); });
  }
}
template <task_executor Executor, std::ranges::input_range Container, class Body>
void parallel_for_each(Container&& all, Body const& body) {
  parallel_for_each<Executor>(std::ranges::begin(all), std::ranges::end(all), body);
}

/// Calls every f(), in parallel. Work and span: the sum and the maximum of theirs.
template <task_executor Executor, class... F>
void parallel_invoke(F&&... f) {
  if constexpr (sizeof...(F) > 0) {
    runtime::plain_call<typename Executor::here> const all[] = {untyped_call<typename Executor::here, F>(f)...};
    runtime::call_all<Executor>(all);
  }
}

/// Sorts [first, last). Stable, unlike oneTBB's. Cost and errors: as sort, which needs room for as many elements again.
template <task_executor Executor, std::random_access_iterator It, class Less = std::less<>>
void parallel_sort(It first, It last, Less const& less = {}) {
  Executor::with_here([&](typename Executor::here& here) { sort(here, first, last, std::cref(less)); });
}
template <task_executor Executor, std::ranges::random_access_range Container, class Less = std::less<>>
void parallel_sort(Container&& all, Less const& less = {}) {
  parallel_sort<Executor>(std::ranges::begin(all), std::ranges::end(all), less);
}

}  // namespace skua::runtime::on
