// SPDX-License-Identifier: MIT
// A progress bar on the terminal's last line; nothing at all where standard error is no terminal.
#pragma once

#include <string_view>

namespace skua::cli {

class progress {
 public:
  progress();
  /// Wipes the bar off.
  ~progress();
  progress(progress const&) = delete;
  progress& operator=(progress const&) = delete;

  /// `done` in [0, 1], and what is going on.
  void show(double done, std::string_view what);
  /// For something that is printed now; the next `show` brings the bar back.
  void wipe();

 private:
  bool on_terminal_;
  bool shown_ = false;
};

}  // namespace skua::cli
