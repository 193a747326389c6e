// SPDX-License-Identifier: MIT
#include "cli/study/child.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <memory>
#include <system_error>
#include <thread>

#include "apps/timing.hpp"
#include "cli/text/interrupt.hpp"

namespace skua::cli {
namespace {

using apps::seconds_since;

class files_of_child {
 public:
  explicit files_of_child(std::string const& log) {
    ::posix_spawn_file_actions_init(&all_);
    ::posix_spawn_file_actions_addopen(&all_, 0, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_addopen(&all_, 1, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    ::posix_spawn_file_actions_adddup2(&all_, 1, 2);
  }
  ~files_of_child() { ::posix_spawn_file_actions_destroy(&all_); }
  files_of_child(files_of_child const&) = delete;
  files_of_child& operator=(files_of_child const&) = delete;
  [[nodiscard]] posix_spawn_file_actions_t const* get() const noexcept { return &all_; }

 private:
  posix_spawn_file_actions_t all_{};
};

/// True: it has ended, and `status` is its.
bool has_ended(pid_t child, int& status) {
  pid_t got = 0;
  do got = ::waitpid(child, &status, WNOHANG);
  while (got < 0 && errno == EINTR);
  return got != 0;
}

bool ends_within(pid_t child, int& status, double seconds, bool heeds_interrupts) {
  auto const began = apps::clock::now();
  while (!has_ended(child, status)) {
    if (seconds_since(began) > seconds || (heeds_interrupts && interrupted())) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return true;
}

std::string in_words(int status) {
  if (WIFSIGNALED(status)) return fmt::format("signal {}", WTERMSIG(status));
  return fmt::format("exit code {}", WEXITSTATUS(status));
}

}  // namespace

child_end run_child(std::vector<std::string> const& words, std::string const& log, double limit_s) {
  std::vector<std::string> copies = words;
  std::vector<char*> arguments;
  for (std::string& word : copies) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  files_of_child const files(log);
  auto const began = apps::clock::now();
  pid_t child = 0;
  if (int const fault = ::posix_spawn(&child, arguments.front(), files.get(), nullptr, arguments.data(), environ);
      fault != 0)
    return {.how = fmt::format("it could not be started: {}", std::generic_category().message(fault))};
  int status = 0;
  if (ends_within(child, status, limit_s, true))
    return {.is_good = status == 0, .how = status == 0 ? "" : in_words(status), .seconds = seconds_since(began)};
  ::kill(child, SIGTERM);
  if (!ends_within(child, status, 3, false)) {
    ::kill(child, SIGKILL);
    static_cast<void>(ends_within(child, status, 60, false));
  }
  return {.how = interrupted() ? "interrupted" : fmt::format("ran past its {:.0f} s", limit_s),
          .seconds = seconds_since(began)};
}

}  // namespace skua::cli
