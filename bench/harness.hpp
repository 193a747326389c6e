// SPDX-License-Identifier: MIT
// Shared by all benchmarks: a command line, the spread of repeated measurements, and a report that names the machine
// and the compiler, as a table and as JSON. No number without its spread; no number for a wrong answer.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace skua::bench {

/// The spread of repeated measurements. On a machine that others use, too, `min` and `median` tell the most.
struct spread {
  double min = 0;
  double median = 0;
  double p90 = 0;
  double max = 0;
  std::size_t samples = 0;
};

/// Precondition: not empty. Cost O(n log n).
[[nodiscard]] spread spread_of(std::vector<double> measured);

/// A goal for a row's median: below or above a bound.
struct target {
  enum class side { at_most, at_least } which;
  double bound;
};
[[nodiscard]] constexpr target at_most(double bound) noexcept { return {target::side::at_most, bound}; }
[[nodiscard]] constexpr target at_least(double bound) noexcept { return {target::side::at_least, bound}; }

/// A program's options: --help, --json FILE|- and those that it adds. Numbers are whole and bounded.
class command {
 public:
  command(std::string_view name, std::string_view says);
  ~command();
  command(command const&) = delete;
  command& operator=(command const&) = delete;

  void number(std::string const& option, std::int64_t& value, std::int64_t least, std::int64_t most,
              std::string const& says);
  void text(std::string const& option, std::string& value, std::string const& says);

  /// Parses, then calls `body`. Returns the program's exit code: 0; 1 after an exception, e.g. a wrong answer; 2 for a
  /// wrong option. Prints errors as one line on stderr.
  int run(int argc, char** argv, std::function<void()> const& body);

  [[nodiscard]] std::string const& name() const noexcept { return name_; }
  [[nodiscard]] std::string const& says() const noexcept { return says_; }
  [[nodiscard]] std::string const& json() const noexcept { return json_; }

 private:
  struct parser;
  std::string name_, says_, json_;
  std::unique_ptr<parser> parser_;
};

/// Collects rows, prints them as they come, writes JSON at the end:
/// {"bench", "says", "machine": {...},
///  "rows": [{"what", "unit", "median", "min", "p90", "max", "samples", "target"?}]}.
/// With --json - the table goes to stderr.
class report {
 public:
  explicit report(command const& asked);
  ~report();
  report(report const&) = delete;
  report& operator=(report const&) = delete;

  void row(std::string const& what, std::string const& unit, spread const& seen);
  void row(std::string const& what, std::string const& unit, spread const& seen, target goal);
  void note(std::string const& sentence);

  /// Throws resource_error if the file cannot be written.
  void write() const;

 private:
  struct content;
  std::unique_ptr<content> all_;
};

/// Throws skua::error, "wrong answer: ...", unless `right`.
void verify(bool right, std::string const& what);

/// Runs a program to its end and returns what it wrote to stdout. Throws resource_error if it fails.
[[nodiscard]] std::string output_of(std::vector<std::string> const& words);

/// The number that follows "key": in a line of JSON. Throws resource_error if there is none.
[[nodiscard]] double number_in(std::string const& json, std::string const& key);

using clock = std::chrono::steady_clock;

[[nodiscard]] inline double seconds_since(clock::time_point start) noexcept {
  return std::chrono::duration<double>(clock::now() - start).count();
}
[[nodiscard]] inline double ns_between(clock::time_point from, clock::time_point to) noexcept {
  return std::chrono::duration<double, std::nano>(to - from).count();
}

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
