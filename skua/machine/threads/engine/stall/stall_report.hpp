// SPDX-License-Identifier: MIT
// What can be seen of a pool while nobody stops for it: whether it moves, whether it has work, and who waits for whom.
#pragma once

#include <cstdint>
#include <string>

#include "skua/machine/threads/engine/core/parked_frames.hpp"

namespace skua { inline namespace v0 { namespace runtime {

class pool_core;

/// Changes whenever a task begins or forks, a fiber waits or goes on, or a lane grows or shrinks; searches and sleep change nothing.
[[nodiscard]] std::uint64_t marks_of_progress(pool_core& c, parked_frames& parked);
/// A call is inside, or a task runs, waits or lies in a lane.
[[nodiscard]] bool has_work(pool_core& c, parked_frames& parked);
/// Lines for people.
[[nodiscard]] std::string describe_stall(pool_core& c, parked_frames& parked, std::uint64_t now_ns);

}}}  // namespace skua::v0::runtime
