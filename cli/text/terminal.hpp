// SPDX-License-Identifier: MIT
// The terminal: whether there is one, how wide it is, and the bar on its last line.
#pragma once

#include <cstddef>
#include <string_view>

namespace skua::cli {

/// Whether these are terminals that understand escape sequences: how to wipe a line, to move the cursor.
[[nodiscard]] bool stderr_is_terminal();
[[nodiscard]] bool stdout_is_terminal();
/// Of standard error; 80 if it does not say.
[[nodiscard]] std::size_t terminal_columns();

inline constexpr std::string_view wipe_line = "\r\033[K";
/// A bar is on the last line (progress.hpp), or no more.
void bar_is_shown(bool is) noexcept;
/// Wipes that line if a bar is on it. A handler of signals may call it.
void wipe_shown_bar() noexcept;

}  // namespace skua::cli
