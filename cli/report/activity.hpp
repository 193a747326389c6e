// SPDX-License-Identifier: MIT
// What each worker was doing at each moment, and which task it ran: the events of a run, replayed once. All figures about
// time are sums over these segments, so they agree with each other.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "cli/report/run.hpp"

namespace skua::cli::traced {

/// `unknown`: before the first event of a worker whose older events were overwritten, and after the last one where the file
/// is cut short or another process outlived this one.
enum class activity : std::uint8_t { work, scheduling, idle, asleep, unknown };
inline constexpr std::size_t activities = 5;
inline constexpr std::array<std::string_view, activities> activity_names{"work", "scheduling", "idle", "asleep",
                                                                         "unknown"};

inline constexpr std::uint32_t no_task = 0xffff'ffff;

/// A worker does one thing in [from_ns, to_ns).
struct segment {
  std::uint64_t from_ns = 0, to_ns = 0;
  std::uint32_t task = no_task;  ///< the name of the innermost task that runs, if one does
  activity what = activity::asleep;
  [[nodiscard]] std::uint64_t ns() const noexcept { return to_ns - from_ns; }
};

/// A task that ended. `own_ns` counts work only: not the tasks called inside it, nor its waits.
struct finished_task {
  std::uint32_t name = 0, worker = 0;
  std::uint64_t ended_ns = 0, own_ns = 0;
};

/// A construct of an OpenMP program that a member of a team has left. `own_ns`: not the constructs inside it, nor their waits; of a wait: all of it, but
/// for the explicit tasks that the worker ran meanwhile.
struct finished_construct {
  trace::construct what{};
  std::uint32_t name = 0, worker = 0, members = 0;
  std::uint64_t id = 0, began_ns = 0, ended_ns = 0, own_ns = 0;
  std::uint64_t value = 0;                   ///< of its beginning
  std::uint64_t iterations = 0, chunks = 0;  ///< of a loop: those of this member
};

struct history {
  std::vector<std::vector<segment>> of_worker;  ///< each covers the whole run without a gap
  std::vector<finished_task> tasks;             ///< in the order in which they ended
  std::vector<finished_construct> constructs;   ///< the same
};

/// O(events log events).
[[nodiscard]] history replay(run const& of);

}  // namespace skua::cli::traced
