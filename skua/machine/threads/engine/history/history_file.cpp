// SPDX-License-Identifier: MIT
#include "skua/machine/threads/engine/history/history_file.hpp"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <system_error>
#include <utility>

#include "skua/parts/base/error.hpp"
#include "skua/parts/base/file.hpp"
#include "skua/parts/base/printable.hpp"
#include "skua/parts/base/whole_file.hpp"

namespace skua { inline namespace v0 { namespace runtime {
namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 30;
constexpr std::size_t most_calls = 1024;  ///< more are as likely of code that nobody calls any more

}  // namespace

history_file::history_file(setting<std::string> const& chosen)
    : path_(chosen.value), is_chosen_by_code_(chosen.source == "code") {
  std::string const chosen_by = is_chosen_by_code_ ? "pool option history" : chosen.source;
  name_ = printable(chosen_by + ": " + path_);
  // First: to read a FIFO is to wait for its writer.
  if (write_fault const fault = fault_of_writing(path_)) {
    throw usage_error(chosen_by + " is '" + printable(path_) + "', which cannot be written: " + fault.in_words());
  }
  file_text found = read_file(path_, most_bytes);
  if (found.wrong && found.wrong != std::errc::no_such_file_or_directory)
    throw usage_error(chosen_by + " is '" + printable(path_) + "': " + found.wrong.message());
  known_ = read_history(name_, found.text);
}

void history_file::refuse(std::string const& why, std::string const& allowed) {
  if (is_chosen_by_code_) throw usage_error(printable(name_ + " is " + why + "; allowed: " + allowed));
  std::fputs(("skua: note: " + printable(name_ + " is " + why) + "; it is not used, and stays as it is\n").c_str(),
             stderr);
  is_of_another_run_ = true;
  known_ = {};
}

void history_file::expect(run_identity here) {
  here_ = std::move(here);
  run_identity const& its = known_.of;
  if (known_.version > history::newest_version) {
    return refuse("of a newer version, " + std::to_string(known_.version),
                  "versions up to " + std::to_string(history::newest_version));
  }
  if (!its.program.empty() && its.program != here_.program)
    return refuse("of the program " + its.program + ", but this is " + here_.program, "the same program");
  if (its.workers != 0 && its.workers != here_.workers) {
    return refuse("of " + std::to_string(its.workers) + " workers, but there are " + std::to_string(here_.workers),
                  "the same number");
  }
  if (!its.machine.empty() && its.machine != here_.machine)
    return refuse("of another machine (" + its.machine + "; this is " + here_.machine + ")", "the same machine");
  if (!known_.calls.empty()) find_calls();
}

/// Drops the calls of code that was built anew: there, other code may have the same place.
void history_file::find_calls() {
  loaded_code const code;
  std::size_t const all = known_.calls.size();
  std::erase_if(known_.calls, [&](known_call const& k) {
    loaded_code::location const at = code.find(k.place);
    if (at.where == loaded_code::found::here) {
      calls_.push_back(k.choice);
      calls_.back().code = at.address;
    }
    return at.where == loaded_code::found::in_another_build;
  });
  std::size_t const dropped = all - known_.calls.size();
  if (dropped == 0) return;
  std::fputs(("skua: note: " + name_ + ": " + std::to_string(dropped) + " of " + std::to_string(all) +
              " calls are of another build of this program or of a library; they are not used\n")
                 .c_str(),
             stderr);
}

history history_file::with(std::vector<policies::known_time> times, std::vector<policies::call_choice> calls) const {
  history all{.of = here_, .times = times.empty() ? known_.times : std::move(times)};
  loaded_code const code;
  for (policies::call_choice& c : calls) {
    if (c.calls == 0) continue;  // an enqueued task, or one that never was alone: nothing was measured
    std::optional<code_place> place = code.place_of(c.code);
    if (!place) continue;  // its library was unloaded
    c.code = c.earlier_calls = 0;
    all.calls.push_back({std::move(*place), std::move(c)});
  }
  for (known_call const& k : known_.calls) {
    if (all.calls.size() == most_calls) break;
    auto const is_it = [&](known_call const& other) { return other.place == k.place; };
    if (std::ranges::none_of(all.calls, is_it)) all.calls.push_back(k);
  }
  return all;
}

void history_file::write(std::vector<policies::known_time> times,
                         std::vector<policies::call_choice> calls) const noexcept try {
  if (is_of_another_run_ || (times.empty() && calls.empty())) return;
  history const all = with(std::move(times), std::move(calls));
  if (all.times.empty() && all.calls.empty()) return;
  std::string const text = text_of(all);
  write_fault const fault = try_write_whole_file(path_, text);
  if (!fault) return;
  std::fputs(("skua: note: " + name_ + " was not written: " + fault.in_words() + "\n").c_str(), stderr);
} catch (...) {
  std::fputs("skua: note: no memory to write the history\n", stderr);
}

}}}  // namespace skua::v0::runtime
