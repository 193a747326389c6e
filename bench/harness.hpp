// SPDX-License-Identifier: MIT
// Shared by all benchmarks: a command line, and a report that names the machine and the compiler, as a table and as JSON.
// No number without its spread; no number for a wrong answer.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/parameter.hpp"
#include "apps/timing.hpp"

namespace skua::bench {

using apps::between, apps::number_option, apps::option_table, apps::text_option;
using apps::clock, apps::in_turn, apps::median, apps::ns_between, apps::ns_of, apps::ratios, apps::repeated,
    apps::seconds_since, apps::spread, apps::spread_of;

/// A goal for a row's median: below or above a bound.
struct target {
  enum class side { at_most, at_least } which;
  double bound;
};
[[nodiscard]] constexpr target at_most(double bound) noexcept { return {target::side::at_most, bound}; }
[[nodiscard]] constexpr target at_least(double bound) noexcept { return {target::side::at_least, bound}; }

/// Collects rows, prints them as they come, writes JSON at the end:
/// {"bench", "says", "machine": {...},
///  "rows": [{"what", "unit", "median", "min", "p90", "max", "samples", "target"?}]}.
/// With --json - the table goes to stderr. A report without rows and notes writes nothing.
class report {
 public:
  report(std::string_view name, std::string_view says, std::string json);
  ~report();
  report(report const&) = delete;
  report& operator=(report const&) = delete;

  void row(std::string const& what, std::string const& unit, std::vector<double> seen, std::optional<target> goal = {});
  /// One figure that is not measured again and again.
  void row(std::string const& what, std::string const& unit, double seen, std::optional<target> goal = {}) {
    row(what, unit, std::vector{seen}, goal);
  }
  void note(std::string const& sentence);

  /// Throws resource_error if the file cannot be written.
  void write() const;

 private:
  struct content;
  std::unique_ptr<content> all_;
};

/// The main() of a benchmark: reads the options and --json FILE|-, calls `body`, and writes the report. Returns the exit code:
/// 0; 1 after an exception, e.g. a wrong answer; 2 for a wrong option. Prints errors as one line on stderr.
int run(std::string_view name, std::string_view says, option_table const& options, int argc, char** argv,
        std::function<void(report&)> const& body);

/// Throws skua::error, "wrong answer: ...", unless `right`.
void verify(bool right, std::string const& what);

/// "1 worker", "2 workers"
[[nodiscard]] std::string workers_in_words(std::int64_t workers);

/// Runs a program to its end and returns what it wrote to stdout. Throws resource_error if it fails.
[[nodiscard]] std::string output_of(std::vector<std::string> const& words);

/// The number that follows "key": in a line of JSON. Throws resource_error if there is none.
[[nodiscard]] double number_in(std::string const& json, std::string const& key);

/// Forks of fib(n) without cut-off: F(n + 1) - 1, one per call with n >= 2.
[[nodiscard]] constexpr std::uint64_t forks_of_fib(std::int64_t n) noexcept {
  std::uint64_t calls = 0;
  std::uint64_t next = 1;
  for (std::int64_t i = 0; i < n + 1; ++i) {
    std::uint64_t const sum = calls + next;
    calls = next;
    next = sum;
  }
  return calls - 1;
}
static_assert(forks_of_fib(2) == 1 && forks_of_fib(3) == 2 && forks_of_fib(10) == 88);

}  // namespace skua::bench
