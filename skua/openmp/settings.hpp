// SPDX-License-Identifier: MIT
// What the OMP_ variables say: the initial values of the internal control variables. [OpenMP 5.0, 2.5 and 6]
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace skua { inline namespace v0 { namespace openmp {

enum class loop_kind : std::uint8_t {
  fixed = 1,
  dynamic = 2,
  guided = 3,
  automatic = 4
};  ///< as omp_sched_t numbers them

struct loop_schedule {
  loop_kind kind = loop_kind::dynamic;
  std::int64_t chunk = 1;  ///< 0: the implementation's
  bool is_monotonic = false;
};

/// The control variables that each task has.
struct control {
  std::uint32_t threads = 1;  ///< of a parallel region without num_threads
  bool is_dynamic = false;
  loop_schedule run_time{};
  std::int32_t max_active_levels = 1;
  std::uint32_t thread_limit = 0x7fffffff;
  std::int32_t default_device = 0;
  std::int32_t teams = 0;
  std::int32_t teams_thread_limit = 0;
  std::uintptr_t allocator = 1;
};

enum class waiting : std::uint8_t { unset, active, passive };

/// Of the process.
struct settings {
  control initial{};
  std::vector<std::uint32_t> threads_of_level{};  ///< OMP_NUM_THREADS=a,b,..: empty if it is one number
  std::uint32_t processors = 1;                   ///< in the affinity mask and the quota
  std::uint64_t stack_bytes = 0;                  ///< 0: unset
  waiting policy = waiting::unset;
  std::string binding{};  ///< OMP_PROC_BIND as written, lower case; empty: unset
  bool can_cancel = false;
  std::int32_t max_task_priority = 0;

  /// Reads the environment. A value that libgomp refuses is reported on stderr as libgomp does, and ignored. Never throws.
  static settings read() noexcept;
};

/// Read once.
[[nodiscard]] settings const& the_settings() noexcept;

}}}  // namespace skua::v0::openmp
