// SPDX-License-Identifier: MIT
// The whole terminal, for a view that changes: another screen without a cursor, keys without Enter, and everything as it
// was at the end, whatever ends the command: q, Ctrl-C, a signal, an exception.
#pragma once

#include <signal.h>
#include <termios.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "cli/top/sample.hpp"

namespace skua::cli::top {

enum class key : std::uint8_t {
  none,  ///< the time is over
  quit,
  up,
  down,
  redraw,  ///< the size has changed, or the command was stopped and goes on
};

/// There is one at a time.
class screen {
 public:
  screen();
  ~screen();
  screen(screen const&) = delete;
  screen& operator=(screen const&) = delete;

  [[nodiscard]] screen_size size() const;
  /// Throws resource_error if the terminal is gone.
  void draw(std::vector<std::string> const& lines) const;
  /// Waits for a key for so long. Throws interruption after Ctrl-C. A signal that asks the process to end does so here.
  [[nodiscard]] key wait(std::chrono::milliseconds at_most);

 private:
  void enter() const;
  void leave() const noexcept;
  void heed_signals();
  [[nodiscard]] key read_key() const;

  termios before_{};
  bool const has_keys_;  ///< standard input is a terminal; then its settings are in before_
  sigset_t mask_before_{};
};

}  // namespace skua::cli::top
