// SPDX-License-Identifier: MIT
// skua omp: starts a program that was compiled for GCC's OpenMP on Skua's workers, by libgomp-skua.so.1 (docs/openmp.md).
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "cli/subcommand.hpp"
#include "cli/text/option_values.hpp"
#include "cli/text/output.hpp"
#include "cli/text/tool_output.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/base/printable.hpp"
#include "skua/policy/registry.hpp"

namespace skua::cli {
namespace {

struct arguments {
  std::vector<std::string> command;
  std::string threads;
  std::string policy;
  std::string trace;
};

std::string path_of_library() {
  std::error_code failed;
  auto const self = std::filesystem::read_symlink("/proc/self/exe", failed);
  if (failed) throw resource_error(fmt::format("/proc/self/exe: {}", failed.message()));
  std::string const path =
      (self.parent_path() / SKUA_MODULES_FROM_COMMAND / "libgomp-skua.so.1").lexically_normal().string();
  if (!std::filesystem::exists(path, failed))
    throw resource_error(fmt::format("{} is missing; build or install the target skua_omp", path));
  if (path.find_first_of(": ") != std::string::npos)
    throw resource_error(
        fmt::format("'{}' cannot be preloaded: LD_PRELOAD is divided at blanks and colons; move the installation to a "
                    "path that has none",
                    runtime::printable(path)));
  return path;
}

void set(char const* name, std::string const& value) {
  if (::setenv(name, value.c_str(), 1) != 0) throw resource_error(fmt::format("{} cannot be set", name));
}

/// The file that execvp would run; empty: there is none.
std::string file_of(std::string const& program) {
  if (program.find('/') != std::string::npos) return program;
  char const* const path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    std::string const file = fmt::format("{}/{}", folder.empty() ? "." : folder, program);
    if (::access(file.c_str(), X_OK) == 0) return file;
  }
  return "";
}

/// Says so if the program's OpenMP is another one, which nothing replaces. Without readelf, and of scripts, nothing is known.
void warn_about(std::string const& program) {
  std::optional<std::string> const about = output_of({"readelf", "-d", file_of(program)});
  if (!about) return;
  std::string const name = runtime::printable(program);
  if (about->find("(NEEDED)") == std::string::npos)
    write_to_stderr(fmt::format("omp: '{}' is linked statically, so nothing replaces its OpenMP", name));
  for (std::string_view const other : {"[libomp.so", "[libiomp5.so"}) {
    if (about->find(other) != std::string::npos)
      write_to_stderr(fmt::format("omp: '{}' uses {}, which this library does not replace: it runs as ever", name,
                                  other.substr(1)));
  }
}

int execute(arguments const& given) {
  if (given.command.empty()) throw usage_error("COMMAND is missing; allowed: a program and its arguments, behind --");
  if (!given.threads.empty())
    set("OMP_NUM_THREADS", std::to_string(read_whole_number("--threads", given.threads, 1, 16'384)));
  if (!given.policy.empty()) {
    policies::check_policy({given.policy, "--policy"});
    set("SKUA_POLICY", given.policy);
  }
  if (!given.trace.empty()) set("SKUA_TRACE", given.trace);
  warn_about(given.command.front());
  std::string preloaded = path_of_library();
  if (char const* const others = std::getenv("LD_PRELOAD"); others != nullptr && *others != '\0')
    preloaded += fmt::format(":{}", others);
  set("LD_PRELOAD", preloaded);
  std::vector<char*> words;
  std::vector<std::string> copies = given.command;
  for (std::string& word : copies) words.push_back(word.data());
  words.push_back(nullptr);
  ::execvp(words.front(), words.data());
  throw resource_error(fmt::format("'{}' cannot be started: {}", runtime::printable(given.command.front()),
                                   std::generic_category().message(errno)));
}

}  // namespace

subcommand add_omp(parser root) {
  parser const command = root.add_subcommand("omp", "run a program compiled for GCC's OpenMP on Skua's workers");
  auto const given = std::make_shared<arguments>();
  command.add_option("COMMAND", given->command, "", "the program and its arguments, behind --").repeatable();
  command.add_option("--threads", given->threads, "N", "threads of a parallel region (OMP_NUM_THREADS)");
  command.add_option("--policy", given->policy, "NAME", "the scheduler of its tasks (SKUA_POLICY)");
  command.add_option("--trace", given->trace, "FILE", "write a trace for skua report (SKUA_TRACE)");
  return {command, [given] { return execute(*given); }};
}

}  // namespace skua::cli
