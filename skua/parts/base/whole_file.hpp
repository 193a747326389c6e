// SPDX-License-Identifier: MIT
// Files that are there whole or not at all: whoever finds one can trust it, and a full disk or a kill costs nobody the old one. Every file
// that Skua writes in one piece is written here; traces, which are mapped, are not.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace skua { inline namespace v0 { namespace runtime {

struct file_rules {
  /// What exists and is neither a regular file nor a folder: a device, a FIFO. It is never replaced.
  enum class special : std::uint8_t { refused, written_in_place };
  special special_files = special::refused;
  bool flushed = false;  ///< return only when the disk has it
};

/// Why a file is not written.
struct write_fault {
  int number = 0;           ///< errno; 0: none
  bool is_special = false;  ///< the rules refuse what it is

  explicit operator bool() const noexcept { return number != 0; }
  [[nodiscard]] std::string in_words() const;
};

/// Writes a new file in the folder of `path`, and gives it that name once all of it is out. What it replaces keeps its permissions and, if the
/// system allows it, its owner; a symbolic link keeps its place, and its target is written, even if there is none yet. Where the folder takes
/// no new file, or the file cannot be replaced (it is mounted), it is written in place. After a fault the old file and no other is there.
[[nodiscard]] write_fault try_write_whole_file(std::string const& path, std::string_view text, file_rules rules = {});
/// What try_write_whole_file would find now, as far as an attempt without text can tell. Leaves everything as it was.
[[nodiscard]] write_fault fault_of_writing(std::string const& path, file_rules rules = {});
/// Throws resource_error "cannot write PATH: why".
void write_whole_file(std::string const& path, std::string_view text, file_rules rules = {});

}}}  // namespace skua::v0::runtime
