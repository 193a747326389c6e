// SPDX-License-Identifier: MIT
#include "cli/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "cli/interrupt.hpp"

namespace skua::cli {
namespace {

constexpr std::size_t bar_cells = 30;

bool stderr_is_terminal() {
  char const* const kind = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) == 1 && kind != nullptr && std::string_view(kind) != "dumb";
}

std::size_t terminal_columns() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

progress::progress() : on_terminal_(stderr_is_terminal()) {}
progress::~progress() { wipe(); }

void progress::show(double done, std::string_view what) {
  if (!on_terminal_ || interrupted()) return;
  auto const filled = static_cast<std::size_t>(std::clamp(done, 0.0, 1.0) * bar_cells);
  std::string line = fmt::format("[{}{}] {:3.0f}%  {}", std::string(filled, '#'), std::string(bar_cells - filled, '.'),
                                 100 * std::clamp(done, 0.0, 1.0), what);
  // A line that wraps could not be wiped off.
  line.resize(std::min(line.size(), terminal_columns() - 1));
  terminal_line_in_use(true);
  std::fputs(("\r" + line + "\033[K").c_str(), stderr);
  std::fflush(stderr);
  shown_ = true;
}

void progress::wipe() {
  if (!shown_) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  terminal_line_in_use(false);
  shown_ = false;
}

}  // namespace skua::cli
