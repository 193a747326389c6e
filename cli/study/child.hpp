// SPDX-License-Identifier: MIT
// A program that a study runs: to its end, to a time limit, or until the study is interrupted.
#pragma once

#include <string>
#include <vector>

namespace skua::cli {

struct child_end {
  bool is_good = false;  ///< it ended with 0
  std::string how;       ///< else in words: "exit code 1", "signal 11", "ran past its 20 s", "interrupted"
  double seconds = 0;
};

/// Standard input is empty; standard output and error go to the file `log`. At the limit, or after an interrupt, the program gets SIGTERM, 3 s
/// later SIGKILL. A program that cannot be started is one that ended badly.
[[nodiscard]] child_end run_child(std::vector<std::string> const& words, std::string const& log, double limit_s);

}  // namespace skua::cli
