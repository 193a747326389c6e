// SPDX-License-Identifier: MIT
// Where a verb's result goes: text to standard output, or JSON to a file or to standard output, whole or not at all.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace CLI {
class App;
}

namespace skua::cli {

/// JSON whose keys stay in the order in which they were written.
using json = nlohmann::ordered_json;

/// Write all of it, and be sure that it went out. Throws resource_error ("No space left on device", ...).
void write_to_stdout(std::string_view text);

/// Throws resource_error if this file could not be written, so that nobody measures for a minute in vain. Writes nothing.
void require_writable(std::string const& path);
/// Throws resource_error; then an unfinished new file is removed. A Ctrl-C waits until the file is whole.
void write_to_file(std::string const& path, std::string_view text);

/// Where text goes: "-" or nothing for standard output, or a file.
class text_target {
 public:
  /// Throws as require_writable.
  explicit text_target(std::string where);

  [[nodiscard]] bool takes_stdout() const noexcept { return where_.empty() || where_ == "-"; }
  /// Throws as write_to_file.
  void write(std::string_view text) const;

 private:
  std::string where_;
};

/// The value of --json: nowhere (empty), "-" for standard output, or a file.
class json_target {
 public:
  /// Throws as require_writable.
  explicit json_target(std::string where) : where_(where), target_(std::move(where)) {}

  [[nodiscard]] bool wanted() const noexcept { return !where_.empty(); }
  /// JSON has standard output for itself: people's text must not go there.
  [[nodiscard]] bool takes_stdout() const noexcept { return where_ == "-"; }
  /// Writes the document, if one is wanted. Throws resource_error; then an unfinished new file is removed.
  void write(json const& document) const;

 private:
  std::string where_;
  text_target target_;
};

/// An empty value of this option counts as a missing one.
void refuse_nothing(CLI::App& words, std::string const& option);
/// Throws usage_error if both are the same file: the second would overwrite the first.
void refuse_same_file(std::string_view option, std::string const& path, std::string_view other,
                      std::string const& other_path);

/// --json FILE|-, for verbs that measure.
void add_json(CLI::App& words, std::string& where);
/// --json [FILE|-], where standard output may go without saying.
void add_optional_json(CLI::App& words, std::string& where);

}  // namespace skua::cli
