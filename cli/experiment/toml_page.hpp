// SPDX-License-Identifier: MIT
// The tables of an experiment's file. Every refusal names its line. Only toml_page.cpp knows toml++.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace skua::cli {

/// One table of the file. Every getter throws usage_error "ORIGIN:LINE: ..." for a value of the wrong type.
class toml_page {
 public:
  /// The top level of a text. Throws usage_error if that is not TOML. `origin` must outlive the page.
  [[nodiscard]] static toml_page read(std::string_view text, std::string_view origin);

  /// Refuses every key that is not among these, with the nearest of them.
  void allow(std::vector<std::string_view> const& keys) const;

  [[nodiscard]] bool has(std::string_view key) const;
  [[nodiscard]] std::string text(std::string_view key) const;  ///< must be there
  [[nodiscard]] std::string text_or(std::string_view key, std::string_view otherwise) const;
  /// One string or a list of strings; empty if it is not there.
  [[nodiscard]] std::vector<std::string> list(std::string_view key) const;
  [[nodiscard]] std::vector<double> numbers(std::string_view key) const;
  [[nodiscard]] std::optional<double> number(std::string_view key) const;
  [[nodiscard]] double number(std::string_view key, double least, double most, double otherwise) const;
  [[nodiscard]] bool flag(std::string_view key) const;
  /// [[key]], in order.
  [[nodiscard]] std::vector<toml_page> pages(std::string_view key) const;
  /// { ... } or [key].
  [[nodiscard]] std::optional<toml_page> page(std::string_view key) const;
  [[nodiscard]] std::vector<std::string> keys() const;

  /// The line of this key if it is there, else of the table.
  [[nodiscard]] std::uint32_t line(std::string_view key = "") const;
  [[noreturn]] void refuse(std::string_view key, std::string const& why) const;
  /// "KEY is of the wrong type; allowed: ALLOWED", or "KEY is missing; ..."
  [[noreturn]] void refuse_kind(std::string_view key, std::string_view allowed) const;

 private:
  struct content;  ///< a table, and the text's tables, which it keeps
  toml_page(std::shared_ptr<content const> in, std::string_view origin, std::string where);

  std::shared_ptr<content const> in_;
  std::string_view origin_;
  std::string where_;  ///< "[[panel]]"; empty: the top level
};

[[noreturn]] void refuse_line(std::string_view origin, std::uint32_t line, std::string const& why);

}  // namespace skua::cli
