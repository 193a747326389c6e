// SPDX-License-Identifier: MIT
// A program's own events in a trace: where an iteration or a phase begins.
#pragma once

#include <cstdint>

namespace skua { inline namespace v0 {

/// Writes `name` and `number` into the trace of the run, if there is one (docs/traces.md); else, and on machines that write
/// no traces, does nothing. `name` must live as long as the pool, or the recorded tree: a literal. "iteration" has a meaning: reports show the
/// run iteration by iteration, each from one such mark to the next. Cost: a branch; 20 ns in a trace.
template <class Here>
void mark(Here& here, char const* name, std::uint64_t number = 0) noexcept {
  if constexpr (requires { note_mark(here, name, number); }) note_mark(here, name, number);
}

}}  // namespace skua::v0
