// SPDX-License-Identifier: MIT
// A file of an experiment as tables of named things, every refusal with its line. Only definition.cpp needs to see toml++.
#pragma once

#include <toml++/toml.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace skua::cli {

/// One table of the file. Every getter that finds something of another kind throws usage_error "ORIGIN:LINE: ...".
class toml_page {
 public:
  toml_page(toml::table const& in, std::string_view origin, std::string where)
      : in_(in), origin_(origin), where_(std::move(where)) {}

  /// Refuses every key that is not among these, with the nearest.
  void allow(std::vector<std::string_view> const& keys) const;

  [[nodiscard]] bool has(std::string_view key) const { return in_.get(key) != nullptr; }
  [[nodiscard]] std::string words(std::string_view key) const;  ///< must be there
  [[nodiscard]] std::string words_or(std::string_view key, std::string_view otherwise) const;
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

  /// Of this key if it is there, else of the table.
  [[nodiscard]] std::uint32_t line(std::string_view key = "") const;
  [[noreturn]] void refuse(std::string_view key, std::string const& why) const;

 private:
  [[nodiscard]] double number_of(toml::node const& what, std::string_view key) const;

  toml::table const& in_;
  std::string_view origin_;
  std::string where_;  ///< "[[panel]]"; empty: the top level
};

/// Throws usage_error for what is no TOML.
[[nodiscard]] toml::table read_toml(std::string_view text, std::string_view origin);

[[noreturn]] void refuse_line(std::string_view origin, std::uint32_t line, std::string const& why);

}  // namespace skua::cli
