// SPDX-License-Identifier: MIT
// The sources of all pages, and the plotting library, as CMake found them when it configured the build.
#pragma once

#include <string>

namespace skua::cli::page_sources {

/// HTML with the places {{name}}, {{subcommand}}, {{style}}, {{plots}}, {{script}} and {{data}}; the last one once.
[[nodiscard]] std::string frame();
[[nodiscard]] std::string style();
[[nodiscard]] std::string plot_library();
/// What all pages share.
[[nodiscard]] std::string script();
[[nodiscard]] std::string report_script();
[[nodiscard]] std::string comparison_script();

}  // namespace skua::cli::page_sources
