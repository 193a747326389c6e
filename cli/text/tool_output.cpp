// SPDX-License-Identifier: MIT
#include "cli/text/tool_output.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>

namespace skua::cli {
namespace {

constexpr std::size_t most_bytes = std::size_t{64} << 20;

/// Starts it with its standard output in `out`; 0: it cannot be started.
::pid_t start(std::vector<std::string>& command, int out) {
  std::vector<char*> words;
  for (std::string& word : command) words.push_back(word.data());
  words.push_back(nullptr);
  ::posix_spawn_file_actions_t files;
  if (::posix_spawn_file_actions_init(&files) != 0) return 0;
  ::posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
  ::posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  ::pid_t child = 0;
  bool const is_started = ::posix_spawnp(&child, words.front(), &files, nullptr, words.data(), ::environ) == 0;
  ::posix_spawn_file_actions_destroy(&files);
  return is_started ? child : 0;
}

/// Until the end; false: it is too long.
bool read_all(int from, std::string& to) {
  std::array<char, 65536> part{};
  for (;;) {
    ::ssize_t const got = ::read(from, part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return got == 0;
    to.append(part.data(), static_cast<std::size_t>(got));
    if (to.size() > most_bytes) return false;
  }
}

}  // namespace

std::optional<std::string> output_of(std::vector<std::string> command) {
  std::array<int, 2> pipe{};
  if (command.empty() || ::pipe2(pipe.data(), O_CLOEXEC) != 0) return std::nullopt;
  ::pid_t const child = start(command, pipe[1]);
  ::close(pipe[1]);
  std::string text;
  bool const is_whole = child != 0 && read_all(pipe[0], text);
  ::close(pipe[0]);  // a tool that still writes gets SIGPIPE
  int status = 0;
  if (child == 0) return std::nullopt;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return std::nullopt;
  }
  if (!is_whole || !WIFEXITED(status) || WEXITSTATUS(status) != 0) return std::nullopt;
  return text;
}

}  // namespace skua::cli
