// SPDX-License-Identifier: MIT
// Marks in a pool's trace from a thread that is in no task of it (docs/traces.md, "The part that counts").
#pragma once

#include <cstdint>

namespace skua { inline namespace v0 {

class pool;

namespace runtime {

/// As skua::mark, from outside: the event is on the track of threads that are no workers. No call of the pool, so it
/// wakes no worker and no policy hears of it. Does nothing without a trace. `name` is a literal. Cost: a lock.
void mark_from_outside(pool const& p, char const* name, std::uint64_t number) noexcept;

}  // namespace runtime
}}  // namespace skua::v0
