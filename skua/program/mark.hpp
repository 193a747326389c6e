// SPDX-License-Identifier: MIT
// A program's own events in a trace, such as the beginning of an iteration or a phase.
#pragma once

#include <cstdint>

namespace skua { inline namespace v0 {

/// Writes `name` and `number` into the trace of the run (docs/traces.md). Does nothing without a trace, and on machines
/// that write none. `name` must live as long as the pool or the recorded tree: use a literal. The name "iteration" is
/// special: reports show the run iteration by iteration, each from one such mark to the next. Cost: a branch; with a
/// trace 20 ns.
template <class Here>
void mark(Here& here, char const* name, std::uint64_t number = 0) noexcept {
  if constexpr (requires { note_mark(here, name, number); }) note_mark(here, name, number);
}

}}  // namespace skua::v0
