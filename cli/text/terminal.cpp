// SPDX-License-Identifier: MIT
#include "cli/text/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>

namespace skua::cli {
namespace {

// A handler reads it: lock-free atomics are safe there; relaxed, since it is a flag of its own.
std::atomic<bool> bar_shown{false};
static_assert(std::atomic<bool>::is_always_lock_free);

bool understands_escapes(int file) {
  char const* const kind = std::getenv("TERM");
  return ::isatty(file) == 1 && kind != nullptr && std::string_view(kind) != "dumb";
}

}  // namespace

bool stderr_is_terminal() { return understands_escapes(STDERR_FILENO); }
bool stdout_is_terminal() { return understands_escapes(STDOUT_FILENO); }

std::size_t terminal_columns() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

void bar_is_shown(bool is) noexcept { bar_shown.store(is, std::memory_order_relaxed); }

void wipe_shown_bar() noexcept {
  if (!bar_shown.load(std::memory_order_relaxed)) return;
  [[maybe_unused]] auto const written = ::write(STDERR_FILENO, wipe_line.data(), wipe_line.size());
}

}  // namespace skua::cli
