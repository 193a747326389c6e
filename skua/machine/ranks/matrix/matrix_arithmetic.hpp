// SPDX-License-Identifier: MIT
// Sums and products of matrix elements. Integers wrap around, as MPI adds them.
#pragma once

#include <type_traits>

namespace skua { inline namespace v0 { namespace ranks {

template <class T>
[[nodiscard]] constexpr T sum_of(T a, T b) noexcept {
  if constexpr (std::is_integral_v<T>) {
    using bits = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<bits>(a) + static_cast<bits>(b));
  } else {
    return a + b;
  }
}

template <class T>
[[nodiscard]] constexpr T product_of(T a, T b) noexcept {
  if constexpr (std::is_integral_v<T>) {
    using bits = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<bits>(a) * static_cast<bits>(b));
  } else {
    return a * b;
  }
}

}}}  // namespace skua::v0::ranks
