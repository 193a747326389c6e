// SPDX-License-Identifier: MIT
// The requirements of the parallel_* functions on a user's function, as named concepts. skua.hpp checks them, one
// sentence each, so that a wrong function is reported at the call and not from inside the library.
#pragma once

#include <concepts>
#include <functional>
#include <iterator>
#include <type_traits>

#include "skua/program/algorithm/body.hpp"
#include "skua/program/blocked_range.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// body(i) or body(here, i), through a reference to const: several workers call it at once.
template <class Body, class Here, class Index>
concept index_body = body_of<Body const, Here, Index>;

/// body(piece).
template <class Body, class Range>
concept range_body = std::invocable<Body const&, Range&>;

/// The argument that a loop over iterators passes to its body: values of input iterators are copied first.
template <std::input_iterator It>
using element_of = std::conditional_t<std::forward_iterator<It>, std::iter_reference_t<It>, std::iter_value_t<It>&>;

/// body(element); if the iterators are random access, also body(here, element).
template <class Body, class Here, class It>
concept element_body = std::invocable<Body const&, element_of<It>> ||
                       (std::random_access_iterator<It> && body_of<Body const, Here, element_of<It>>);

/// fold(piece, value), a new value.
template <class Fold, class Range, class Value>
concept fold_function = std::invocable<Fold const&, Range&, Value> &&
                        std::convertible_to<std::invoke_result_t<Fold const&, Range&, Value>, Value>;

/// join(left, right), a new value.
template <class Join, class Value>
concept join_function = std::invocable<Join const&, Value, Value> &&
                        std::convertible_to<std::invoke_result_t<Join const&, Value, Value>, Value>;

/// scan(piece, value, is_final), a new value.
template <class Scan, class Range, class Value>
concept scan_function = std::invocable<Scan const&, Range&, Value, bool> &&
                        std::convertible_to<std::invoke_result_t<Scan const&, Range&, Value, bool>, Value>;

/// body(piece), body(right, split{}) and body.join(right).
template <class Body, class Range>
concept splitting_body = std::invocable<Body&, Range&> && std::constructible_from<Body, Body&, split> &&
                         requires(Body& body, Body& right) { body.join(right); };

/// less(a, b): true if a goes first.
template <class Less, class It>
concept order_function = std::predicate<Less const&, std::iter_reference_t<It>, std::iter_reference_t<It>>;

}}}  // namespace skua::v0::runtime
