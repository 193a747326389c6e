// SPDX-License-Identifier: MIT
// Lines of a file that is read as it comes. std::getline would take a file without line breaks, /dev/zero among them, whole.
#pragma once

#include <cstddef>
#include <istream>
#include <string>
#include <string_view>

namespace skua::cli {

/// The longest line that a file of records may have.
inline constexpr std::size_t longest_line_bytes = std::size_t{1} << 16;

/// As std::getline. Throws usage_error "NAME: a line is longer than 65536 bytes".
bool read_line(std::istream& in, std::string& line, std::string_view name);

}  // namespace skua::cli
