// SPDX-License-Identifier: MIT
// Reads the options of an app (option.hpp) from text, with CLI11: the only file of apps/ that knows it.
#pragma once

#include <span>
#include <string>

#include "apps/option.hpp"

namespace CLI {
class App;
}

namespace skua::apps {

/// Adds them to a command, which then sets them; what they point to must outlive it.
void declare(CLI::App& command, std::span<option const> options);

/// Sets options from a line such as "--n 100 --hints work". Throws usage_error for a line that cannot be read; whether
/// the values are allowed, require_allowed says.
void parse_options(std::string const& line, std::span<option const> options);

}  // namespace skua::apps
