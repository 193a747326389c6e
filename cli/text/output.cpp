// SPDX-License-Identifier: MIT
#include "cli/text/output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "cli/text/interrupt.hpp"
#include "cli/text/option_values.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/base/printable.hpp"
#include "skua/parts/base/whole_file.hpp"

namespace skua::cli {
namespace {

/// A document may go to a device, or to a program at the other end of a FIFO.
constexpr runtime::file_rules also_special{.special_files = runtime::file_rules::special::written_in_place};

[[noreturn]] void throw_unwritable(std::string_view name, int fault) {
  throw resource_error(fmt::format("cannot write {}: {}", name, std::generic_category().message(fault)));
}

}  // namespace

void prepare_output() noexcept {
  for (int const number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(number, F_GETFD) >= 0 || errno != EBADF) continue;
    // The lowest number that is free is this one. Opened the other way round, it fails as a closed one does.
    static_cast<void>(::open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY));
  }
  static_cast<void>(std::signal(SIGXFSZ, SIG_IGN));
}

void write_to_stdout(std::string_view text) {
  while (!text.empty()) {
    auto const written = ::write(STDOUT_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw_unwritable("to standard output", errno);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

void write_to_stderr(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  std::fputs(fmt::format("skua: {}\n", runtime::printable(text, text.size())).c_str(), stderr);
}

void require_writable(std::string const& path) {
  if (auto const fault = runtime::fault_of_writing(path, also_special)) throw_unwritable(path, fault.number);
}

void write_to_file(std::string const& path, std::string_view text) {
  finish_in_spite_of_interrupts();
  runtime::write_whole_file(path, text, also_special);
}

text_target::text_target(std::string path) : path_(std::move(path)) {
  if (!takes_stdout()) require_writable(path_);
}

void text_target::write(std::string_view text) const {
  finish_in_spite_of_interrupts();
  if (takes_stdout()) {
    write_to_stdout(text);
  } else {
    write_to_file(path_, text);
  }
}

void json_target::write(json const& document) const {
  if (wanted()) target_.write(document.dump(2) + "\n");
}

void refuse_same_file(std::string_view option, std::string const& path, std::string_view other,
                      std::string const& other_path) {
  auto const real = [](std::string const& p) {
    std::error_code unreadable;
    auto const found = std::filesystem::weakly_canonical(std::filesystem::absolute(p), unreadable);
    return unreadable ? std::filesystem::path(p) : found;
  };
  if (path.empty() || other_path.empty() || real(path) != real(other_path)) return;
  refuse(option, path, fmt::format("a file other than {}, because {} names the same file", other_path, other));
}

void add_json(parser command, std::string& path) {
  command.add_option("--json", path, "FILE|-", "write the result as JSON; - is standard output");
}

void add_optional_json(parser command, std::string& path) {
  // The parser does not check a value that may be missing, and passes "-" for a missing one.
  auto const take = [&path](std::string const& value) {
    path = value;
    return !value.empty();
  };
  command.add_option_function("--json", take, "FILE", "write the result as JSON; without FILE to standard output")
      .or_without_value("-");
}

}  // namespace skua::cli
