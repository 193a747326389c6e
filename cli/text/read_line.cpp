// SPDX-License-Identifier: MIT
#include "cli/text/read_line.hpp"

#include "skua/parts/base/error.hpp"
#include "skua/parts/base/printable.hpp"

namespace skua::cli {

bool read_line(std::istream& in, std::string& line, std::string_view name) {
  line.clear();
  std::istream::sentry const ready(in, true);
  if (!ready) return false;
  constexpr auto end_of_file = std::char_traits<char>::eof();
  for (;;) {
    auto const next = in.rdbuf()->sbumpc();
    if (next == end_of_file) {
      in.setstate(line.empty() ? std::ios::eofbit | std::ios::failbit : std::ios::eofbit);
      return !line.empty();
    }
    if (next == '\n') return true;
    if (line.size() == longest_line_bytes)
      throw usage_error(runtime::printable(name) + ": a line is longer than " + std::to_string(longest_line_bytes) +
                        " bytes");
    line += static_cast<char>(next);
  }
}

}  // namespace skua::cli
