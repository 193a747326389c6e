// SPDX-License-Identifier: MIT
// The terminal and Ctrl-C.
//
// The first Ctrl-C is a request: the subcommand ends at the next point between two runs, and its destructors run. A run
// that is under way cannot be stopped, so a second later the process ends anyway, with the same exit code. A second
// Ctrl-C kills at once. In each case the last line of the terminal is clean and no output is left half written.
#pragma once

#include <cstddef>
#include <string_view>

namespace skua::cli {

/// Exit code of a command that Ctrl-C has ended.
inline constexpr int exit_interrupted = 130;

/// Thrown by `stop_if_interrupted`; main turns it into exit_interrupted.
struct interruption {};

/// Installs the handlers of SIGINT; gives SIGPIPE its default, which ends the process without noise.
void install_signal_handlers();

/// Throws interruption after a Ctrl-C.
void stop_if_interrupted();

/// Whether there was a Ctrl-C, for a subcommand that keeps what it has.
[[nodiscard]] bool interrupted() noexcept;

/// From now on a run that is under way ends by itself after the first Ctrl-C, so that what is done can be kept. The second
/// Ctrl-C still kills.
void let_runs_end_after_interrupts() noexcept;

/// From now on the first Ctrl-C is ignored: the output that is being written is written to its end.
void finish_in_spite_of_interrupts() noexcept;

/// Whether these are terminals that understand escape sequences: how to wipe a line, to move the cursor.
[[nodiscard]] bool stderr_is_terminal();
[[nodiscard]] bool stdout_is_terminal();
/// Of standard error; 80 if it does not say.
[[nodiscard]] std::size_t terminal_columns();

inline constexpr std::string_view wipe_line = "\r\033[K";
/// While a bar is on the last line (progress.hpp), Ctrl-C wipes that line.
void bar_is_shown(bool is) noexcept;

}  // namespace skua::cli
