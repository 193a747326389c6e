// SPDX-License-Identifier: MIT
// The two ends of an asymmetric Dekker handshake, and which kind of handshake this process uses.
//
// Two threads each write one word and then read the other's; at least one must see the other's write. Usually both
// pay a full fence between the two. Here the frequent side pays a compiler barrier (the light fence) and the rare side
// makes the kernel run a full fence on every processor that runs a thread of this process (the heavy fence:
// membarrier(2), private expedited, about 1 us). Where the kernel has no membarrier, both sides use full fences.
#pragma once

#include <cstdint>
#include <string>

namespace skua { inline namespace v0 { namespace runtime {

enum class fences : std::uint8_t {
  asymmetric,  ///< light fence = compiler barrier, heavy fence = membarrier
  full,        ///< both are full fences
};

/// The fences that new queues use. The first call asks the kernel; afterwards only `force_full_fences` changes the
/// answer. Cost of the first call: a system call, which may take milliseconds in a process that already has threads.
[[nodiscard]] fences fence_kind() noexcept;

/// The reason for that choice, as one line of text (`skua doctor`).
[[nodiscard]] std::string fence_reason();

/// Makes new queues use full fences. For tests and benchmarks. Existing queues keep their fences and stay correct; if
/// the process has already registered for membarrier, `heavy_fence` stays as slow as it was.
void force_full_fences() noexcept;

/// The rare side's fence: pairs with `light_fence` and with `full_fence` of any thread of this process.
/// Cost: 1 to 15 us with membarrier (most on virtual machines), and it interrupts every processor that runs a thread of
/// this process; 10 ns without.
void heavy_fence() noexcept;

/// A time as long as recent heavy fences took. To wait that long for an event that makes the fence unnecessary costs at most
/// twice the best choice in hindsight. Cost: a reading of the clock, and one for each look.
class heavy_fence_time {
 public:
  heavy_fence_time() noexcept;
  [[nodiscard]] bool is_over() const noexcept;

 private:
  std::uint64_t end_ns_;
};

}}}  // namespace skua::v0::runtime
