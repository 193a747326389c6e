// SPDX-License-Identifier: MIT
// The words and numbers of a text file that others have made, line by line: plain or gzip, of any size, in bounded memory.
// Every mistake is one sentence that begins with FILE:LINE.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace skua::apps {

/// Bytes of a file in quotes, as a message shows them: at most 40, and those that no terminal should see as \xNN.
[[nodiscard]] std::string shown(std::string_view bytes);

/// How far a gzip file may expand: a small one must not fill memory or keep a reader busy for hours. 29 graphs and matrices of Debian's packages
/// expand to 2.4 to 10 times their compressed size; gzip reaches 1032.
struct expansion_limit {
  std::uint64_t bytes = std::uint64_t{1} << 28;  ///< as much as this always
  std::uint64_t times = 100;                     ///< more only up to this multiple of the file's size
};

class text_reader {
 public:
  /// Opens a regular file. What begins as gzip does is decompressed, whatever its name, up to `most`. Throws usage_error.
  explicit text_reader(std::filesystem::path const& file, expansion_limit const& most = {});
  /// Reads a text that is there already.
  text_reader(std::string text, std::string name);
  ~text_reader();
  text_reader(text_reader const&) = delete;
  text_reader& operator=(text_reader const&) = delete;

  [[nodiscard]] std::string const& name() const noexcept { return name_; }

  /// Goes to the next line; false at the end. Throws usage_error for a line above 64 MiB, and for gzip that is damaged or expands too far.
  [[nodiscard]] bool next_line();
  /// Continues with the first line.
  void rewind();
  /// What is left of the line, without its end (\n or \r\n).
  [[nodiscard]] std::string_view rest() const noexcept { return rest_; }

  /// The next word of the line; empty at its end. Blanks, tabs and `separators` are between words.
  std::string_view word();
  void separate_also_by(std::string_view separators);
  /// The next word as a number within these bounds.
  std::uint64_t whole(std::string_view what, std::uint64_t least, std::uint64_t most);
  /// The next word as a finite number.
  double real(std::string_view what);
  [[nodiscard]] bool is_at_end_of_line() const noexcept {
    return rest_.find_first_not_of(blanks_) == std::string_view::npos;
  }
  /// Refuses further words.
  void end_of_line();
  /// Back to the first word of this line.
  void begin_line_again() noexcept { rest_ = whole_; }

  /// Throws usage_error "FILE:LINE: why"; without a line before the first one.
  [[noreturn]] void refuse(std::string const& why) const;
  /// Throws usage_error "FILE: why", for what no single line is to blame for.
  [[noreturn]] void refuse_all(std::string const& why) const;

 private:
  struct compressed;

  /// Appends the next piece of the file to text_; false at its end.
  bool read_on();

  std::string name_;
  std::unique_ptr<compressed> in_;  ///< null: all of it is in text_
  std::string text_;
  std::size_t at_ = 0;      ///< where the next line begins in text_
  std::string_view whole_;  ///< the line
  std::string_view rest_;   ///< of it
  std::string blanks_ = " \t\r\v\f";
  std::uint64_t line_ = 0;
};

}  // namespace skua::apps
