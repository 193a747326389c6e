// SPDX-License-Identifier: MIT
// What a run is called in its report.
#pragma once

#include <string>

#include "cli/report/run.hpp"

namespace skua::cli::traced {

/// The app of `skua run` and `skua sim`, otherwise the program's file; empty if the trace does not say.
[[nodiscard]] std::string app_of(run const& of);

/// "heat, adws, 4 workers", without what is unknown. If it had several ranks, they are before the workers, which are
/// those of all of them.
[[nodiscard]] std::string title_of(run const& of);

}  // namespace skua::cli::traced
