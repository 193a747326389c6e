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
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "skua/parts/base/ranges.hpp"
#include "skua/program/algorithm/for_each.hpp"
#include "skua/program/algorithm/invoke.hpp"
#include "skua/program/algorithm/sort.hpp"
#include "skua/program/algorithm/stable_sort.hpp"
#include "skua/program/blocked_range.hpp"
#include "skua/program/executor.hpp"
#include "skua/program/feeder.hpp"
#include "skua/program/loop_options.hpp"
#include "skua/program/partitioner.hpp"
#include "skua/program/pieces.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace on {

/// Calls body(piece) for the pieces of a self-dividing range, each once, in any order; a partitioner decides how many
/// (partitioner.hpp). Work: the bodies and a fork per piece; span: the largest piece and O(log pieces) forks.
template <task_executor Executor, self_dividing Range, class Body, class... Options>
  requires std::invocable<Body const&, Range&> && range_options<Options...>
void parallel_for(Range const& range, Body const& body, Options&&... how) {
  unless_stopped<Executor>(
      [&] {
        Executor::with_here([&](typename Executor::here& here) {
          Range whole(range);
          divide(here, whole, pieces_of<Range>(here, divides_fully<Options...>), body);
        });
      },
      how...);
}
/// The same pieces of a blocked_range: they are pairs of numbers, so the division need not know their type.
template <task_executor Executor, class Value, class Body, class... Options>
  requires std::invocable<Body const&, blocked_range<Value>&> && range_options<Options...>
void parallel_for(blocked_range<Value> const& range, Body const& body, Options&&... how) {
  struct loop {
    blocked_range<Value> const& whole;
    Body const& body;
  } const all{range, body};
  piece_body<typename Executor::here> const pieces{
      [](void const* self, typename Executor::here&, std::size_t begin, std::size_t end) {
        auto const& mine = *static_cast<loop const*>(self);
        blocked_range<Value> piece = mine.whole.part(begin, end);
        std::invoke(mine.body, piece);
      },
      &all};
  unless_stopped<Executor>(
      [&] { loop_over<Executor>(range.size(), range.grainsize(), divides_fully<Options...>, pieces); }, how...);
}

/// Calls f(i) for i = first, first + 1, .., last - 1, each once, in any order. Cost: as for_each. With a grain no leaf has
/// more elements, whatever the partitioner; with simple_partitioner alone a leaf has one.
template <task_executor Executor, std::integral First, std::integral Last, class F, class... Options>
  requires(!std::integral<F>) && index_options<Options...>
void parallel_for(First first, Last last, F const& f, Options&&... how) {
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
  piece_body<typename Executor::here> const pieces{
      [](void const* self, typename Executor::here& here, std::size_t from, std::size_t to) {
        auto const& mine = *static_cast<loop const*>(self);
        auto i = static_cast<index>(static_cast<distance>(static_cast<distance>(mine.first) + from));
        auto const end_of_piece = static_cast<index>(static_cast<distance>(static_cast<distance>(mine.first) + to));
        for (; i != end_of_piece; ++i) static_cast<void>(call_body(here, mine.body, index{i}));
      },
      &all};
  unless_stopped<Executor>([&] { loop_over<Executor>(n, grain_of(how...), divide_to_grain(how...), pieces); }, how...);
}

/// Calls f(i) for i = first, first + step, .. below last. The grain counts calls. Cost: as above.
/// Throws std::invalid_argument (as oneTBB does) unless step > 0.
template <task_executor Executor, std::integral First, std::integral Last, std::integral Step, class F,
          class... Options>
  requires index_options<Options...>
void parallel_for(First first, Last last, Step step, F const& f, Options&&... how) {
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
      how...);
}

/// Calls body(*it) for every iterator of [first, last), once, in any order; or body(*it, feeder), also for what bodies add
/// to the feeder. Walks iterators that are not random access
/// serially first; copies the values of input iterators.
/// Cost: as for_each; without random access also O(n) space and span.
template <task_executor Executor, std::input_iterator It, class Body, class... Stop>
  requires stop_options<Stop...>
void parallel_for_each(It first, It last, Body const& body, Stop&&... stop) {
  if constexpr (feeding_element_body<Body, typename Executor::here, It>) {
    unless_stopped<Executor>([&] { feed<Executor>(first, last, body); }, stop...);
  } else if constexpr (std::random_access_iterator<It>) {
    unless_stopped<Executor>(
        [&] { Executor::with_here([&](typename Executor::here& here) { for_each(here, first, last, body); }); },
        stop...);
  } else if constexpr (std::forward_iterator<It>) {
    std::vector<It> all;
    for (; first != last; ++first) all.push_back(first);
    parallel_for_each<Executor>(all.begin(), all.end(), [&](It it) { std::invoke(body, *it); }, stop...);
  } else {
    std::vector<std::iter_value_t<It>> all;
    for (; first != last; ++first) all.push_back(*first);
    parallel_for_each<Executor>(all.begin(), all.end(), body, stop...);
  }
}
template <task_executor Executor, input_range Container, class Body, class... Stop>
  requires stop_options<Stop...>
void parallel_for_each(Container&& all, Body const& body, Stop&&... stop) {
  parallel_for_each<Executor>(std::ranges::begin(all), std::ranges::end(all), body, stop...);
}

/// Calls every f(), in parallel. The last argument may be a source of cancellation. Work and span: the sum and the
/// maximum of theirs.
template <task_executor Executor, class... F>
void parallel_invoke(F&&... f) {
  if constexpr (can_be_cancelled<F...>) {
    auto const all = std::forward_as_tuple(std::forward<F>(f)...);
    unless_stopped<Executor>(
        [&all]<std::size_t... I>(std::index_sequence<I...>) {
          return [&all] { parallel_invoke<Executor>(std::get<I>(std::move(all))...); };
        }(std::make_index_sequence<sizeof...(F) - 1>{}),
        f...);
  } else if constexpr (sizeof...(F) > 0) {
    plain_call<typename Executor::here> const all[] = {untyped_call<typename Executor::here, F>(f)...};
    call_all<Executor>(all);
  }
}

/// Sorts [first, last). Cost and errors: as sort.
template <task_executor Executor, std::random_access_iterator It, class Less = std::less<>, class... Stop>
  requires stop_options<Stop...>
void parallel_sort(It first, It last, Less const& less = {}, Stop&&... stop) {
  unless_stopped<Executor>(
      [&] { Executor::with_here([&](typename Executor::here& here) { sort(here, first, last, std::cref(less)); }); },
      stop...);
}
template <task_executor Executor, random_access_range Container, class Less = std::less<>, class... Stop>
  requires stop_options<Stop...>
void parallel_sort(Container&& all, Less const& less = {}, Stop&&... stop) {
  parallel_sort<Executor>(std::ranges::begin(all), std::ranges::end(all), less, stop...);
}

/// Sorts [first, last); equal elements keep their order. Cost and errors: as stable_sort, which needs room for as many
/// elements again.
template <task_executor Executor, std::random_access_iterator It, class Less = std::less<>, class... Stop>
  requires stop_options<Stop...>
void parallel_stable_sort(It first, It last, Less const& less = {}, Stop&&... stop) {
  unless_stopped<Executor>(
      [&] {
        Executor::with_here([&](typename Executor::here& here) { stable_sort(here, first, last, std::cref(less)); });
      },
      stop...);
}

}}}}  // namespace skua::v0::runtime::on
