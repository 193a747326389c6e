// SPDX-License-Identifier: MIT
// The layout of the memory that a pool shares with `skua top`. The workers' counters and lanes lie in this memory, so nothing is
// copied, and workers write as ever. attach.md has the rules.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "skua/machine/threads/lane/counters.hpp"
#include "skua/parts/base/platform.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// The name of the memory among the open files of a process: "/memfd:skua-pool (deleted)".
inline constexpr char shared_pool_name[] = "skua-pool";
/// "skuapool", read as a little-endian number.
inline constexpr std::uint64_t shared_pool_magic = 0x6c'6f'6f'70'61'75'6b'73;
/// A change of the meaning or the place of anything below takes the next number. A reader accepts only its own.
inline constexpr std::uint32_t shared_pool_version = 6;
/// Regions whose lanes can be seen at once. The lanes of others lie on the heap.
inline constexpr std::size_t shared_regions_max = 4;

/// One worker.
struct alignas(cache_line_bytes) worker_record {
  live_counters counts;
  counter calls;  ///< begins and ends of outside callers in the worker's place: odd while one is inside
  std::uint32_t place = 0;
  std::int32_t processor = -1;  ///< -1: not known
};

/// A lane whose length can be read from outside, by the offsets of its words within a slot.
struct lane_words {
  // A deque: where its bottom and its top lie. Positions count in units of `step`; the top's two lowest bits do not count.
  std::uint32_t bottom = 0;
  std::uint32_t top = 0;
};

struct region_record {
  static constexpr std::uint64_t unused = 0;
  static constexpr std::uint64_t being_filled = ~std::uint64_t{0};

  /// The region's number, or one of the above. Everything below belongs to the region while its number stands here.
  std::atomic<std::uint64_t> number{unused};
  std::uint32_t workers = 0;  ///< the pool's first ones
  std::uint32_t step = 0;     ///< of the deques
  std::array<char, 64> policy{};
  lane_words spawned;
  std::uint32_t inbox = 0;                ///< counts of entries, as those below
  std::array<std::uint32_t, 5> placed{};  ///< local, migrated, mailbox, next, nodes
};

/// The calls of a runtime on top of the pool, such as OpenMP's regions: one thread writes, and what it runs is named by its code.
struct observed_calls {
  std::atomic<std::uint64_t> code{0};    ///< of the present call, or the last one; 0: there was none
  std::atomic<std::uint64_t> bounds{0};  ///< begins and ends: odd while a call is in progress

  // relaxed, all: hints for a reader
  void begin(std::uint64_t of) noexcept {
    code.store(of, std::memory_order_relaxed);
    bounds.store(bounds.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  void end() noexcept { bounds.store(bounds.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }
};

/// The memory begins with this. Behind it: the records of all workers, and for each region_record a block of slots.
struct alignas(cache_line_bytes) shared_pool {
  std::atomic<std::uint64_t> magic{0};  ///< written last
  std::uint32_t version = shared_pool_version;
  std::uint32_t process = 0;  ///< its number as it sees itself
  std::uint64_t bytes = 0;    ///< of the whole memory
  std::uint64_t opened_ns = 0;
  std::uint32_t workers = 0;
  std::uint32_t slot_bytes = 0;
  std::uint64_t workers_at = 0;
  std::uint64_t slots_at = 0;
  /// Whether the workers' times are being read: bit 0 by the program itself, which never clears it; above it the number of processes
  /// that have attached.
  std::atomic<std::uint32_t> times_asked{0};
  std::atomic<std::uint32_t> permitted{
      0};  ///< workers, by a permit (engine/sharing/permits.md); 0: none is asked for at present
  std::uint32_t counts_forks = 0;  ///< 1: worker_record::counts has every fork; 0: those that polled
  std::array<region_record, shared_regions_max> regions;
  observed_calls calls;

  static constexpr std::uint32_t asked_inside = 1;
  static constexpr std::uint32_t asked_outside = 2;
};

// Two builds may have to agree on this: a change of a size here needs a new version, too.
static_assert(sizeof(worker_record) == 256 && sizeof(region_record) == 112 && sizeof(shared_pool) == 640);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

}}}  // namespace skua::v0::runtime
