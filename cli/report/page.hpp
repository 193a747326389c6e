// SPDX-License-Identifier: MIT
// The page of a report: one HTML file that needs nothing else. Its sources stand in page/, and CMake compiles them in.
#pragma once

#include <string>

#include "cli/text/report.hpp"

namespace skua::cli::traced {

/// `report`: what report_of gives.
[[nodiscard]] std::string page_of(json const& report);

/// `text` as part of a <script> element: nothing in it ends the element.
[[nodiscard]] std::string inside_script(std::string text);

}  // namespace skua::cli::traced
