// SPDX-License-Identifier: MIT
// NUMA nodes, by the kernel's numbers, and sets of them in the form of the system calls.
#pragma once

#include <array>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <span>

#include "skua/parts/base/assert.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// A NUMA node, by the operating system's number.
enum class numa_id : std::uint32_t {};

/// No NUMA node: on a simulated machine, or a machine with uniform memory.
inline constexpr numa_id no_numa_node{0xffff'ffffU};

/// The largest number of nodes for which Linux can be configured (CONFIG_NODES_SHIFT = 10).
inline constexpr std::uint32_t most_numa_nodes = 1024;

constexpr std::uint32_t index(numa_id n) noexcept { return static_cast<std::uint32_t>(n); }

/// A set of NUMA nodes, as a bit mask.
class numa_set {
 public:
  constexpr void insert(numa_id n) noexcept {
    expects(index(n) < most_numa_nodes, "a NUMA node has a number below 1024");
    words_[index(n) / word_bits] |= 1UL << (index(n) % word_bits);
  }
  [[nodiscard]] constexpr bool contains(numa_id n) const noexcept {
    return index(n) < most_numa_nodes && (words_[index(n) / word_bits] >> (index(n) % word_bits) & 1UL) != 0;
  }
  [[nodiscard]] constexpr std::uint32_t size() const noexcept {
    std::uint32_t nodes = 0;
    for (std::uint32_t n = 0; n < most_numa_nodes; ++n) nodes += contains(numa_id{n}) ? 1 : 0;
    return nodes;
  }
  [[nodiscard]] constexpr bool empty() const noexcept { return *this == numa_set{}; }
  /// Bit n, counted across all words, is node n.
  [[nodiscard]] constexpr std::span<unsigned long const> words() const noexcept {
    return {words_.data(), words_.size()};
  }
  friend constexpr bool operator==(numa_set const&, numa_set const&) = default;

 private:
  static constexpr std::uint32_t word_bits = sizeof(unsigned long) * CHAR_BIT;
  std::array<unsigned long, most_numa_nodes / word_bits> words_{};
};

}}}  // namespace skua::v0::runtime

namespace skua { inline namespace v0 { namespace memory {

using runtime::no_numa_node;
using runtime::numa_id;

}}}  // namespace skua::v0::memory
