// SPDX-License-Identifier: MIT
#include "cli/text/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "cli/text/interrupt.hpp"
#include "cli/text/terminal.hpp"

namespace skua::cli {
namespace {

constexpr std::size_t bar_cells = 16;  // so that 80 columns have room for the rest
constexpr auto least_pause = std::chrono::milliseconds(200);
constexpr double first_rate_s = 1;  // before, the rate is that of a cold start

std::string time_left(double s) {
  if (s < 90) return fmt::format("{:.0f} s left", s);
  if (s < 90 * 60) return fmt::format("{:.0f} min left", s / 60);
  return fmt::format("{:.0f} h left", s / 3600);
}

/// "3.2 runs/s", or "4.5 s/run" if that is more telling.
std::string rate(double per_s, std::string_view unit) {
  return per_s >= 1 ? fmt::format("{:.1f} {}s/s", per_s, unit) : fmt::format("{:.1f} s/{}", 1 / per_s, unit);
}

}  // namespace

std::string progress_line(double done, std::string_view what, double seconds, double steps, std::string_view unit,
                          std::size_t columns) {
  done = std::clamp(done, 0.0, 1.0);
  auto const filled = static_cast<std::size_t>(done * bar_cells);
  std::string soon;
  if (done > 0 && seconds >= first_rate_s) {
    soon = ", " + time_left(seconds / done * (1 - done));
    if (steps > 0) soon += ", " + rate(done * steps / seconds, unit);
  }
  std::string line = fmt::format("[{}{}] {:3.0f}%{}  {}", std::string(filled, '#'),
                                 std::string(bar_cells - filled, '.'), 100 * done, soon, what);
  line.resize(std::min(line.size(), columns));
  return line;
}

progress::progress(std::string_view unit) : on_terminal_(stderr_is_terminal()), unit_(unit) {}
progress::~progress() { wipe(); }

void progress::show(double done, double all, std::string_view what) {
  if (!on_terminal_ || interrupted()) return;
  auto const now = clock::now();
  if (shown_ && now - last_ < least_pause) return;
  last_ = now;
  std::chrono::duration<double> const took = now - begin_;
  // A line that wraps could not be wiped.
  std::string const line = progress_line(all > 0 ? done / all : 0, what, took.count(), unit_.empty() ? 0 : all, unit_,
                                         terminal_columns() - 1);
  bar_is_shown(true);
  std::fputs(("\r" + line + "\033[K").c_str(), stderr);
  std::fflush(stderr);
  shown_ = true;
}

void progress::wipe() {
  if (!shown_) return;
  std::fputs(wipe_line.data(), stderr);
  std::fflush(stderr);
  bar_is_shown(false);
  shown_ = false;
}

}  // namespace skua::cli
