// SPDX-License-Identifier: MIT
// The optional last arguments of the loops of the oneTBB-style interface: a grain, a partitioner, and a source of
// cancellation, in this order.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>
#include <tuple>
#include <type_traits>
#include <utility>

#include "skua/program/algorithm/body.hpp"
#include "skua/program/algorithm/split.hpp"
#include "skua/program/fork_join.hpp"
#include "skua/program/partitioner.hpp"
#include "skua/program/pieces.hpp"
#include "skua/program/task_group_context.hpp"
#include "skua/program/value_holder.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// The kinds of options, in the order in which they are passed.
enum class option_kind { none, grain, partitioner, stop };

template <class T>
inline constexpr option_kind kind_of_option =
    std::same_as<std::remove_cvref_t<T>, grain>             ? option_kind::grain
    : partitioner<std::remove_cvref_t<T>>                   ? option_kind::partitioner
    : std::same_as<std::remove_cvref_t<T>, std::stop_token> ? option_kind::stop
    : std::same_as<T, task_group_context&>                  ? option_kind::stop
                                                            : option_kind::none;

/// True if each is an option of kind `first` or later, none twice, in their order.
template <option_kind first, class... Options>
constexpr bool are_options() noexcept {
  bool right = true;
  int last = static_cast<int>(first) - 1;
  ((right = right && static_cast<int>(kind_of_option<Options>) > last,
    last = static_cast<int>(kind_of_option<Options>)),
   ...);
  return right;
}
/// Of loops over indices: [grain] [partitioner] [stop].
template <class... Options>
concept index_options = are_options<option_kind::grain, Options...>();
/// Of loops over ranges, which have grains of their own: [partitioner] [stop].
template <class... Options>
concept range_options = are_options<option_kind::partitioner, Options...>();
/// Of the other algorithms: [stop], a std::stop_token or a task_group_context.
template <class... Options>
concept stop_options = are_options<option_kind::stop, Options...>();

/// Do they ask for a division down to the grain, as far as their types tell?
template <class... Options>
inline constexpr bool divides_fully = (std::same_as<std::remove_cvref_t<Options>, simple_partitioner> || ...);

constexpr void read_grain(grain& into, grain g) noexcept { into = g; }
template <class Option>
constexpr void read_grain(grain&, Option const&) noexcept {}

/// The grain among them; `automatic` without one.
template <class... Options>
constexpr grain given_grain(Options const&... options) noexcept {
  grain found;
  (read_grain(found, options), ...);
  return found;
}

/// Its elements; 1 if it is `automatic`.
template <class... Options>
constexpr std::size_t grain_of(Options const&... options) noexcept {
  return std::max<std::size_t>(1, given_grain(options...).elements);
}

/// Do they ask for a division down to the grain? A grain does: it is the largest leaf in every loop.
template <class... Options>
constexpr bool divide_to_grain(Options const&... options) noexcept {
  return divides_fully<Options...> || given_grain(options...).elements != 0;
}

/// Can one of them cancel the call?
template <class... Options>
inline constexpr bool can_be_cancelled = ((kind_of_option<Options> == option_kind::stop) || ...);

/// True if these are tasks, perhaps followed by a source of cancellation.
template <class Here, class... F>
constexpr bool tasks_and_stop() noexcept {
  bool right = true;
  bool stopped = false;
  ((right = right && !stopped, stopped = kind_of_option<F> == option_kind::stop,
    right = right && (stopped || task_of<F, Here>)),
   ...);
  return right;
}

/// Calls f() unless the last option has requested a stop. Everything that f calls through the executor sees the stop,
/// and drops work that has not begun. Returns false if a context was cancelled before f had ended; throws `cancelled`
/// if a token was stopped before that.
template <class Executor, class F, class... Options>
bool unless_stopped(F const& f, Options&... options) {
  if constexpr (can_be_cancelled<Options&...>) {
    plain_call<typename Executor::here> const call{
        [](void* self, typename Executor::here&) { (*static_cast<F const*>(self))(); },
        const_cast<void*>(static_cast<void const*>(std::addressof(f)))};
    return call_until_stopped<Executor>(std::get<sizeof...(options) - 1>(std::tie(options...)), call);
  } else {
    f();
    return true;
  }
}

/// The same for an f that returns a value. Returns `instead` if a context was cancelled.
template <class Executor, class Value, class F, class... Options>
Value value_unless_stopped(Value const& instead, F const& f, Options&... options) {
  if constexpr (can_be_cancelled<Options&...>) {
    std::optional<value_holder<Value>> made;
    if (!unless_stopped<Executor>([&] { made.emplace(std::in_place, f); }, options...)) return Value(instead);
    return std::move(**made);
  } else {
    return f();
  }
}

}}}  // namespace skua::v0::runtime
