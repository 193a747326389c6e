// SPDX-License-Identifier: MIT
// What the seed of a step of a mixed program decides, and how its answer is made of those of its children.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <utility>

#include "skua/machine/threads/suspend/one_shot.hpp"
#include "skua/parts/base/dice.hpp"
#include "tests/mixed/mixed_program.hpp"

namespace skua::inline v0::testing {

constexpr std::uint64_t weight(std::size_t child) noexcept { return 2 * child + 3; }

/// Sets the value of f(), or what it throws.
template <class F>
void answer_with(one_shot<std::uint64_t>& question, F&& f) noexcept {
  std::uint64_t value = 0;
  try {
    value = f();
  } catch (...) {
    return question.set_exception(std::current_exception());
  }
  question.set_value(value);
}

/// What the seed of a step decides.
struct mixed_program::plan {
  plan(std::uint64_t seed, int depth) {
    runtime::dice roll(seed);
    own = roll.next();
    if (depth == 0 || roll.below(10) == 0) return;
    // Pools and regions cost milliseconds where the rest costs microseconds. A join comes in their place.
    constexpr auto kinds = static_cast<std::uint32_t>(construct::last) + 1;
    auto const drawn = static_cast<construct>(roll.below(kinds));
    bool const is_dear = drawn == construct::own_pool || drawn == construct::own_region || drawn == construct::lent;
    what = is_dear && roll.below(drawn == construct::lent ? 40 : 8) != 0 ? construct::join : drawn;
    number = is_alone() ? 1 : 2 + roll.below(what == construct::join ? 1 : 3);
    for (std::size_t i = 0; i < number; ++i) child[i] = roll.next();
    chance = roll.next();
  }
  /// It has one child.
  [[nodiscard]] bool is_alone() const noexcept {
    switch (what) {
      case construct::isolated:
      case construct::answer:
      case construct::answer_here:
      case construct::enqueued:
      case construct::bounded_call:
      case construct::coroutine:
      case construct::other_pool:
      case construct::outside_caller:
      case construct::own_pool:
      case construct::own_region:
      case construct::shielded:
      case construct::limited:
      case construct::arena:
      case construct::lent: return true;
      default: return false;
    }
  }
  [[nodiscard]] bool ends_early() const noexcept {
    return what == construct::fails || what == construct::stops || what == construct::stopped_call;
  }

  std::uint64_t own = 0;  ///< the step's own part of the answer
  construct what = construct::join;
  std::size_t number = 0;  ///< of children; 0: a leaf
  std::array<std::uint64_t, 4> child{};
  std::uint64_t chance = 0;
};

}  // namespace skua::inline v0::testing
