// SPDX-License-Identifier: MIT
// A table for people: columns as wide as their widest cell, words to the left, numbers to the right.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace skua::cli {

class table {
 public:
  struct column {
    std::string head;
    bool is_number = false;
  };
  explicit table(std::vector<column> columns) : columns_(std::move(columns)) {}

  /// One cell per column.
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  /// Every line begins with `indent`; no line ends with blanks.
  [[nodiscard]] std::string text(std::string_view indent = "") const;

 private:
  std::vector<column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// "412.3 ms": three or four digits and the unit that suits them.
[[nodiscard]] std::string in_seconds(double seconds);
/// "8 MiB", "50 KiB", ...: the largest unit that leaves at least 1.
[[nodiscard]] std::string in_bytes(unsigned long long bytes);

}  // namespace skua::cli
