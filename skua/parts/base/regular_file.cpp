// SPDX-License-Identifier: MIT
#include "skua/parts/base/regular_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "skua/parts/base/error.hpp"
#include "skua/parts/base/printable.hpp"

namespace skua { inline namespace v0 { namespace runtime {

namespace {

[[noreturn]] void refuse_unreadable(std::string const& subject, std::string const& path) {
  throw resource_error(subject + " " + printable(path) + ": cannot be read: " + std::strerror(errno));
}

}  // namespace

void refuse_special_file(std::string const& subject, std::string const& path) {
  throw usage_error(subject + " " + printable(path) +
                    ": it is no regular file; allowed: a file, a link to one, or a new name");
}

std::vector<std::byte> read_regular_file(std::string const& subject, std::string const& path) {
  struct file {
    // Not blocking: a FIFO would wait for its writer.
    explicit file(std::string const& name) : number(open(name.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {}
    ~file() {
      if (number >= 0) close(number);
    }
    int const number;
  } const opened(path);
  struct stat what{};
  if (opened.number < 0 || fstat(opened.number, &what) != 0) refuse_unreadable(subject, path);
  if (!S_ISREG(what.st_mode) && !S_ISDIR(what.st_mode)) refuse_special_file(subject, path);
  std::vector<std::byte> all;
  std::vector<std::byte> piece(1 << 16);
  while (true) {
    ssize_t const n = read(opened.number, piece.data(), piece.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) refuse_unreadable(subject, path);
    if (n == 0) return all;
    // GCC 12 warns of an overflow in insert() that cannot happen.
    std::size_t const at = all.size();
    all.resize(at + static_cast<std::size_t>(n));
    std::memcpy(all.data() + at, piece.data(), static_cast<std::size_t>(n));
  }
}

}}}  // namespace skua::v0::runtime
