// SPDX-License-Identifier: MIT
// The part of a run that its report is about. A program that sets up its input before and checks its answer after marks
// where its runs begin and end (docs/traces.md); the rest says nothing about how it was scheduled.
#pragma once

#include <cstdint>
#include <vector>

#include "cli/report/run.hpp"
#include "cli/text/run_marks.hpp"

namespace skua::cli::traced {

/// A part of a run, in nanoseconds since it began.
struct part {
  std::uint64_t from_ns, to_ns;
  friend bool operator==(part const&, part const&) = default;
};

/// From each mark "run_began" to its "run_ended", in order of time and apart. An end whose beginning was overwritten
/// began with the run, and a beginning without an end lasts until the run's end. Marks of several ranks overlap: then a
/// part lasts as long as any of them runs. Empty without marks.
[[nodiscard]] std::vector<part> counted_parts(run const& of);

/// Only those parts, one behind the other, as if nothing had been between them; run::uncounted_ns says how much it was.
/// What a worker was doing when a part begins is kept, and what ends a moment after a part ends with it. Without marks
/// the same run.
[[nodiscard]] run counted(run whole);

}  // namespace skua::cli::traced
