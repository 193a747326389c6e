// SPDX-License-Identifier: MIT
#include "skua/parts/base/whole_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "skua/parts/base/error.hpp"
#include "skua/parts/base/printable.hpp"

namespace skua { inline namespace v0 { namespace runtime {
namespace {

/// Closes on every path; close() itself says whether the file system took everything.
class open_file {
 public:
  open_file(std::string const& path, int flags) : number_(::open(path.c_str(), flags | O_WRONLY | O_CLOEXEC, 0666)) {}
  ~open_file() {
    if (number_ >= 0) ::close(number_);
  }
  open_file(open_file const&) = delete;
  open_file& operator=(open_file&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }

  [[nodiscard]] bool is_open() const noexcept { return number_ >= 0; }
  [[nodiscard]] int number() const noexcept { return number_; }

  /// 0, or the errno of what failed.
  [[nodiscard]] int write(std::string_view text) const noexcept {
    while (!text.empty()) {
      auto const written = ::write(number_, text.data(), text.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return errno;
      text.remove_prefix(static_cast<std::size_t>(written));
    }
    return 0;
  }
  [[nodiscard]] int flush() const noexcept { return ::fsync(number_) == 0 ? 0 : errno; }
  /// Some file systems (NFS, quotas) report only here that there was no room.
  [[nodiscard]] int close() noexcept { return ::close(std::exchange(number_, -1)) == 0 ? 0 : errno; }

 private:
  int number_;
};

std::string folder_of(std::string const& path) {
  auto const slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

/// What a path stands for.
struct found_file {
  std::string path;  ///< of a regular file or a new one: no symbolic link
  struct stat old{};
  bool exists = false;
  bool has_name = true;  ///< false: it was removed, and is open still (/proc/self/fd/1)
  int fault = 0;

  [[nodiscard]] bool is_folder() const noexcept { return exists && S_ISDIR(old.st_mode); }
  [[nodiscard]] bool is_special() const noexcept { return exists && !S_ISREG(old.st_mode) && !is_folder(); }
};

/// Follows the links of a path that leads nowhere yet, which realpath() cannot. They end: stat() has found no circle.
std::string end_of_links(std::string path) {
  char target[4096];
  for (ssize_t length = 0; (length = ::readlink(path.c_str(), target, sizeof target)) >= 0;) {
    std::string next(target, static_cast<std::size_t>(length));
    path = next.starts_with('/') ? std::move(next) : folder_of(path) + "/" + next;
  }
  return path;
}

found_file follow(std::string const& path) {
  found_file found{.path = path};
  found.exists = ::stat(path.c_str(), &found.old) == 0;
  if (found.exists && S_ISREG(found.old.st_mode)) {
    char* const real = ::realpath(path.c_str(), nullptr);
    found.has_name = real != nullptr;
    if (found.has_name) found.path = real;
    std::free(real);
  } else if (!found.exists && errno != ENOENT) {
    found.fault = errno;
  } else if (!found.exists) {
    found.path = end_of_links(path);
    if (found.path.ends_with('/')) found.fault = EISDIR;
    if (found.path.empty()) found.fault = ENOENT;
  }
  return found;
}

/// A file of the folder that has no name yet, so that nothing stays behind if the process is killed; or, where the file system has no such
/// files, one with a name that nobody uses.
class draft {
 public:
  explicit draft(std::string const& of)
      : beside_(of + "." + std::to_string(::getpid())), file_(folder_of(of), O_TMPFILE) {
    if (file_.is_open() && ::access("/proc/self/fd", X_OK) == 0) return;
    while (!has_name_ && fault_ == 0) {
      take_next_name();
      file_ = open_file(name_, O_CREAT | O_EXCL);
      has_name_ = file_.is_open();
      if (!has_name_ && !may_try_again()) fault_ = errno;
    }
  }
  ~draft() {
    if (has_name_) ::unlink(name_.c_str());
  }
  draft(draft const&) = delete;
  draft& operator=(draft const&) = delete;

  [[nodiscard]] int fault() const noexcept { return fault_; }
  [[nodiscard]] open_file& file() noexcept { return file_; }

  /// Gives the complete file its name. 0, or the errno of what failed.
  [[nodiscard]] int replace(std::string const& path) {
    char self[32];
    std::snprintf(self, sizeof self, "/proc/self/fd/%d", file_.number());
    while (!has_name_) {
      take_next_name();
      has_name_ = ::linkat(AT_FDCWD, self, AT_FDCWD, name_.c_str(), AT_SYMLINK_FOLLOW) == 0;
      if (!has_name_ && !may_try_again()) return errno;
    }
    if (int const wrong = file_.close(); wrong != 0) return wrong;
    if (::rename(name_.c_str(), path.c_str()) != 0) return errno;
    has_name_ = false;
    return 0;
  }

 private:
  void take_next_name() { name_ = beside_ + "." + std::to_string(attempt_++) + ".part"; }
  /// The name belongs to another thread, or to a process that was killed.
  [[nodiscard]] bool may_try_again() const noexcept { return errno == EEXIST && attempt_ < 100; }

  std::string beside_;
  std::string name_;
  int attempt_ = 0;
  bool has_name_ = false;
  int fault_ = 0;
  open_file file_;
};

/// The folder takes no new file of this name; the file itself may still be writable.
bool is_about_the_folder(int why) { return why == EACCES || why == EPERM || why == EROFS || why == ENAMETOOLONG; }

/// Another process may mount a file of the folder on its own: it can be written, not replaced.
bool is_about_replacing(int why) { return why == EBUSY || why == EXDEV || why == EPERM; }

write_fault write_in_place(std::string const& path, std::string_view text) {
  open_file file(path, O_CREAT | O_TRUNC);
  if (!file.is_open()) return {errno};
  int const wrong = file.write(text);
  int const closed = file.close();
  return {wrong != 0 ? wrong : closed};
}

/// Whoever may read the old file may read the new one. A file system without permissions refuses, which is no fault.
void keep_owner_and_permissions(int file, struct stat const& old) {
  if (::fchown(file, old.st_uid, old.st_gid) != 0) static_cast<void>(::fchown(file, ~uid_t{0}, old.st_gid));
  static_cast<void>(::fchmod(file, old.st_mode & 07777));
}

}  // namespace

std::string write_fault::in_words() const {
  return is_special ? "it is no regular file" : std::generic_category().message(number);
}

write_fault fault_of_writing(std::string const& path, file_rules rules) {
  found_file const found = follow(path);
  if (found.fault != 0) return {found.fault};
  if (found.is_folder()) return {EISDIR};
  if (found.is_special() && rules.special_files == file_rules::special::refused) return {EINVAL, true};
  if (found.exists && ::access(found.path.c_str(), W_OK) != 0) return {errno};
  if (found.is_special() || !found.has_name) return {};
  draft const trial(found.path);
  return {found.exists && is_about_the_folder(trial.fault()) ? 0 : trial.fault()};
}

write_fault try_write_whole_file(std::string const& path, std::string_view text, file_rules rules) {
  found_file const found = follow(path);
  if (found.fault != 0) return {found.fault};
  if (found.is_folder()) return {EISDIR};
  if (found.is_special()) {
    if (rules.special_files == file_rules::special::refused) return {EINVAL, true};
    return write_in_place(found.path, text);
  }
  if (found.exists && ::access(found.path.c_str(), W_OK) != 0) return {errno};
  if (!found.has_name) return write_in_place(found.path, text);
  draft made(found.path);
  int wrong = made.fault();
  if (found.exists && is_about_the_folder(wrong)) return write_in_place(found.path, text);
  if (wrong == 0 && found.exists) keep_owner_and_permissions(made.file().number(), found.old);
  if (wrong == 0) wrong = made.file().write(text);
  if (wrong == 0 && rules.flushed) wrong = made.file().flush();
  if (wrong == 0) {
    wrong = made.replace(found.path);
    if (found.exists && (is_about_replacing(wrong) || is_about_the_folder(wrong)))
      return write_in_place(found.path, text);
  }
  return {wrong};
}

void write_whole_file(std::string const& path, std::string_view text, file_rules rules) {
  write_fault const fault = try_write_whole_file(path, text, rules);
  if (fault) throw resource_error("cannot write " + printable(path) + ": " + fault.in_words());
}

}}}  // namespace skua::v0::runtime
