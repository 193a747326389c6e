// SPDX-License-Identifier: MIT
#include "cli/text/terminal.hpp"

#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <string>

namespace skua::cli {
namespace {

constexpr unsigned patience_s = 1;

// What handlers read and write. Lock-free atomics are safe there; relaxed, since each is a flag of its own.
std::atomic<bool> was_interrupted{false};
std::atomic<bool> lets_runs_end{false};
std::atomic<bool> finishing{false};
std::atomic<bool> bar_shown{false};
static_assert(std::atomic<bool>::is_always_lock_free);

void wipe_bar() noexcept {
  if (!bar_shown.load(std::memory_order_relaxed)) return;
  [[maybe_unused]] auto const written = ::write(STDERR_FILENO, wipe_line.data(), wipe_line.size());
}

extern "C" void on_interrupt(int) {
  if (finishing.load(std::memory_order_relaxed)) return;
  was_interrupted.store(true, std::memory_order_relaxed);
  wipe_bar();
  if (!lets_runs_end.load(std::memory_order_relaxed)) ::alarm(patience_s);
}

extern "C" void on_alarm(int) {
  if (finishing.load(std::memory_order_relaxed)) return;
  wipe_bar();
  ::_exit(exit_interrupted);
}

void handle(int signal, void (*handler)(int), int flags) {
  struct sigaction action{};
  action.sa_handler = handler;
  action.sa_flags = flags;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(signal, &action, nullptr);
}

bool understands_escapes(int file) {
  char const* const kind = std::getenv("TERM");
  return ::isatty(file) == 1 && kind != nullptr && std::string_view(kind) != "dumb";
}

}  // namespace

void install_signal_handlers() {
  // SA_RESETHAND: the second SIGINT finds the default action, and kills.
  handle(SIGINT, on_interrupt, SA_RESTART | static_cast<int>(SA_RESETHAND));
  handle(SIGALRM, on_alarm, SA_RESTART);
  handle(SIGPIPE, SIG_DFL, 0);
}

void stop_if_interrupted() {
  if (interrupted()) throw interruption{};
}

bool interrupted() noexcept { return was_interrupted.load(std::memory_order_relaxed); }
void let_runs_end_after_interrupts() noexcept { lets_runs_end.store(true, std::memory_order_relaxed); }

void finish_in_spite_of_interrupts() noexcept { finishing.store(true, std::memory_order_relaxed); }

bool stderr_is_terminal() { return understands_escapes(STDERR_FILENO); }
bool stdout_is_terminal() { return understands_escapes(STDOUT_FILENO); }

std::size_t terminal_columns() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

// relaxed: a flag of its own
void bar_is_shown(bool is) noexcept { bar_shown.store(is, std::memory_order_relaxed); }

}  // namespace skua::cli
