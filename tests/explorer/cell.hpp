// SPDX-License-Identifier: MIT
// The words of modelled memory, and stores on their way to them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "skua/parts/base/dice.hpp"
#include "tests/explorer/clocks.hpp"

namespace skua { inline namespace v0 { namespace explorer {

constexpr std::uint64_t mix(std::uint64_t a, std::uint64_t b) noexcept {
  return runtime::dice(a ^ (b * 0x9e37'79b9'7f4a'7c15ULL)).next();
}

/// An atomic variable.
struct cell {
  std::uint64_t value = 0;               ///< the newest
  vector_clock released{};               ///< what happened before whoever acquires this value
  std::size_t number = ~std::size_t{0};  ///< in weak_memory
};

/// Who has touched an object, and whether it has ended. Used only with `options::races`.
struct lifetime {
  trail touched{};
  bool over = false;
};

/// A non-atomic variable.
struct plain_cell {
  std::uint64_t value = 0;
  lifetime life{};
};

/// A store that has not reached memory.
struct buffered {
  cell* where;
  std::uint64_t value;
  bool release;
  vector_clock released{};
};

}}}  // namespace skua::v0::explorer
