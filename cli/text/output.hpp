// SPDX-License-Identifier: MIT
// Where a subcommand's result goes: text to standard output, or JSON to a file or to standard output, whole or not at
// all.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "cli/text/command.hpp"
#include "cli/text/report.hpp"

namespace skua::cli {

/// Before anything else opens a file. Descriptors 0 to 2 that are closed get a file that can neither be read nor written, so that no
/// file of the process takes their numbers and gets its text. A file that grows past the limit (ulimit -f) is an error and no signal.
void prepare_output() noexcept;

/// Writes all of it and makes sure that it went out. Throws resource_error ("No space left on device", ...).
void write_to_stdout(std::string_view text);

/// "skua: TEXT" as one line on standard error, whatever is in the text. A fault of standard error is ignored.
void write_to_stderr(std::string text);

/// Throws resource_error if this file cannot be written, so that nobody measures for a minute in vain. Writes nothing.
void require_writable(std::string const& path);
/// Whole or not at all: as runtime::write_whole_file; a device or a FIFO in place. Throws resource_error. A Ctrl-C waits until the file is whole.
void write_to_file(std::string const& path, std::string_view text);

/// Where text goes: "-" or nothing for standard output, or a file.
class text_target {
 public:
  /// Throws as require_writable.
  explicit text_target(std::string path);

  [[nodiscard]] bool takes_stdout() const noexcept { return path_.empty() || path_ == "-"; }
  /// Throws as write_to_file.
  void write(std::string_view text) const;

 private:
  std::string path_;
};

/// The value of --json: nowhere (empty), "-" for standard output, or a file.
class json_target {
 public:
  /// Throws as require_writable.
  explicit json_target(std::string path) : path_(path), target_(std::move(path)) {}

  [[nodiscard]] bool wanted() const noexcept { return !path_.empty(); }
  /// JSON has standard output for itself: the text for people must not go there.
  [[nodiscard]] bool takes_stdout() const noexcept { return takes_stdout(path_); }
  [[nodiscard]] static bool takes_stdout(std::string_view path) noexcept { return path == "-"; }
  /// Writes the document if one is wanted. Throws as write_to_file.
  void write(json const& document) const;

 private:
  std::string path_;
  text_target target_;
};

/// Throws usage_error if both are the same file: the second would overwrite the first.
void refuse_same_file(std::string_view option, std::string const& path, std::string_view other,
                      std::string const& other_path);

/// --json FILE|-, for subcommands that measure.
void add_json(parser command, std::string& path);
/// --json [FILE|-], where standard output is the default.
void add_optional_json(parser command, std::string& path);

}  // namespace skua::cli
