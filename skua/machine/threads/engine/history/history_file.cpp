// SPDX-License-Identifier: MIT
#include "skua/machine/threads/engine/history/history_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "skua/parts/base/error.hpp"
#include "skua/parts/topology/file.hpp"

namespace skua { inline namespace v0 { namespace runtime {
namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 30;

/// The new file, which is written first and then replaces the old one.
std::string draft_of(std::string const& path) { return path + ".new." + std::to_string(::getpid()); }

/// Returns 0 or the error.
int write_whole(std::string const& path, std::string const& text) noexcept {
  int const file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) return errno;
  int wrong = 0;
  for (std::size_t done = 0; done < text.size() && wrong == 0;) {
    ssize_t const n = ::write(file, text.data() + done, text.size() - done);
    if (n > 0) done += static_cast<std::size_t>(n);
    if (n < 0 && errno != EINTR) wrong = errno;
  }
  if (::close(file) != 0 && wrong == 0) wrong = errno;
  return wrong;
}

}  // namespace

history_file::history_file(std::string const& chosen_by, std::string path)
    : path_(std::move(path)), name_(chosen_by + ": " + path_) {
  file_text found = read_file(path_, most_bytes);
  if (found.wrong && found.wrong != std::errc::no_such_file_or_directory)
    throw usage_error(chosen_by + " is '" + path_ + "': " + found.wrong.message());
  known_ = read_history(name_, found.text);
  std::string const draft = draft_of(path_);
  if (int const wrong = write_whole(draft, {}); wrong != 0) {
    throw usage_error(chosen_by + " is '" + path_ +
                      "', which cannot be written: " + std::generic_category().message(wrong));
  }
  ::unlink(draft.c_str());
}

void history_file::expect_workers(std::uint32_t n) const {
  if (known_.workers == 0 || known_.workers == n) return;
  throw usage_error(name_ + " is of " + std::to_string(known_.workers) + " workers, but there are " +
                    std::to_string(n) + "; allowed: the same number");
}

void history_file::write(std::uint32_t workers, std::vector<policies::known_time> times) const noexcept try {
  if (times.empty()) return;
  std::string const text = text_of({.workers = workers, .times = std::move(times)});
  std::string const draft = draft_of(path_);
  int wrong = write_whole(draft, text);
  if (wrong == 0 && std::rename(draft.c_str(), path_.c_str()) != 0) wrong = errno;
  if (wrong == 0) return;
  ::unlink(draft.c_str());
  std::fputs(("skua: note: " + name_ + " was not written: " + std::generic_category().message(wrong) + "\n").c_str(),
             stderr);
} catch (...) {
  std::fputs("skua: note: no memory to write the history\n", stderr);
}

}}}  // namespace skua::v0::runtime
