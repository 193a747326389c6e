// SPDX-License-Identifier: MIT
// Pages with figures: one HTML file that needs nothing else. What all pages share (their frame, looks, charts and tables)
// stands in this folder, what is a page's own in the folder of its subcommand; CMake compiles both in.
#pragma once

#include <string>

#include "cli/text/report.hpp"

namespace skua::cli {

/// A page's own part.
struct page_kind {
  std::string name;        ///< "report": it calls itself "Skua report"
  std::string subcommand;  ///< that made it
  std::string script;      ///< defines main(data), which draws all of it; page_sources.hpp
};

/// The page that shows `data`.
[[nodiscard]] std::string page_of(page_kind const& kind, json const& data);

/// `text` as part of a <script> element: nothing in it ends the element.
[[nodiscard]] std::string inside_script(std::string text);

}  // namespace skua::cli
