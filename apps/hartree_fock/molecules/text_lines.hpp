// SPDX-License-Identifier: MIT
// A text of lines of words, as the files of chemists are, and what is wrong in it: `name:line: why`, on one line whatever bytes
// the file has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>

namespace skua::apps::hartree_fock::molecules {

/// 'text' with every byte that is no printable ASCII as \xNN, cut after 40 of them.
[[nodiscard]] std::string in_quotes(std::string_view raw);

/// A number of a Fortran or a C program, "1.5D+01" or "1.5e1". False: the word is none, or not finite.
[[nodiscard]] bool read_number(std::string_view word, double& into);

class text_lines {
 public:
  text_lines(std::istream& in, std::string_view name) : in_(in), name_(name) {}

  /// Goes to the next line. False at the end of the text. Throws usage_error if it cannot be read to its end.
  bool next();
  /// Takes the next word off the line; empty at its end.
  [[nodiscard]] std::string_view word();
  [[nodiscard]] bool at_end_of_line() const noexcept;
  /// Throws usage_error unless the next word is such a number of at most `most` in magnitude.
  [[nodiscard]] double number(std::string_view what, double most);
  [[nodiscard]] std::uint64_t natural(std::string_view what, std::uint64_t least, std::uint64_t most);
  void require_end_of_line();
  /// Throws usage_error.
  [[noreturn]] void refuse(std::string const& why) const;

 private:
  std::istream& in_;
  std::string name_;
  std::string line_;
  std::string_view rest_;
  std::size_t number_ = 0;
};

}  // namespace skua::apps::hartree_fock::molecules
