// SPDX-License-Identifier: MIT
// A machine as plain numbers: one instance of a machine model, with every figure at its value or at an end of its
// range. figure_rules() of model_rules.hpp and docs/machine-models.md name the key and the unit of each number.
#pragma once

#include <cstdint>
#include <vector>

namespace skua { inline namespace v0 { namespace sim {

/// How a shared cache receives its lines.
enum class filling : std::uint8_t {
  victim,     ///< from evictions of the private caches; a line that one core alone uses is in one of the two
  inclusive,  ///< with every line that a core below it reads; a line that it evicts leaves the private caches, too
};

struct machine_numbers {
  double clock_ghz = 0;
  double flops_per_ns = 0;
  double misses_in_flight = 0;
  double lines_in_flight = 0;  ///< of one run: bounds what a core draws from memory; 0: no such limit
  double hidden_share = 1;     ///< of the shorter of a core's arithmetic and its own fetching: 1 all of it, 0 nothing

  double first_level_bytes = 0;  ///< 0: no first-level cache
  double first_level_bytes_per_ns = 0;
  double first_level_latency_ns = 0;

  double private_bytes = 0;
  double private_bytes_per_ns = 0;
  double private_latency_ns = 0;

  filling shared_filling = filling::victim;
  double shared_bytes = 0;
  double shared_bytes_per_ns = 0;
  double shared_latency_ns = 0;
  double shared_memory_bytes_per_ns = 0;  ///< 0: no such limit

  double transfer_bytes_per_ns = 0;
  double transfer_latency_ns = 0;

  double memory_bytes_per_ns = 0;
  double memory_core_bytes_per_ns = 0;
  double memory_write_back_bytes_per_ns = 0;  ///< 0: no such limit
  double memory_latency_ns = 0;

  std::vector<double> link_bytes_per_ns = {};  ///< [distance - 1]: between nodes at that distance
  std::vector<double> link_core_bytes_per_ns = {};
  std::vector<double> link_latency_ns = {};

  // [kind - 1]: of a core of that kind; kind 0, the fastest, has the figures above. Empty: in proportion to the speed.
  std::vector<double> kind_clock_ghz = {};
  std::vector<double> kind_flops_per_ns = {};
  std::vector<double> kind_misses_in_flight = {};
  std::vector<double> kind_first_level_bytes = {};
  std::vector<double> kind_private_bytes = {};
  std::vector<double> kind_memory_core_bytes_per_ns = {};

  std::uint64_t line_bytes = 64;
  std::uint64_t block_bytes = 1024;
  std::uint64_t page_bytes = 4096;

  double fork_ns = 0;
  double spawn_ns = 0;
  double compare_ns = 0;
  double expose_ns = 0;
  double pop_ns = 0;
  double steal_ns = 0;
  double miss_ns = 0;
  double send_ns = 0;
  double park_ns = 0;
  double resume_ns = 0;
  double rest_ns = 0;
  double notify_ns = 0;
  double wake_up_ns = 0;
  double fence_ns = 0;
  double heavy_fence_ns = 0;  ///< 0: heavy fences are free
  double heavy_fence_each_ns = 0;
  double interrupt_ns = 0;
  double steal_lines = 0;
  double miss_lines = 0;
  double send_lines = 0;

  double spin_ns = 0;

  /// The machine as a core of this kind has it, whose speed is this part of the fastest ones'. What the file does not say of the
  /// kind is in proportion: the core's own caches to its clock, the runtime's operations, which are code, to its speed. What
  /// lies outside of the core, and the kernel's operations, are the same for all. Kind 0: the machine itself.
  [[nodiscard]] machine_numbers of_kind(std::uint32_t kind, double speed) const;
};

}}}  // namespace skua::v0::sim
