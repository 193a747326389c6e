// SPDX-License-Identifier: MIT
// How what computes the answer of a step elsewhere hands it to who waits.
#pragma once

#include <cstdint>
#include <exception>
#include <utility>

#include "skua/machine/threads/face/one_shot.hpp"

namespace skua { inline namespace v0 { namespace testing {

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

}}}  // namespace skua::v0::testing
