// SPDX-License-Identifier: MIT
// Hints: facts about a task that a program may give before it runs. Every field is optional, and none binds the
// scheduler. A wrong, missing, zero, infinite or NaN hint costs speed, never correctness.
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "skua/parts/base/ids.hpp"
#include "skua/program/address.hpp"
#include "skua/program/hint_field.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// All hints of one child. A policy reads the fields that it knows and ignores the others. 24 bytes, because every free
/// task holds a hint.
struct hint {
  hint_field<double, 0x7ff8'dead'dead'deadULL> work{};  ///< relative to its siblings [adws-sc19 4.1]
  hint_field<place_id, 0xffff'fffdULL> place{};  ///< the place of its data; unset: its parent's [numa-ws-2018 III-A]

  hint_field<runtime::address, 0xffff'ffffULL> address{};  ///< position in the program's own space [arms-2021 3.1]
  hint_field<task_type, 0xffff'ffffULL> type{};            ///< the function that it runs [arms-2021 3.3]

  /// Calls f with pointers to all fields, for code that treats all alike.
  template <class F>
  static constexpr auto with_fields(F f) noexcept {
    return f(&hint::work, &hint::place, &hint::address, &hint::type);
  }
  friend constexpr bool operator==(hint const&, hint const&) = default;
};

class measured_work;

/// The work of a child relative to its siblings, in any unit: only ratios matter. [adws-sc19 4.1]
struct work {
  double amount;
  using measured = measured_work;  ///< the times of the children in the last iteration: measured_work.hpp
};

/// The place of a child's data. `anywhere` cancels an inherited place. [numa-ws-2018 III-A]
struct at {
  place_id place;
};

/// Converts any hint word to a hint.
constexpr hint as_hint(hint h) noexcept { return h; }
constexpr hint as_hint(work w) noexcept { return {.work = w.amount}; }
constexpr hint as_hint(at a) noexcept { return {.place = a.place}; }
constexpr hint as_hint(address a) noexcept { return {.address = a}; }
constexpr hint as_hint(task_type t) noexcept { return {.type = t}; }

/// A type that describes a child: argument-dependent lookup finds its `as_hint`. So a program may define hint words of
/// its own, and a new kind of hint needs no change here.
template <class T>
concept hint_word = requires(std::remove_cvref_t<T> const& word) {
  { as_hint(word) } -> std::same_as<hint>;
};

/// Returns the work of a child for a sum over its siblings: the hint if it is valid, where infinity counts as a large
/// number; 1 if it is missing, negative or NaN.
constexpr double work_of(hint const& h) noexcept {
  constexpr double most = 1e100;
  if (!h.work || !(*h.work >= 0)) return 1;
  return *h.work < most ? *h.work : most;
}

namespace reading {

struct anything {
  template <class T>
  constexpr operator T() const noexcept;  // NOLINT(google-explicit-constructor)
};
template <std::size_t... I>
constexpr bool has_fields(std::index_sequence<I...>) noexcept {
  return requires { hint{(static_cast<void>(I), anything{})...}; };
}
constexpr std::size_t hint_fields = hint::with_fields([](auto... field) { return sizeof...(field); });
static_assert(has_fields(std::make_index_sequence<hint_fields>{}) &&
                  !has_fields(std::make_index_sequence<hint_fields + 1>{}),
              "hint::with_fields names every field");

}  // namespace reading

/// Combines hint words for one child: `work{2} | at{p}`. If both set a field, the right one wins.
template <hint_word A, hint_word B>
constexpr hint operator|(A a, B b) noexcept {
  hint all = as_hint(a);
  hint const right = as_hint(b);
  hint::with_fields([&](auto... field) { ((right.*field ? void(all.*field = right.*field) : void()), ...); });
  return all;
}

}}}  // namespace skua::v0::runtime

namespace skua { inline namespace v0 {

using runtime::at;
using runtime::hint;
using runtime::work;

}}  // namespace skua::v0
