// SPDX-License-Identifier: MIT
// The command that repeats a result: this process's command line, as a shell reads it, behind the environment variables
// that change what it measures.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace skua::cli {

/// `word` as a shell reads it back, in quotes only where it needs them.
[[nodiscard]] std::string quoted_for_shell(std::string_view word);
/// NAME=VALUE with the value quoted: of a quoted name the shell makes a command.
[[nodiscard]] std::string quoted_variable_for_shell(std::string_view variable);

/// `variables`: an environment, "NAME=VALUE" each. Those that Skua reads, and those of OpenMP's libraries (OMP_, GOMP_,
/// KMP_), precede the command in the order of their names. Of the program's path only the name is kept.
[[nodiscard]] std::string command_line(std::span<std::string const> arguments, std::span<std::string const> variables);

/// Of this process; empty if the kernel does not tell.
[[nodiscard]] std::string own_command_line();

}  // namespace skua::cli
