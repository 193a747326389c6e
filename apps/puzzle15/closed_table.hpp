// SPDX-License-Identifier: MIT
// The positions that a search has reached, each with the length of the shortest known way and its last move. Workers
// share it: 256 hash tables, each with a lock, that grow on their own. It takes 10 bytes per slot and has a limit.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "apps/puzzle15/board.hpp"
#include "skua/parts/base/platform.hpp"

namespace skua::apps::puzzle15 {

class closed_table {
 public:
  struct way {
    std::uint16_t length = 0;
    direction last = direction::up;  ///< without a meaning if the length is 0
  };
  enum class answer : std::uint8_t {
    is_new,
    shorter,  ///< than all ways that were known
    known,    ///< a way that is as short, or shorter
  };

  enum class expansion : std::uint8_t {
    first,
    again,  ///< it was expanded before, after a longer way
    stale,  ///< a shorter way is known: leave it
  };

  explicit closed_table(std::uint64_t most_bytes) : most_bytes_(most_bytes) {}

  /// Keeps the shorter way. Throws resource_error at the limit.
  answer reach(board b, way w);
  /// Whoever got an answer other than `known` for a way of this length asks this once, before it expands the position.
  expansion begin_expansion(board b, std::uint16_t length);
  /// None: not reached.
  [[nodiscard]] std::optional<way> find(board b);
  /// Positions. Exact while nobody reaches any.
  [[nodiscard]] std::uint64_t size();
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_.load(std::memory_order_relaxed); }

 private:
  static constexpr std::size_t slot_bytes = sizeof(board) + sizeof(way::length) + sizeof(way::last);
  struct slot_arrays {
    std::vector<board> boards;           ///< linear probing; 0 is no position
    std::vector<std::uint16_t> lengths;  ///< and `expanded`
    std::vector<direction> last;
  };
  struct alignas(runtime::cache_line_bytes) shard {
    std::mutex lock;
    slot_arrays slots;  ///< 0, or a power of two
    std::size_t used = 0;
  };
  static constexpr std::uint16_t expanded = 1 << 15;  ///< above all lengths
  static std::uint64_t hash(board b) noexcept;
  /// The slot of b, or the free slot where it belongs. There is a free slot.
  static std::size_t slot_of(slot_arrays const& slots, board b) noexcept;
  [[nodiscard]] shard& shard_of(board b) noexcept { return shards_[hash(b) % shards_.size()]; }
  void grow(shard& s);

  std::uint64_t const most_bytes_;
  std::atomic<std::uint64_t> bytes_ = 0;  ///< relaxed: only a number
  std::array<shard, 256> shards_;
};

}  // namespace skua::apps::puzzle15
