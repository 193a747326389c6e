// SPDX-License-Identifier: MIT
// Reductions over all ranks, element by element.
#pragma once

#include <algorithm>
#include <cstring>
#include <span>
#include <string>

#include "skua/machine/ranks/communicator/collectives.hpp"

namespace skua { inline namespace v0 { namespace ranks {

[[nodiscard]] inline bytes bytes_of(std::span<std::byte const> from) { return {from.begin(), from.end()}; }

[[nodiscard]] inline std::string text_of(std::span<std::byte const> from) {
  return {reinterpret_cast<char const*>(from.data()), from.size()};
}

/// Replaces each element by combine over all ranks' elements. Of equal length on every rank. Collective.
template <class T, std::size_t N, class Combine>
void reduce_elements(collectives& all, std::span<T, N> own, Combine combine) {
  auto const body = std::as_bytes(own);
  bytes const result = all.reduce_to_all(bytes_of(body), [&](bytes& into, std::span<std::byte const> other) {
    for (std::size_t at = 0; at + sizeof(T) <= std::min(into.size(), other.size()); at += sizeof(T)) {
      T a;
      T b;
      std::memcpy(&a, into.data() + at, sizeof(T));
      std::memcpy(&b, other.data() + at, sizeof(T));
      a = combine(a, b);
      std::memcpy(into.data() + at, &a, sizeof(T));
    }
  });
  std::memcpy(own.data(), result.data(), std::min(result.size(), body.size()));
}

template <class T, std::size_t N>
void sum_elements(collectives& all, std::span<T, N> own) {
  reduce_elements(all, own, [](T a, T b) { return a + b; });
}

template <class T, std::size_t N>
void max_elements(collectives& all, std::span<T, N> own) {
  reduce_elements(all, own, [](T a, T b) { return std::max(a, b); });
}

}}}  // namespace skua::v0::ranks
