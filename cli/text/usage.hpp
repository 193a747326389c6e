// SPDX-License-Identifier: MIT
// How the command explains its command line: --help, and one line about a command line that makes no sense.
#pragma once

#include <string>
#include <string_view>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace skua::cli {

/// Sets the layout of --help, "--name VALUE  what it does", for `command` and for what is added to it afterwards.
/// `below` is what the usage line calls its subcommands: SUBCOMMAND or APP.
void explain_plainly(CLI::App& command, std::string const& below);

/// In the message of an option's check, "value = TYPED; allowed: 0 to 10": what stands before the range.
inline constexpr std::string_view before_allowed = "; allowed: ";

/// What is wrong, and what is allowed. `root` has just thrown `fault` from parse().
[[nodiscard]] std::string usage_message(CLI::App const& root, CLI::ParseError const& fault);

}  // namespace skua::cli
