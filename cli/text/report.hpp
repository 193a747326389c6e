// SPDX-License-Identifier: MIT
// What every report of the command is made of: rows that are written once and come out as a table for people, as JSON
// or as CSV. Each figure carries its value for machines beside its text for people, so the two cannot disagree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/json_value.hpp"

namespace skua::cli {

/// JSON whose keys stay in the order in which they were written.
using json = apps::json_value;

/// Aligned columns: text to the left, numbers to the right.
class table {
 public:
  struct column {
    std::string head;
    bool is_number = false;
  };
  explicit table(std::vector<column> columns) : columns_(std::move(columns)) {}

  /// One cell per column.
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  /// Every line begins with `indent`; no line ends with blanks. If all heads are empty, there is no line of heads.
  [[nodiscard]] std::string text(std::string_view indent = "") const;

 private:
  std::vector<column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// "412.3 ms": three to five digits and the unit that suits them.
[[nodiscard]] std::string in_seconds(double seconds);
/// The same without the trailing blank that aligns tables.
[[nodiscard]] std::string seconds_in_text(double seconds);
/// "8 MiB", "50 KiB", ...: the largest unit that leaves at least 1.
[[nodiscard]] std::string in_bytes(unsigned long long bytes);
/// "a, b and c"
[[nodiscard]] std::string listed(std::span<std::string const> words);
/// "12.3%"
[[nodiscard]] std::string in_percent(double of_one, int decimals = 1);
/// "2 workers", "1 worker"
[[nodiscard]] std::string in_words(std::uint64_t count, std::string_view noun);

/// One figure of a row.
struct cell {
  json value;        ///< discarded: this row lacks the key
  std::string text;  ///< for the table

  /// Any value; the text is what JSON writes, without the quotes of a string.
  [[nodiscard]] static cell of(json value);
  [[nodiscard]] static cell seconds(double s) { return {s, in_seconds(s)}; }
  /// "1.23", below 0.1 two digits that are not 0; null and "-" if there is none.
  [[nodiscard]] static cell ratio(std::optional<double> r);
  [[nodiscard]] static cell share(double of_one) { return {of_one, in_percent(of_one)}; }
  [[nodiscard]] static cell bytes(std::uint64_t n) { return {n, in_bytes(n)}; }
  [[nodiscard]] static cell missing() { return {json::discarded(), ""}; }
};

/// A figure under the names that it has.
struct named_cell {
  std::string key;   ///< in JSON and CSV; empty: only people see it
  std::string head;  ///< in the table; empty: only machines see it
  cell what;
  bool is_number = true;
};

/// Rows with the same columns, which are known before or which the first row names.
class report {
 public:
  struct column {
    std::string key;   ///< in JSON and CSV; empty: only people see the column
    std::string head;  ///< in the table; empty: only machines see it
    bool is_number = true;
  };
  report() = default;
  explicit report(std::vector<column> columns) : columns_(std::move(columns)) {}

  void add_column(column c) { columns_.push_back(std::move(c)); }
  /// One cell per column.
  void add(std::vector<cell> cells) { rows_.push_back(std::move(cells)); }
  /// All rows name the same cells.
  void add_named(std::vector<named_cell> cells);
  /// A last line of the table that is in neither JSON nor CSV.
  void add_summary(std::vector<cell> cells) { summary_ = std::move(cells); }

  /// [{key: value, ...}, ...]
  [[nodiscard]] json rows() const;
  [[nodiscard]] std::string text(std::string_view indent = "") const;
  /// A line of keys, then a line per row with the values as JSON writes them, strings without quotes, and nothing for null
  /// or a key that the row lacks. RFC 4180.
  [[nodiscard]] std::string csv() const;

 private:
  std::vector<column> columns_;
  std::vector<std::vector<cell>> rows_;
  std::vector<cell> summary_;
};

/// `text` as a field of CSV (RFC 4180), in quotes only where it needs them.
[[nodiscard]] std::string quoted_for_csv(std::string_view text);

/// Columns "steals@0", "steals@1", ... for the distances at which anybody stole.
class steal_columns {
 public:
  /// `all`: the steals by distance of every row that will be shown.
  explicit steal_columns(std::span<std::vector<std::uint64_t> const> all);

  void add_heads(report& to) const;
  /// A row may have fewer distances than the widest.
  void add_cells(std::vector<std::uint64_t> const& steals, std::vector<cell>& to) const;
  /// "steals@1: same L3 cache", a line each; `name_of` gives the name of a distance.
  template <class Name>
  [[nodiscard]] std::string legend(Name&& name_of, std::string_view indent = "") const {
    std::string lines;
    for (std::size_t const d : distances_) lines += line(d, name_of(d), indent);
    return lines;
  }

 private:
  [[nodiscard]] static std::string line(std::size_t distance, std::string const& name, std::string_view indent);

  std::vector<std::size_t> distances_;
};

}  // namespace skua::cli
