// SPDX-License-Identifier: MIT
// A view of a pool while its workers run: whether it makes progress, whether it has work, and which fibers wait for what.
#pragma once

#include <cstdint>
#include <string>

#include "skua/machine/threads/engine/core/parked_frames.hpp"

namespace skua { inline namespace v0 { namespace runtime {

class pool_core;

/// Changes whenever a task begins or forks, a fiber waits or resumes, or a lane grows or shrinks; not by searches and sleep.
[[nodiscard]] std::uint64_t marks_of_progress(pool_core& c, parked_frames& parked);
/// True if a call is inside, or a task runs, waits or lies in a lane.
[[nodiscard]] bool has_work(pool_core& c, parked_frames& parked);
/// The report, as lines of text.
[[nodiscard]] std::string describe_stall(pool_core& c, parked_frames& parked, std::uint64_t now_ns);

}}}  // namespace skua::v0::runtime
