// SPDX-License-Identifier: MIT
// SIGINT (Ctrl-C) and SIGTERM: how a subcommand ends that is asked to, and keeps what it has. The first signal is a
// request, which the subcommand follows between two steps of its work; the second one ends the process. (interrupt.md)
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace skua::cli {

/// Thrown where a subcommand notices that it shall end. Who has something to keep catches it; main turns it into
/// `exit_code_of_interrupt`.
struct interruption {};

/// Installs the handler of SIGINT; gives SIGPIPE its default, which ends the process without noise.
void install_signal_handlers();

/// Whether there was a signal.
[[nodiscard]] bool interrupted() noexcept;
/// Throws interruption after a signal. Cost: a load.
void stop_if_interrupted();

/// From now on the first SIGINT leaves the subcommand as much time as it takes to end.
void end_by_itself_after_interrupts() noexcept;
/// The same for SIGINT and SIGTERM, because there is something to keep; the terminal is told.
void keep_after_interrupts() noexcept;
/// From now on the first signal is ignored: the output that is being written is written to its end.
void finish_in_spite_of_interrupts() noexcept;

/// The first signal's number; 0: there was none.
[[nodiscard]] int signal_of_interrupt() noexcept;
/// A signal that another process of the same job got counts as one of this process's own, in every state.
void take_signal_of_another(int number) noexcept;

/// 130 after SIGINT, 143 after SIGTERM.
[[nodiscard]] int exit_code_of_interrupt() noexcept;
/// "interrupted after 3 of 40 rounds"; empty if there was no signal.
[[nodiscard]] std::string interrupt_note(std::uint64_t done, std::uint64_t planned, std::string_view unit);
/// The same as a line of a text for people; empty if there was no signal.
[[nodiscard]] std::string interrupt_line(std::uint64_t done, std::uint64_t planned, std::string_view unit);
/// The exit code of a subcommand that has kept what it has: 0; after a signal `exit_code_of_interrupt`, once standard error
/// says "skua: compare: " and this note.
[[nodiscard]] int exit_code_after(std::string_view subcommand, std::uint64_t done, std::uint64_t planned,
                                  std::string_view unit);

}  // namespace skua::cli
