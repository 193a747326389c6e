// SPDX-License-Identifier: MIT
// A model of coherent caches: each thread has one of its own, without limit, with lines of 64 bytes. It tells of every access whether
// another thread has to do with the line, and whether the line would have to be fetched, or taken from others, first.
#pragma once

#include <cstdint>

namespace line_counts {

/// What one access meets.
struct touch {
  std::uint64_t line = 0;
  bool is_shared = false;  ///< since `forget_past` another thread has written the line; for a write: or has read it
  bool misses = false;     ///< this thread has no valid copy, or for a write: is not the only one that has
};

/// Threads beyond these share a number, so their lines look private.
inline constexpr unsigned most_threads = 128;

/// `thread` < most_threads. Any thread; accesses to one line are taken one after the other.
[[nodiscard]] touch reads(void const volatile* address, unsigned thread) noexcept;
[[nodiscard]] touch writes(void const volatile* address, unsigned thread) noexcept;

/// From now on lines count as shared only for what threads do from now on. What is in the caches stays.
void forget_past() noexcept;

}  // namespace line_counts
