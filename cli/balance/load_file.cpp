// SPDX-License-Identifier: MIT
#include "cli/balance/load_file.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <system_error>

#include "cli/text/read_line.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/base/printable.hpp"

namespace skua::cli {

namespace {

constexpr std::uint64_t most_ranks = 1'000'000;

/// Reads the whole field as a number up to `most`; `what` names it in the error.
std::uint64_t field(std::string_view text, std::uint64_t most, std::string_view what, std::string const& where) {
  std::uint64_t n = 0;
  auto const [end, fault] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (fault == std::errc{} && end == text.data() + text.size() && n <= most) return n;
  throw usage_error(
      runtime::printable(fmt::format("{}: {} is '{}'; allowed: a whole number from 0 to {}", where, what, text, most)));
}

}  // namespace

machine_loads read_loads(std::istream& in, std::string_view name) {
  machine_loads loads;
  std::size_t number = 0;
  load_ns all = 0;  // a sum that wraps around would give a wrong average
  for (std::string line; read_line(in, line, name);) {
    ++number;
    if (line.ends_with('\r')) line.pop_back();
    if (number == 1 && line.starts_with("\xef\xbb\xbf")) line.erase(0, 3);  // a byte order mark
    if (line.empty() || (number == 1 && line == "rank,load")) continue;
    std::string const where = fmt::format("{}:{}", name, number);
    auto const comma = line.find(',');
    if (comma == std::string::npos) {
      throw usage_error(runtime::printable(fmt::format("{}: a line is '{}'; allowed: rank,load", where, line)));
    }
    std::string_view const text = line;
    auto const rank = static_cast<std::size_t>(field(text.substr(0, comma), most_ranks - 1, "a rank", where));
    load_ns const load = field(text.substr(comma + 1), std::numeric_limits<load_ns>::max(), "a load", where);
    if (load > std::numeric_limits<load_ns>::max() - all) {
      throw usage_error(fmt::format("{}: with this load of {} the sum of all loads is above {}, the largest allowed",
                                    where, load, std::numeric_limits<load_ns>::max()));
    }
    all += load;
    if (rank >= loads.size()) loads.resize(rank + 1);
    loads[rank].push_back(load);
  }
  if (in.bad()) throw usage_error(fmt::format("{}: cannot be read to its end", name));
  if (loads.empty())
    throw usage_error(fmt::format("{}: the file has no task; allowed: at least one line rank,load", name));
  return loads;
}

machine_loads read_loads_file(std::string const& path) {
  std::ifstream in(path);
  if (!in || std::filesystem::is_directory(path)) {
    throw usage_error(fmt::format("{}: the file is not readable; allowed: a file with lines rank,load", path));
  }
  return read_loads(in, path);
}

}  // namespace skua::cli
