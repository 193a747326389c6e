// SPDX-License-Identifier: MIT
// The files of page/, and the plotting library, as CMake found them when it configured the build.
#pragma once

#include <string>

namespace skua::cli::traced {

/// HTML with the places {{style}}, {{plots}}, {{script}} and {{data}}, once each.
[[nodiscard]] std::string page_template();
[[nodiscard]] std::string page_style();
[[nodiscard]] std::string plot_library();
[[nodiscard]] std::string page_script();

}  // namespace skua::cli::traced
