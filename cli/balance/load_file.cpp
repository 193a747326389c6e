// SPDX-License-Identifier: MIT
#include "cli/balance/load_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <system_error>
#include <utility>
#include <vector>

#include "cli/text/read_line.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/base/printable.hpp"

namespace skua::cli {

namespace {

constexpr std::string_view forms_of_lines = "rank,load or rank,load,phase";

[[noreturn]] void refuse_load(std::string const& text) { throw usage_error(runtime::printable(text)); }

/// Reads the whole field as a number up to `most`; `what` names it in the error.
std::uint64_t field(std::string_view text, std::uint64_t most, std::string_view what, std::string const& where) {
  std::uint64_t n = 0;
  auto const [end, fault] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (fault == std::errc{} && end == text.data() + text.size() && n <= most) return n;
  refuse_load(fmt::format("{}: {} is '{}'; allowed: a whole number from 0 to {}", where, what, text, most));
}

std::vector<std::string_view> columns_of(std::string_view line) {
  std::vector<std::string_view> all;
  for (std::size_t from = 0;;) {
    auto const comma = line.find(',', from);
    std::string_view one = line.substr(from, comma - from);
    one.remove_prefix(std::min(one.find_first_not_of(" \t"), one.size()));
    one = one.substr(0, one.find_last_not_of(" \t") + 1);
    all.push_back(one);
    if (comma == std::string_view::npos || all.size() == 4) return all;
    from = comma + 1;
  }
}

/// Reads line after line into a load_set.
class line_reader {
 public:
  line_reader(std::string_view name, load_request const& wanted) : name_(name), wanted_(wanted), phases_(wanted.phase) {
    set_.unit = wanted.unit;
  }

  void read(std::string const& line, std::size_t number) {
    std::vector<std::string_view> const columns = columns_of(line);
    if (number == 1 && columns[0] == "rank" && columns.size() > 1 && columns[1] == "load") return;
    std::string const where = fmt::format("{}:{}", name_, number);
    if (columns.size() < 2 || columns.size() > 3 || (columns_ != 0 && columns.size() != columns_)) {
      refuse_load(fmt::format("{}: a line is '{}'; allowed: {}{}", where, line, forms_of_lines,
                              columns_ == 0 ? "" : ", the same in all lines"));
    }
    columns_ = columns.size();
    std::uint64_t const most = wanted_.ranks.value_or(most_ranks) - 1;
    auto const rank = static_cast<std::size_t>(field(columns[0], most, "a rank", where));
    auto const load = nanoseconds_in(columns[1], wanted_.unit);
    if (!load) {
      refuse_load(fmt::format("{}: a load is '{}'; allowed: a number of {} from 0 to 18446744073709551615 ns", where,
                              columns[1], names_of_units[static_cast<std::size_t>(wanted_.unit)]));
    }
    ranks_ = std::max(ranks_, rank + 1);
    if (columns_ == 3 && !counts(field(columns[2], std::numeric_limits<std::uint64_t>::max(), "a phase", where)))
      return;
    set_.add(rank, *load, where);
  }

  load_set finish() && {
    if (columns_ == 0)
      refuse_load(fmt::format("{}: the file has no task; allowed: at least one line rank,load", name_));
    if (wanted_.phase && columns_ == 2) {
      refuse_load(fmt::format("{}: --phase is {}, but the lines have no phase; allowed: lines rank,load,phase", name_,
                              *wanted_.phase));
    }
    if (columns_ == 3 && !phases_.chosen()) {
      refuse_load(fmt::format("{}: there is no phase {}; allowed: {}", name_, *wanted_.phase, phases_.seen_in_words()));
    }
    set_.loads.resize(wanted_.ranks.value_or(static_cast<std::uint32_t>(ranks_)));
    set_.phase = phases_.chosen();
    set_.phase_text = phases_.in_words();
    return std::move(set_);
  }

 private:
  bool counts(std::uint64_t phase) {
    phase_choice::answer const now = phases_.see(phase);
    if (now == phase_choice::answer::start_over) set_.clear_tasks();
    return now != phase_choice::answer::skip;
  }

  std::string_view name_;
  load_request const& wanted_;
  phase_choice phases_;
  load_set set_;
  std::size_t columns_ = 0;
  std::size_t ranks_ = 0;
};

}  // namespace

load_set read_loads(std::istream& in, std::string_view name, load_request const& wanted) {
  line_reader lines(name, wanted);
  std::size_t number = 0;
  for (std::string line; read_line(in, line, name);) {
    ++number;
    if (line.ends_with('\r')) line.pop_back();
    if (number == 1 && line.starts_with("\xef\xbb\xbf")) line.erase(0, 3);  // a byte order mark
    if (line.find_first_not_of(" \t") != std::string::npos) lines.read(line, number);
  }
  if (in.bad()) throw usage_error(fmt::format("{}: cannot be read to its end", runtime::printable(name)));
  return std::move(lines).finish();
}

load_set read_loads_file(std::string const& path, load_request const& wanted) {
  std::ifstream in(path);
  if (!in || std::filesystem::is_directory(path)) {
    throw usage_error(
        fmt::format("{}: the file is not readable; allowed: a file with lines rank,load", runtime::printable(path)));
  }
  return read_loads(in, path, wanted);
}

}  // namespace skua::cli
