// SPDX-License-Identifier: MIT
// Places: sets of processors that OMP_PLACES or GOMP_CPU_AFFINITY list, and their text. [OpenMP 5.0, 6.5]
#pragma once

#include <string>

#include "skua/openmp/settings.hpp"

namespace skua { inline namespace v0 { namespace openmp {

/// Fills s.places for s.usable, and says what is wrong with the variables as libgomp does. `says_binding`: OMP_PROC_BIND has a value; without one
/// members are bound if the places are given. Processors that may not be used fall out, and so do places that have no others.
void read_places(settings& s, bool says_binding);

/// "{0:2}": as libgomp shows a place.
[[nodiscard]] std::string text_of_place(runtime::cpu_mask const& place);

/// What a member pool is told of the places: a text in the grammar of OMP_PLACES. A pool's places are disjoint, OpenMP's need not be; then it
/// gets its own default.
[[nodiscard]] std::string places_for_pool(settings const& s);

}}}  // namespace skua::v0::openmp
