// SPDX-License-Identifier: MIT
// For benchmarks that compare runtimes: each runner has a process of its own, because idle threads of one runtime search,
// and so disturb another. The processes take turns. A process prints one line of JSON with the medians of its batches; the
// report spreads them over the processes, and takes ratios within a round.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "bench/harness.hpp"

namespace skua::bench {

/// What a runner found out, printed as one line of JSON.
using figures = std::vector<std::pair<std::string, double>>;

/// Median microseconds of f(), over batches of calls, for at least 0.1 s and 5 batches. Precondition: warm.
template <class F>
double us_per_call(std::int64_t batch, F&& f) {
  std::vector<double> seen;
  auto const start = clock::now();
  while (seen.size() < 5 || seconds_since(start) < 0.1) {
    auto const from = clock::now();
    for (std::int64_t i = 0; i < batch; ++i) f();
    seen.push_back(ns_between(from, clock::now()) / 1e3 / static_cast<double>(batch));
  }
  return median(std::move(seen));
}

template <class F>
void warm_up(F&& f) {
  auto const start = clock::now();
  while (seconds_since(start) < 0.02) f();
}

struct runner {
  std::string name;
  std::function<void(figures&)> measure;
};

/// Measures the runner called `only` in this process and prints its line. Throws usage_error if there is none.
void print_figures(std::vector<runner> const& all, std::string const& only);

/// A runner in a process of its own, this program or one of another language: `program --only runner options...`.
struct process {
  std::string program;
  std::string runner;
  std::vector<std::string> options;
};

/// The options of such a benchmark.
struct runner_options : option_table {
  number_option<std::int64_t> rounds{*this, "--rounds", 9, between(1, 10'000), "processes of each runner"};
  text_option only{*this, "--only", "", "a runner: measure it in this process and print one line"};
};

using column = std::vector<double>;  ///< one figure, an entry a round

/// The lines of all processes, in rounds whose order rotates, so that no runner always follows the same other.
class results {
 public:
  results(std::vector<process> const& all, std::int64_t rounds);

  [[nodiscard]] bool has(std::string const& name) const { return lines_.contains(name); }
  [[nodiscard]] column of(std::string const& name, std::string const& key) const;
  /// In each round the smallest figure of several runners.
  [[nodiscard]] column best_of(std::vector<std::string> const& names, std::string const& key) const;

 private:
  std::map<std::string, std::vector<std::string>> lines_;
};

/// The program built from bench/peers, or an empty string and a note if it is not there.
[[nodiscard]] std::string where_built(report& say, std::string const& rayon);

}  // namespace skua::bench
