// SPDX-License-Identifier: MIT
// What a study has found so far, as the file from which it goes on after an interrupt. Each part is written when it has ended, whole or not at
// all (study.md).
#pragma once

#include <string>
#include <string_view>

#include "cli/study/child.hpp"
#include "cli/study/plan.hpp"
#include "cli/text/report.hpp"

namespace skua::cli {

class notebook {
 public:
  /// Reads the file, if there is one. `of` describes the machine, the build and the kind of study. Throws usage_error if the file is that of
  /// another machine, build or kind, and resource_error if it is none of a study or cannot be read.
  notebook(std::string path, json of);

  /// Parts that it knows from an earlier run.
  [[nodiscard]] std::size_t found_before() const noexcept { return before_; }
  /// The part has ended well: with the same words, and at least as good a measurement.
  [[nodiscard]] bool has(study_part const& part) const;
  /// Keeps what the part found, `result`, and writes the file. A part that ended badly does not replace one that ended well.
  void add(study_part const& part, child_end const& end, json result, json conditions);
  /// The part did not run.
  void leave_out(study_part const& part, std::string const& why);
  /// A fact of the whole study.
  void set(std::string_view key, json value) { all_[key] = std::move(value); }

  [[nodiscard]] json const& all() const noexcept { return all_; }
  void write() const;

 private:
  json entry_of(study_part const& part) const;
  std::string path_;
  json all_;
  std::size_t before_ = 0;
};

}  // namespace skua::cli
