// SPDX-License-Identifier: MIT
// A member pool: the threads of one application thread's teams, and how regions begin and end. README.md
#pragma once

#include <cstdint>

#include "skua/openmp/task.hpp"
#include "skua/openmp/team.hpp"

namespace skua { inline namespace v0 { namespace openmp {

/// Prepares a team before its members begin: the loop or sections of a combined construct.
struct preparation {
  void (*prepare)(preparation&, team&);
};

/// Runs a parallel region: code.function(code.data) once on each of `threads` members. 0: as many as the control variables say. Returns when all
/// of them and all tasks have ended. The calling thread is member 0.
void run_region(outlined code, std::uint32_t threads, preparation* first = nullptr) noexcept;

/// As GOMP_parallel_start and GOMP_parallel_end: member 0's code stands between the two calls.
void begin_region(outlined code, std::uint32_t threads, preparation* first = nullptr) noexcept;
void end_region() noexcept;

/// How many threads a region would get that the current task begins with this clause; 0: without one.
[[nodiscard]] std::uint32_t threads_for(task const& t, std::uint32_t wanted) noexcept;

}}}  // namespace skua::v0::openmp
