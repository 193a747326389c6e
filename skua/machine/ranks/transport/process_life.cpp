// SPDX-License-Identifier: MIT
#include "skua/machine/ranks/transport/process_life.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <string_view>

namespace skua { inline namespace v0 { namespace ranks {

process_name process_name::own() noexcept {
  struct stat space{};
  bool const knows = ::stat("/proc/self/ns/pid", &space) == 0;
  return {.number = ::getpid(), .space = knows ? space.st_ino : 0};
}

transport::life life_of_process(std::int64_t number) noexcept {
  using life = transport::life;
  std::array<char, 64> path{};
  std::snprintf(path.data(), path.size(), "/proc/%lld/stat", static_cast<long long>(number));
  int const file = ::open(path.data(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return errno == ENOENT ? life::ended : life::there;
  std::array<char, 256> text{};  // the state follows the number, and the name of at most 15 characters
  ssize_t const n = ::read(file, text.data(), text.size());
  bool const has_ended = n < 0 && errno == ESRCH;  // meanwhile
  ::close(file);
  if (n <= 0) return has_ended ? life::ended : life::there;
  std::string_view const said(text.data(), static_cast<std::size_t>(n));
  std::size_t const name_ends = said.rfind(')');  // the name may contain one
  if (name_ends == std::string_view::npos || name_ends + 2 >= said.size()) return life::there;
  switch (said[name_ends + 2]) {
    case 'Z':
    case 'X': return life::ended;
    case 'T': return life::stopped;
    default: return life::there;
  }
}

}}}  // namespace skua::v0::ranks
