// SPDX-License-Identifier: MIT
// The sources of all pages, as CMake found them when it configured the build.
#pragma once

#include <string>

namespace skua::cli::page_sources {

/// HTML with the places {{name}}, {{subcommand}}, {{style}}, {{script}} and {{data}}; the last one once.
[[nodiscard]] std::string frame();
[[nodiscard]] std::string style();
/// What all pages share.
[[nodiscard]] std::string script();
[[nodiscard]] std::string report_script();
[[nodiscard]] std::string comparison_script();
[[nodiscard]] std::string study_script();

}  // namespace skua::cli::page_sources
