// SPDX-License-Identifier: MIT
// Runs a tool of the system, and reads what it prints.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace skua::cli {

/// What `command` prints on standard output; its first word is looked for in PATH. None if it cannot be started, fails, or prints more than 64 MiB.
/// It reads nothing, and its messages are not shown.
[[nodiscard]] std::optional<std::string> output_of(std::vector<std::string> command);

}  // namespace skua::cli
