// SPDX-License-Identifier: MIT
// What the words of a fork_deque mean. (fork_deque.md)
#pragma once

#include <cstdint>
#include <limits>

#include "skua/parts/queue/deque_words.hpp"

namespace skua { inline namespace v0 { namespace runtime {

struct fork_words {
  using bias = deque_words::bias;
  template <class T>
  using owned = deque_words::owned<T>;

  /// The stamp, the top and the state of the bias in one word. Its index counts slots.
  using top_word = std::uint64_t;
  static constexpr unsigned index_bits = 20;
  static constexpr std::size_t most_slots = (std::size_t{1} << index_bits) - 1;

  static constexpr std::size_t index_of(top_word w) noexcept { return (w >> 2) & most_slots; }
  static constexpr bias bias_of(top_word w) noexcept { return static_cast<bias>(w & 3); }
  static constexpr top_word with(top_word w, bias state) noexcept {
    return (w & ~top_word{3}) | static_cast<top_word>(state);
  }
  /// The next entry is the oldest.
  static constexpr top_word moved(top_word w) noexcept { return w + 4; }
  /// The entry at `index` is the oldest, with the next stamp: every thief that has read `w` fails.
  static constexpr top_word restamped(top_word w, std::size_t index) noexcept {
    constexpr unsigned above = index_bits + 2;
    return (((w >> above) + 1) << above) | (static_cast<top_word>(index) << 2) | (w & 3);
  }
  static constexpr bool is_open(top_word w) noexcept {
    return bias_of(w) == bias::none || bias_of(w) == bias::answered;
  }

  // Limit and guard are addresses of slots, so that the owner compares them with the address of its own.
  using address = std::int64_t;
  static constexpr address attention_mark = 0;  // below every slot
  static constexpr address always_mark = 1;     // below every slot, too
  static constexpr address beyond_all = std::numeric_limits<address>::max();
};

}}}  // namespace skua::v0::runtime
