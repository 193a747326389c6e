// SPDX-License-Identifier: MIT
#include "cli/output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "cli/interrupt.hpp"
#include "skua/parts/base/error.hpp"

namespace skua::cli {
namespace {

[[noreturn]] void refuse(std::string_view where, int fault) {
  throw resource_error(fmt::format("cannot write {}: {}", where, std::generic_category().message(fault)));
}

void write_all(int file, std::string_view text, std::string_view name) {
  while (!text.empty()) {
    auto const written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) refuse(name, errno);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

bool is_regular(int file) {
  struct stat found{};
  return ::fstat(file, &found) == 0 && S_ISREG(found.st_mode);
}

}  // namespace

void write_to_stdout(std::string_view text) { write_all(STDOUT_FILENO, text, "to standard output"); }

void require_writable(std::string const& path) {
  // To know whether a file can be made, make it: permissions alone do not tell (root, read-only and special file systems).
  int const made = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (made >= 0) {
    ::close(made);
    ::unlink(path.c_str());
    return;
  }
  if (errno != EEXIST) refuse(path, errno);
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) refuse(path, EISDIR);
  if (::access(path.c_str(), W_OK) != 0) refuse(path, errno);
}

void write_to_file(std::string const& path, std::string_view text) {
  finish_in_spite_of_interrupts();
  int const file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) refuse(path, errno);
  bool const removable = is_regular(file);
  try {
    write_all(file, text, path);
  } catch (...) {
    ::close(file);
    if (removable) ::unlink(path.c_str());
    throw;
  }
  // Some file systems (NFS, quotas) say only here that there was no room.
  if (::close(file) != 0) refuse(path, errno);
}

text_target::text_target(std::string where) : where_(std::move(where)) {
  if (!takes_stdout()) require_writable(where_);
}

void text_target::write(std::string_view text) const {
  finish_in_spite_of_interrupts();
  if (takes_stdout()) {
    write_to_stdout(text);
  } else {
    write_to_file(where_, text);
  }
}

void json_target::write(json const& document) const {
  if (wanted()) target_.write(document.dump(2) + "\n");
}

void refuse_nothing(CLI::App& words, std::string const& option) {
  // The parser's complaint (complaint.hpp) makes a sentence of it.
  words.get_option(option)->check([](std::string const& value) { return std::string(value.empty() ? "empty" : ""); },
                                  "");
}

void refuse_same_file(std::string_view option, std::string const& path, std::string_view other,
                      std::string const& other_path) {
  auto const real = [](std::string const& p) {
    std::error_code unreadable;
    auto const found = std::filesystem::weakly_canonical(std::filesystem::absolute(p), unreadable);
    return unreadable ? std::filesystem::path(p) : found;
  };
  if (path.empty() || other_path.empty() || real(path) != real(other_path)) return;
  throw usage_error(fmt::format("{} {} and {} {} are the same file; name two", option, path, other, other_path));
}

void add_json(CLI::App& words, std::string& where) {
  words.add_option("--json", where, "the result as JSON; - is standard output")->type_name("FILE|-");
  refuse_nothing(words, "--json");
}

void add_optional_json(CLI::App& words, std::string& where) {
  // The parser checks no value that may be missing, and says "-" where it is.
  auto const take = [&where](std::string const& value) {
    if (value.empty()) throw CLI::ValidationError("--json", "empty");
    where = value;
  };
  words.add_option_function<std::string>("--json", take, "the result as JSON, on standard output if no file is named")
      ->type_name("FILE")
      ->expected(0, 1)
      ->default_str("-");
}

}  // namespace skua::cli
