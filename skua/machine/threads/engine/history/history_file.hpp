// SPDX-License-Identifier: MIT
// The file in which a policy's times stay from one run of a program to the next.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "skua/machine/threads/engine/history/history_text.hpp"
#include "skua/policy/known_time.hpp"

namespace skua { inline namespace v0 { namespace runtime {

class history_file {
 public:
  /// Reads it; a file that is not there is empty. Throws usage_error, which begins with `chosen_by`, if what it says is wrong,
  /// it cannot be read, or a new one could not be put in its place.
  history_file(std::string const& chosen_by, std::string path);

  /// Throws usage_error if they are of another number of workers.
  void expect_workers(std::uint32_t n) const;
  /// Valid as long as this.
  [[nodiscard]] policies::known_times read() const noexcept { return {.from = name_, .all = known_.times}; }
  /// Replaces the file in one step, so that a program that begins meanwhile finds a whole one; not if no times are given. A
  /// failure is noted on stderr: pools end in destructors.
  void write(std::uint32_t workers, std::vector<policies::known_time> times) const noexcept;

 private:
  std::string path_;
  std::string name_;
  history known_;
};

}}}  // namespace skua::v0::runtime
