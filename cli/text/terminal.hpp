// SPDX-License-Identifier: MIT
// Ctrl-C. The first one asks: the verb ends at the next point between two runs, and everything is taken down in order.
// A run that is under way cannot be stopped, so a second later the process ends anyway, with the same exit code.
// A second Ctrl-C kills at once. Either way the terminal's line is clean, and no output is left half written.
#pragma once

namespace skua::cli {

/// Thrown by `stop_if_interrupted`; main turns it into exit_interrupted.
struct interruption {};

/// Install the handlers of SIGINT; give SIGPIPE its default, which ends the process without noise.
void install_signal_handlers();

[[nodiscard]] bool interrupted() noexcept;

/// Throws interruption after a Ctrl-C.
void stop_if_interrupted();

/// From now on Ctrl-C (the first one) is ignored: what is being written is written to its end.
void finish_in_spite_of_interrupts() noexcept;

/// Tell the handler whether the last line of the terminal shows a progress bar that must be wiped off.
void terminal_line_in_use(bool yes) noexcept;

}  // namespace skua::cli
