// SPDX-License-Identifier: MIT
// The runtime's operations, by the names of their functions, and what each call of one has cost: shared lines, misses, read-modify-writes,
// system calls. A call includes what it calls.
#pragma once

#include <cstdint>
#include <string>

namespace line_counts {

enum class access : std::uint8_t { read, write, exchange };  ///< exchange: a read-modify-write
enum class system_call : std::uint8_t { futex, membarrier, yield, affinity, sleep, other };
inline constexpr unsigned system_calls = 6;

/// Reads the symbols of this program. Before the first pool.
void find_operations();

// For the hooks. Any thread.
void note_access(void const volatile* address, access how) noexcept;
void note_fence() noexcept;
void note(system_call which) noexcept;
void enters(void const* function) noexcept;
void leaves(void const* function) noexcept;

/// Between these, calls of operations are counted.
void begin_counting() noexcept;
void end_counting() noexcept;

/// What was counted: of all threads together, divided by `units`, and of each operation per call.
[[nodiscard]] std::string counts_as_json(double units);

}  // namespace line_counts
