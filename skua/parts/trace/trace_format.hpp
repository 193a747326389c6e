// SPDX-License-Identifier: MIT
// The layout of a trace file: what its writer maps and its reader checks. Explained in trace.md.
#pragma once

#include <cstddef>
#include <cstdint>

#include "skua/parts/trace/event.hpp"

namespace skua { inline namespace v0 { namespace trace {

inline constexpr std::uint64_t magic = 0x3143'5254'4155'4b53;  // "SKUATRC1" in memory order
inline constexpr std::size_t page_bytes = 4096;
inline constexpr std::size_t names_bytes = std::size_t{256} << 10;

/// One instant on two clocks.
struct reading {
  std::uint64_t ticks = 0;
  std::uint64_t monotonic_ns = 0;
};

struct header {
  std::uint64_t magic_number = magic;
  std::uint32_t tracks = 0;
  std::uint32_t rank = 0;
  std::uint32_t ranks = 1;
  std::uint32_t is_virtual = 0;      ///< 1: simulated; a tick is a nanosecond
  std::uint64_t track_capacity = 0;  ///< events, a power of two
  std::uint64_t description_at = 0, description_size = 0;
  std::uint64_t names_at = 0, names_size = 0;  ///< the size is that in use
  std::uint64_t tracks_at = 0;
  std::uint64_t file_bytes = 0;
  std::uint64_t wall_ns = 0;       ///< since 1970, at `first`
  std::int64_t correction_ns = 0;  ///< rank 0's monotonic clock minus this process's
  reading first, second;           ///< when the trace began
  reading last;                    ///< when it ended; zero: it never did
};
static_assert(sizeof(header) <= page_bytes);

/// In front of each ring. On lines of its own.
struct track_control {
  std::uint64_t head = 0;  ///< events ever noted
  reading latest;          ///< renewed from time to time
  std::uint64_t unused[13] = {};
};
static_assert(sizeof(track_control) == 128);

/// From one track's control block to the next.
[[nodiscard]] constexpr std::uint64_t track_bytes(std::uint64_t capacity) noexcept {
  return sizeof(track_control) + capacity * sizeof(event);
}

}}}  // namespace skua::v0::trace
