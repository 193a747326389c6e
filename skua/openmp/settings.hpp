// SPDX-License-Identifier: MIT
// What the OMP_ variables say: the initial values of the internal control variables. [OpenMP 5.0, 2.5 and 6]
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "skua/parts/topology/cpu_mask.hpp"

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

/// As omp_proc_bind_t numbers them.
enum class proc_bind : std::uint8_t { no, yes, primary, close, spread };

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
  proc_bind binding = proc_bind::no;  ///< of a parallel region without proc_bind
};

enum class waiting : std::uint8_t { unset, active, passive };

/// OMP_TARGET_OFFLOAD
enum class offload : std::uint8_t { allowed, mandatory, disabled };

/// Of the process.
struct settings {
  control initial{};
  std::vector<std::uint32_t> threads_of_level{};  ///< OMP_NUM_THREADS=a,b,..: empty if it is one number
  std::uint32_t processors = 1;                   ///< in the affinity mask and the quota
  std::uint64_t stack_bytes = 0;                  ///< 0: unset
  waiting policy = waiting::unset;
  std::vector<proc_bind> bind_of_level{proc_bind::no};  ///< never empty; the last one holds for deeper levels
  std::vector<runtime::cpu_mask> places{};              ///< empty: nothing is bound
  runtime::cpu_mask usable{};                           ///< the process's mask, before a thread is bound
  std::string affinity_format{"level %L thread %i affinity %A"};
  bool displays_affinity = false;
  bool can_cancel = false;
  bool is_traced = false;  ///< SKUA_TRACE
  std::int32_t max_task_priority = 0;
  offload targets = offload::allowed;
  enum class display : std::uint8_t { none, standard, verbose } environment = display::none;

  /// Reads the environment. A value that libgomp refuses is reported on stderr as libgomp does, and ignored. Never throws.
  static settings read() noexcept;
};

/// The predefined allocators: the value of each is its position + 1.
inline constexpr std::array<std::string_view, 8> allocator_names{
    "omp_default_mem_alloc", "omp_large_cap_mem_alloc", "omp_const_mem_alloc", "omp_high_bw_mem_alloc",
    "omp_low_lat_mem_alloc", "omp_cgroup_mem_alloc",    "omp_pteam_mem_alloc", "omp_thread_mem_alloc"};

/// Read once.
[[nodiscard]] settings const& the_settings() noexcept;

}}}  // namespace skua::v0::openmp
