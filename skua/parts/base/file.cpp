// SPDX-License-Identifier: MIT
#include "skua/parts/base/file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace skua { inline namespace v0 { namespace runtime {

file_text read_file(std::string const& path, std::size_t most_bytes) {
  int const file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return {.wrong = {errno, std::generic_category()}};
  file_text result;
  std::array<char, 4'096> buffer;
  for (;;) {
    ssize_t const got = ::read(file, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) result.wrong = {errno, std::generic_category()};
    if (got <= 0) break;
    result.text.append(buffer.data(), static_cast<std::size_t>(got));
    if (result.text.size() > most_bytes) {
      result.wrong = std::make_error_code(std::errc::file_too_large);
      break;
    }
  }
  ::close(file);
  if (result.wrong) result.text.clear();
  return result;
}

}}}  // namespace skua::v0::runtime
