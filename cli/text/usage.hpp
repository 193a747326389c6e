// SPDX-License-Identifier: MIT
// A command line that makes no sense, in one line: what was wrong, and what would be right.
#pragma once

#include <string>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace skua::cli {

/// `root` has just thrown `fault` from parse().
[[nodiscard]] std::string complaint_of(CLI::App const& root, CLI::ParseError const& fault);

}  // namespace skua::cli
