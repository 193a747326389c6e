// SPDX-License-Identifier: MIT
// What a program may say of a task before it runs. Every field is optional and none binds the scheduler:
// a wrong, missing, zero, infinite or NaN hint costs speed, never correctness.
#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>

#include "skua/parts/base/ids.hpp"

namespace skua::runtime {

/// All hints of one child. A policy reads those that it understands and ignores the rest.
struct hint {
  std::optional<double> work;     ///< relative to its siblings [adws-sc19 4.1]
  std::optional<place_id> place;  ///< where its data live; unset = as its parent [numa-ws-2018 III-A]
};

class measured_work;

/// Work of a child relative to its siblings. Any unit; only ratios matter. [adws-sc19 4.1]
struct work {
  double amount;
  using measured = measured_work;  ///< what the children took last time: measured_work.hpp
};

/// The place where a child's data live; `anywhere` cancels an inherited place. [numa-ws-2018 III-A]
struct at {
  place_id place;
};

template <class T>
concept hint_word = std::is_same_v<std::remove_cvref_t<T>, hint> || std::is_same_v<std::remove_cvref_t<T>, work> ||
                    std::is_same_v<std::remove_cvref_t<T>, at>;

/// The work of a child in a sum over its siblings: the hint if it is valid (infinity counts as a large number), 1 if it
/// is missing, negative or NaN.
constexpr double work_of(hint const& h) noexcept {
  constexpr double most = 1e100;
  if (!h.work || !(*h.work >= 0)) return 1;
  return *h.work < most ? *h.work : most;
}

/// Any hint word as a hint.
constexpr hint as_hint(hint h) noexcept { return h; }
constexpr hint as_hint(work w) noexcept { return {.work = w.amount, .place = {}}; }
constexpr hint as_hint(at a) noexcept { return {.work = {}, .place = a.place}; }

/// `work{2} | at{p}`: two hint words for one child. Where both set a field, the right one wins.
template <hint_word A, hint_word B>
constexpr hint operator|(A a, B b) noexcept {
  hint const x = as_hint(a);
  hint const y = as_hint(b);
  return {.work = y.work ? y.work : x.work, .place = y.place ? y.place : x.place};
}

}  // namespace skua::runtime

namespace skua {

using runtime::as_hint;
using runtime::at;
using runtime::hint;
using runtime::hint_word;
using runtime::work;
using runtime::work_of;

}  // namespace skua
