// SPDX-License-Identifier: MIT
#include "apps/picture/whole_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "skua/parts/base/error.hpp"

namespace skua::apps {
namespace {

/// Closes on every path; close() itself says whether the file system took everything.
class open_file {
 public:
  open_file(std::string const& path, int flags) : number_(::open(path.c_str(), flags | O_WRONLY | O_CLOEXEC, 0666)) {}
  ~open_file() {
    if (number_ >= 0) ::close(number_);
  }
  open_file(open_file const&) = delete;
  open_file& operator=(open_file const&) = delete;

  [[nodiscard]] bool is_open() const noexcept { return number_ >= 0; }
  [[nodiscard]] int number() const noexcept { return number_; }

  /// 0, or the errno of what failed. Some file systems (NFS, quotas) report only at closing that there was no room.
  [[nodiscard]] int write_and_close(std::string_view text) {
    while (!text.empty()) {
      auto const written = ::write(number_, text.data(), text.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return errno;
      text.remove_prefix(static_cast<std::size_t>(written));
    }
    int const number = number_;
    number_ = -1;
    return ::close(number) == 0 ? 0 : errno;
  }

 private:
  int number_;
};

[[noreturn]] void refuse(std::string const& path, int why) {
  throw resource_error("cannot write " + path + ": " + std::generic_category().message(why));
}

void write_in_place(std::string const& path, std::string_view text) {
  open_file file(path, O_CREAT | O_TRUNC);
  if (!file.is_open()) refuse(path, errno);
  if (int const why = file.write_and_close(text); why != 0) refuse(path, why);
}

/// The folder takes no new file of this name; the file itself may still be writable.
bool is_about_the_folder(int why) { return why == EACCES || why == EPERM || why == EROFS || why == ENAMETOOLONG; }

/// Another process may mount a file of the folder on its own: it can be written, not replaced.
bool is_about_replacing(int why) { return why == EBUSY || why == EXDEV || why == EPERM; }

}  // namespace

void write_whole_file(std::string const& path, std::string_view text) {
  std::error_code unknown;
  std::filesystem::path real = std::filesystem::canonical(path, unknown);
  if (unknown) real = path;
  struct stat old{};
  bool const exists = ::stat(real.c_str(), &old) == 0;
  if (exists && !S_ISREG(old.st_mode)) return write_in_place(path, text);

  std::string const beside = real.string() + "." + std::to_string(::getpid()) + ".part";
  open_file file(beside, O_CREAT | O_EXCL);
  if (!file.is_open()) {
    if (exists && is_about_the_folder(errno)) return write_in_place(path, text);
    refuse(path, errno);
  }
  if (exists && ::access(real.c_str(), W_OK) != 0) {
    int const why = errno;
    ::unlink(beside.c_str());
    refuse(path, why);
  }
  // Whoever may read the old file may read the new one; a file system without permissions refuses, which is no fault.
  if (exists) static_cast<void>(::fchmod(file.number(), old.st_mode & 07777));
  int why = file.write_and_close(text);
  if (why == 0 && ::rename(beside.c_str(), real.c_str()) != 0) why = errno;
  if (why == 0) return;
  ::unlink(beside.c_str());
  if (exists && is_about_replacing(why)) return write_in_place(path, text);
  refuse(path, why);
}

}  // namespace skua::apps
