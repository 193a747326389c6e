// SPDX-License-Identifier: MIT
// The binary tree on 0 .. size - 1 along which ranks vote, decide and reduce.
#pragma once

#include <cstdint>

#include "skua/machine/ranks/transport/message.hpp"

namespace skua { inline namespace v0 { namespace ranks { namespace rank_tree {

/// Of any node but the root, which is 0.
[[nodiscard]] constexpr rank_number parent(rank_number node) noexcept { return (node - 1) / 2; }

/// Calls f(child) for the children of a node, 0 to 2.
template <class F>
constexpr void each_child(rank_number node, rank_number size, F f) {
  for (std::uint64_t c = 2 * std::uint64_t{node} + 1; c < size && c <= 2 * std::uint64_t{node} + 2; ++c) {
    f(static_cast<rank_number>(c));
  }
}

[[nodiscard]] constexpr std::uint32_t children(rank_number node, rank_number size) noexcept {
  std::uint32_t n = 0;
  each_child(node, size, [&](rank_number) { ++n; });
  return n;
}

}}}}  // namespace skua::v0::ranks::rank_tree
