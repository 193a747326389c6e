// SPDX-License-Identifier: MIT
// Reductions over all ranks, element by element.
#pragma once

#include <cmath>
#include <concepts>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>

#include "skua/machine/ranks/communicator/collectives.hpp"

namespace skua { inline namespace v0 { namespace ranks {

[[nodiscard]] inline bytes bytes_of(std::span<std::byte const> from) { return {from.begin(), from.end()}; }

[[nodiscard]] inline std::string text_of(std::span<std::byte const> from) {
  return {reinterpret_cast<char const*>(from.data()), from.size()};
}

/// Replaces each element by combine over all ranks' elements. Throws usage_error on every rank if their numbers differ.
/// `call`: without the elements. Collective.
template <class T, std::size_t N, class Combine>
void reduce_elements(collectives& all, collective_call call, std::span<T, N> own, Combine combine) {
  call.of = std::floating_point<T>      ? element::real
            : std::unsigned_integral<T> ? element::unsigned_integer
                                        : element::signed_integer;
  call.length = own.size();
  auto const body = std::as_bytes(own);
  bytes const result = all.reduce_to_all(call, bytes_of(body), [&](bytes& into, std::span<std::byte const> other) {
    for (std::size_t at = 0; at < other.size(); at += sizeof(T)) {
      T a;
      T b;
      std::memcpy(&a, into.data() + at, sizeof(T));
      std::memcpy(&b, other.data() + at, sizeof(T));
      a = combine(a, b);
      std::memcpy(into.data() + at, &a, sizeof(T));
    }
  });
  std::memcpy(own.data(), result.data(), body.size());
}

/// Integers wrap around.
template <class T, std::size_t N>
void sum_elements(collectives& all, collective_call const& call, std::span<T, N> own) {
  reduce_elements(all, call, own, [](T a, T b) {
    if constexpr (std::signed_integral<T>) {
      using bits = std::make_unsigned_t<T>;
      return static_cast<T>(static_cast<bits>(a) + static_cast<bits>(b));
    } else {
      return a + b;
    }
  });
}

/// The larger one, whichever comes first: a NaN is larger than any number, and 0 than -0.
template <class T>
[[nodiscard]] T larger(T a, T b) noexcept {
  if constexpr (std::floating_point<T>) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) ? a : b;
    if (a == b) return std::signbit(a) ? b : a;
  }
  return a < b ? b : a;
}

/// The smaller one, whichever comes first: a NaN is smaller than any number, and -0 than 0.
template <class T>
[[nodiscard]] T smaller(T a, T b) noexcept {
  if constexpr (std::floating_point<T>) return -larger(-a, -b);
  return b < a ? b : a;
}

template <class T, std::size_t N>
void max_elements(collectives& all, collective_call const& call, std::span<T, N> own) {
  reduce_elements(all, call, own, larger<T>);
}

template <class T, std::size_t N>
void min_elements(collectives& all, collective_call const& call, std::span<T, N> own) {
  reduce_elements(all, call, own, smaller<T>);
}

}}}  // namespace skua::v0::ranks
