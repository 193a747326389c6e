// SPDX-License-Identifier: MIT
// The marks in a trace between which a program's run counts for its report (docs/traces.md).
#pragma once

namespace skua::cli::traced {

/// One word each: names in traces are made short.
inline constexpr char const* mark_of_begin = "run_began";
inline constexpr char const* mark_of_end = "run_ended";

}  // namespace skua::cli::traced
