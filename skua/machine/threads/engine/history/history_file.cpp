// SPDX-License-Identifier: MIT
#include "skua/machine/threads/engine/history/history_file.hpp"

#include <cstdio>
#include <system_error>

#include "skua/parts/base/error.hpp"
#include "skua/parts/base/whole_file.hpp"
#include "skua/parts/topology/file.hpp"

namespace skua { inline namespace v0 { namespace runtime {
namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 30;

}  // namespace

history_file::history_file(std::string const& chosen_by, std::string path)
    : path_(std::move(path)), name_(chosen_by + ": " + path_) {
  // First: to read a FIFO is to wait for its writer.
  if (write_fault const fault = fault_of_writing(path_)) {
    throw usage_error(chosen_by + " is '" + path_ + "', which cannot be written: " + fault.in_words());
  }
  file_text found = read_file(path_, most_bytes);
  if (found.wrong && found.wrong != std::errc::no_such_file_or_directory)
    throw usage_error(chosen_by + " is '" + path_ + "': " + found.wrong.message());
  known_ = read_history(name_, found.text);
}

void history_file::expect_workers(std::uint32_t n) const {
  if (known_.workers == 0 || known_.workers == n) return;
  throw usage_error(name_ + " is of " + std::to_string(known_.workers) + " workers, but there are " +
                    std::to_string(n) + "; allowed: the same number");
}

void history_file::write(std::uint32_t workers, std::vector<policies::known_time> times) const noexcept try {
  if (times.empty()) return;
  std::string const text = text_of({.workers = workers, .times = std::move(times)});
  write_fault const fault = try_write_whole_file(path_, text);
  if (!fault) return;
  std::fputs(("skua: note: " + name_ + " was not written: " + fault.in_words() + "\n").c_str(), stderr);
} catch (...) {
  std::fputs("skua: note: no memory to write the history\n", stderr);
}

}}}  // namespace skua::v0::runtime
