// SPDX-License-Identifier: MIT
#include "cli/text/terminal.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace skua::cli {
namespace {

constexpr unsigned patience_s = 1;
constexpr std::string_view wipe_line = "\r\033[K";
constexpr std::size_t bar_cells = 30;

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

bool stderr_is_terminal() {
  char const* const kind = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) == 1 && kind != nullptr && std::string_view(kind) != "dumb";
}

std::size_t terminal_columns() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
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

progress::progress() : on_terminal_(stderr_is_terminal()) {}
progress::~progress() { wipe(); }

void progress::show(double done, std::string_view what) {
  if (!on_terminal_ || interrupted()) return;
  auto const filled = static_cast<std::size_t>(std::clamp(done, 0.0, 1.0) * bar_cells);
  std::string line = fmt::format("[{}{}] {:3.0f}%  {}", std::string(filled, '#'), std::string(bar_cells - filled, '.'),
                                 100 * std::clamp(done, 0.0, 1.0), what);
  // A line that wraps could not be wiped.
  line.resize(std::min(line.size(), terminal_columns() - 1));
  bar_shown.store(true, std::memory_order_relaxed);
  std::fputs(("\r" + line + "\033[K").c_str(), stderr);
  std::fflush(stderr);
  shown_ = true;
}

void progress::wipe() {
  if (!shown_) return;
  std::fputs(wipe_line.data(), stderr);
  std::fflush(stderr);
  bar_shown.store(false, std::memory_order_relaxed);
  shown_ = false;
}

}  // namespace skua::cli
