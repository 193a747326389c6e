// SPDX-License-Identifier: MIT
// The Thread Composability Manager, a library that shares the processors out among the runtimes of a process. The types and names are those of its C interface, as
// oneTBB uses it (src/tbb/tcm.h of oneTBB 2022); only what Skua calls. When it is loaded: permits.md.
#pragma once

#include <cstdint>

namespace skua { inline namespace v0 { namespace runtime { namespace tcm {

using result = std::int32_t;
inline constexpr result success = 0;

struct permit_of_library;
using handle = permit_of_library*;
struct bitmap;  ///< hwloc's

enum class state : std::uint8_t { none, inactive, pending, idle, active };

struct permit {
  std::uint32_t* concurrencies;
  bitmap** masks;
  std::uint32_t size;  ///< of the two arrays
  tcm::state state;
  std::uint32_t flags;
};
inline constexpr std::uint32_t is_stale = 1;  ///< of permit::flags: it changed while it was read

struct constraints {
  std::int32_t least;
  std::int32_t most;
  bitmap* mask;
  std::int32_t numa_node;
  std::int32_t core_type;
  std::int32_t threads_per_core;
};
inline constexpr std::int32_t automatic = -1;

struct request {
  std::int32_t least;
  std::int32_t most;
  tcm::constraints* constraints;
  std::uint32_t constraints_size;
  std::int32_t priority;
  std::uint32_t flags;
  char reserved[4];
};
inline constexpr std::int32_t normal_priority = INT32_MAX / 4 * 2;

/// Called when what `of` grants has changed, on a thread of any runtime. `flags` say what has.
using callback = result (*)(handle of, void* argument, std::uint32_t flags);

/// The functions. Any thread may call them; all but `read` may call other clients' callbacks.
struct library {
  result (*connect)(callback, std::uint64_t* client);
  result (*disconnect)(std::uint64_t client);
  result (*ask)(std::uint64_t client, request, void* argument, handle*, permit*);
  result (*read)(handle, permit*);
  result (*release)(handle);
  result (*deactivate)(handle);
  result (*register_thread)(handle);
  result (*unregister_thread)();
  // Of hwloc, on which the library depends. Null: it does not.
  bitmap* (*make_bitmap)();
  int (*set_bit)(bitmap*, unsigned);
  void (*free_bitmap)(bitmap*);

  /// Null if TCM_ENABLE is not 1, the library cannot be used, which the first call then notes on stderr, or this process is a child by fork() of the one that
  /// loaded it. Never unloaded.
  [[nodiscard]] static library const* of_process() noexcept;
};

}}}}  // namespace skua::v0::runtime::tcm
