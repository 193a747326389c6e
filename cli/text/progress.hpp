// SPDX-License-Identifier: MIT
// How far a long command has come: a bar on the last line of the terminal, with the rate and the time left.
//
// The time left is that of what has been done so far, so steps should take about as long each. Ctrl-C wipes the bar (interrupt.hpp).
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace skua::cli {

/// "[####....]  50%, 40 s left, 3.2 runs/s  fib: random with 1 worker"; nothing at all where standard error is no
/// terminal.
class progress {
 public:
  /// `unit`: what a step is. Empty: there is no rate to be shown.
  explicit progress(std::string_view unit = "run");
  /// Wipes the bar.
  ~progress();
  progress(progress const&) = delete;
  progress& operator=(progress const&) = delete;

  /// `done` of `all` steps, and what is being done. The screen changes at most five times a second.
  void show(double done, double all, std::string_view what);
  /// Makes room for other output; the next `show` brings the bar back.
  void wipe();

 private:
  using clock = std::chrono::steady_clock;

  bool const on_terminal_;
  std::string_view const unit_;
  bool shown_ = false;
  clock::time_point const begin_ = clock::now();
  clock::time_point last_{};
};

/// The line, `columns` wide at most, once `done` in [0, 1] of `steps` has taken `seconds`. In the first second there is no
/// rate yet.
[[nodiscard]] std::string progress_line(double done, std::string_view what, double seconds, double steps,
                                        std::string_view unit, std::size_t columns);

}  // namespace skua::cli
