// SPDX-License-Identifier: MIT
// The file that keeps what policies have learnt from one run of a program to the next. What is used and what is kept: history.md.
#pragma once

#include <string>
#include <vector>

#include "skua/machine/threads/engine/history/history_text.hpp"
#include "skua/machine/threads/engine/history/run_identity.hpp"
#include "skua/parts/base/settings.hpp"
#include "skua/policy/known_time.hpp"

namespace skua { inline namespace v0 { namespace runtime {

class history_file {
 public:
  /// Reads the file; a missing file counts as empty. Throws usage_error, which begins with the name of the option or the variable, if
  /// its content is invalid, if it cannot be read, or if a new file could not replace it.
  explicit history_file(setting<std::string> const& chosen);

  /// This run begins. If the file is of a newer version, or of another program, machine or number of workers: throws usage_error if
  /// the program has chosen it; otherwise prints a note, and neither uses nor replaces the file. Before `read`.
  void expect(run_identity here);
  /// The result refers to this object.
  [[nodiscard]] policies::known_times read() const noexcept {
    return {.source = name_, .all = known_.times, .calls = calls_};
  }
  /// Replaces the file in one step, so that a program that starts meanwhile finds a complete one. Does nothing if there is nothing to
  /// write. Keeps the times if there are no new ones, and the calls that are not among the new ones. Reports a failure on stderr:
  /// pools end in destructors.
  void write(std::vector<policies::known_time> times, std::vector<policies::call_choice> calls) const noexcept;

 private:
  void refuse(std::string const& why, std::string const& allowed);
  void find_calls();
  [[nodiscard]] history with(std::vector<policies::known_time> times, std::vector<policies::call_choice> calls) const;

  std::string path_;
  std::string name_;
  bool is_chosen_by_code_;
  bool is_of_another_run_ = false;
  run_identity here_;
  history known_;
  std::vector<policies::call_choice> calls_;  ///< those of known_ whose code is loaded
};

}}}  // namespace skua::v0::runtime
