// SPDX-License-Identifier: MIT
// The file that keeps a policy's times from one run of a program to the next.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "skua/machine/threads/engine/history/history_text.hpp"
#include "skua/policy/known_time.hpp"

namespace skua { inline namespace v0 { namespace runtime {

class history_file {
 public:
  /// Reads the file; a missing file counts as empty. Throws usage_error, which begins with `chosen_by`, if its content is invalid, if
  /// it cannot be read, or if a new file could not replace it.
  history_file(std::string const& chosen_by, std::string path);

  /// Throws usage_error if the times belong to another number of workers.
  void expect_workers(std::uint32_t n) const;
  /// The result refers to this object.
  [[nodiscard]] policies::known_times read() const noexcept { return {.source = name_, .all = known_.times}; }
  /// Replaces the file in one step, so that a program that starts meanwhile finds a complete one. Does nothing if `times` is empty.
  /// Reports a failure on stderr: pools end in destructors.
  void write(std::uint32_t workers, std::vector<policies::known_time> times) const noexcept;

 private:
  std::string path_;
  std::string name_;
  history known_;
};

}}}  // namespace skua::v0::runtime
