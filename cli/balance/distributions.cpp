// SPDX-License-Identifier: MIT
#include "cli/balance/distributions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <numbers>
#include <system_error>

#include "apps/hartree_fock/screening.hpp"
#include "cli/text/option_values.hpp"
#include "skua/parts/base/dice.hpp"
#include "skua/parts/base/error.hpp"

namespace skua::cli {

dealing read_pattern(std::string_view text) {
  auto const comma = text.find(',');
  if (comma == std::string_view::npos) refuse("--pattern", text, "N,M: every N-th rank gets M tasks in a row");
  return {read_whole_number("--pattern", text.substr(0, comma), 1, 1'000'000),
          read_whole_number("--pattern", text.substr(comma + 1), 1, 1'000'000)};
}

std::vector<load_ns> be256_tasks() { return apps::hartree_fock::task_integrals(256, 40); }

std::vector<load_ns> lognormal_tasks(std::uint32_t tasks, std::uint64_t seed) {
  constexpr double mean = 158'376;
  constexpr double variation = 1.94;
  double const variance = std::log(1 + variation * variation);
  double const middle = std::log(mean) - variance / 2;
  runtime::dice roll(seed);
  std::vector<load_ns> all(tasks);
  for (load_ns& load : all) {  // Box and Muller, 1958
    double const radius = std::sqrt(-2 * std::log(1 - roll.unit()));
    double const normal = radius * std::cos(2 * std::numbers::pi * roll.unit());
    load = static_cast<load_ns>(std::exp(middle + std::sqrt(variance) * normal));
  }
  return all;
}

void add_overhead(std::vector<load_ns>& tasks, double share) {
  if (tasks.empty()) return;
  double sum = 0;
  for (load_ns const load : tasks) sum += static_cast<double>(load);
  auto const overhead = static_cast<load_ns>(std::llround(share * sum / static_cast<double>(tasks.size())));
  for (load_ns& load : tasks) load = policies::balance::plus(load, overhead);
}

machine_loads dealt(std::vector<load_ns> tasks, std::uint32_t ranks, dealing how) {
  std::ranges::sort(tasks, std::greater{});
  machine_loads loads(ranks);
  for (std::size_t next = 0, rank = 0; next < tasks.size(); rank = (rank + 1) % ranks) {
    std::uint32_t const in_a_row = rank % how.every == 0 ? how.tasks : 1;
    for (std::uint32_t t = 0; t < in_a_row && next < tasks.size(); ++t) loads[rank].push_back(tasks[next++]);
  }
  return loads;
}

namespace {

constexpr std::uint64_t most_ranks = 1'000'000;

/// The whole field as a number up to `most`; what it is called for the error.
std::uint64_t field(std::string_view text, std::uint64_t most, std::string_view what, std::string const& where) {
  std::uint64_t n = 0;
  auto const [end, fault] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (fault == std::errc{} && end == text.data() + text.size() && n <= most) return n;
  throw usage_error(fmt::format("{}: {} is '{}'; allowed: a whole number from 0 to {}", where, what, text, most));
}

}  // namespace

machine_loads read_loads(std::istream& in, std::string_view name) {
  machine_loads loads;
  std::size_t number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty() || (number == 1 && line == "rank,load")) continue;
    std::string const where = fmt::format("{}:{}", name, number);
    auto const comma = line.find(',');
    if (comma == std::string::npos) {
      throw usage_error(fmt::format("{}: a line is '{}'; allowed: rank,load", where, line));
    }
    std::string_view const text = line;
    auto const rank = static_cast<std::size_t>(field(text.substr(0, comma), most_ranks - 1, "a rank", where));
    load_ns const load = field(text.substr(comma + 1), std::numeric_limits<load_ns>::max(), "a load", where);
    if (rank >= loads.size()) loads.resize(rank + 1);
    loads[rank].push_back(load);
  }
  if (in.bad()) throw usage_error(fmt::format("{}: cannot be read to its end", name));
  if (loads.empty()) throw usage_error(fmt::format("{}: the file has no task; allowed: at least one line rank,load", name));
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
