// SPDX-License-Identifier: MIT
#include "bench/harness.hpp"

#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
#include <thread>

#include "skua/parts/base/error.hpp"

namespace skua::bench {
namespace {

std::string processor_model() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

std::string today() {
  std::time_t const now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text.data();
}

std::string commit() {
  try {
    std::string said = output_of({"git", "-C", SKUA_BENCH_SOURCE, "describe", "--always", "--dirty"});
    while (said.ends_with('\n')) said.pop_back();
    return said;
  } catch (resource_error const&) {
    return "unknown";  // an exported tree, or no git
  }
}

/// The load average. A machine that does other work gives other numbers, so reports include it.
double load() {
  std::array<double, 1> average{};
  return getloadavg(average.data(), 1) == 1 ? average[0] : -1;
}

nlohmann::ordered_json machine() {
  utsname kernel{};
  uname(&kernel);
  return {{"date", today()},
          {"processor", processor_model()},
          {"processors", std::thread::hardware_concurrency()},
          {"kernel", std::string(kernel.sysname) + " " + kernel.release},
          {"load_before", load()},
          {"compiler", SKUA_BENCH_COMPILER},
          {"commit", commit()}};
}

bool met(target const& goal, double value) noexcept {
  return goal.which == target::side::at_most ? value <= goal.bound : value >= goal.bound;
}

}  // namespace

spread spread_of(std::vector<double> measured) {
  std::ranges::sort(measured);
  std::size_t const n = measured.size();
  auto const rank = static_cast<std::size_t>(std::ceil(0.9 * static_cast<double>(n)));
  return {.min = measured.front(),
          .median = (measured[(n - 1) / 2] + measured[n / 2]) / 2,
          .p90 = measured[rank - 1],
          .max = measured.back(),
          .samples = n};
}

// ---- the command line ----------------------------------------------------------------------------------------------

struct command::parser {
  explicit parser(std::string const& says) : app(says) {}
  CLI::App app;
};

command::command(std::string_view name, std::string_view says)
    : name_(name), says_(says), parser_(std::make_unique<parser>(says_)) {
  parser_->app.name(name_);
  parser_->app.add_option("--json", json_, "also write the figures as JSON: a file, or - for stdout");
}

command::~command() = default;

void command::number(std::string const& option, std::int64_t& value, std::int64_t least, std::int64_t most,
                     std::string const& says) {
  parser_->app.add_option(option, value, says)->check(CLI::Range(least, most))->capture_default_str();
}

void command::text(std::string const& option, std::string& value, std::string const& says) {
  parser_->app.add_option(option, value, says)->capture_default_str();
}

int command::run(int argc, char** argv, std::function<void()> const& body) {
  try {
    parser_->app.parse(argc, argv);
  } catch (CLI::ParseError const& e) {
    if (e.get_exit_code() == 0) return parser_->app.exit(e);  // --help
    std::fprintf(stderr, "%s: %s\n", name_.c_str(), e.what());
    return 2;
  }
  try {
    body();
  } catch (usage_error const& e) {
    std::fprintf(stderr, "%s: %s\n", name_.c_str(), e.what());
    return 2;
  } catch (std::exception const& e) {
    std::fprintf(stderr, "%s: %s\n", name_.c_str(), e.what());
    return 1;
  }
  return 0;
}

// ---- the report ----------------------------------------------------------------------------------------------------

struct report::content {
  std::string json;
  std::FILE* table = stdout;
  nlohmann::ordered_json said;

  void add(std::string const& what, std::string const& unit, spread const& s, std::optional<target> const& goal) {
    std::fprintf(table, "%-52s %10.4g %10.4g %10.4g %10.4g  %-10s", what.c_str(), s.median, s.min, s.p90, s.max,
                 unit.c_str());
    nlohmann::ordered_json row = {{"what", what}, {"unit", unit}, {"median", s.median},  {"min", s.min},
                                  {"p90", s.p90}, {"max", s.max}, {"samples", s.samples}};
    if (goal) {
      char const* const side = goal->which == target::side::at_most ? "<=" : ">=";
      bool const good = met(*goal, s.median);
      std::fprintf(table, "  target %s %g: %s", side, goal->bound, good ? "met" : "missed");
      row["target"] = {{"side", side}, {"bound", goal->bound}, {"met", good}};
    }
    std::fprintf(table, "\n");
    std::fflush(table);
    said["rows"].push_back(std::move(row));
  }
};

report::report(command const& asked) : all_(std::make_unique<content>()) {
  all_->json = asked.json();
  if (asked.json() == "-") all_->table = stderr;
  all_->said = {{"bench", asked.name()},
                {"says", asked.says()},
                {"machine", machine()},
                {"notes", nlohmann::ordered_json::array()},
                {"rows", nlohmann::ordered_json::array()}};
  std::fprintf(all_->table, "%s: %s\n", asked.name().c_str(), asked.says().c_str());
  for (auto const& [key, value] : all_->said["machine"].items()) {
    std::fprintf(all_->table, "  %s: %s\n", key.c_str(),
                 value.is_string() ? value.get<std::string>().c_str() : value.dump().c_str());
  }
  std::fprintf(all_->table, "%-52s %10s %10s %10s %10s  %s\n", "", "median", "min", "p90", "max", "unit");
}

report::~report() = default;

void report::row(std::string const& what, std::string const& unit, spread const& seen) {
  all_->add(what, unit, seen, std::nullopt);
}

void report::row(std::string const& what, std::string const& unit, spread const& seen, target goal) {
  all_->add(what, unit, seen, goal);
}

void report::note(std::string const& sentence) {
  std::fprintf(all_->table, "  %s\n", sentence.c_str());
  all_->said["notes"].push_back(sentence);
}

void report::write() const {
  if (all_->json.empty()) return;
  std::string const text = all_->said.dump(2) + "\n";
  if (all_->json == "-") {
    std::fputs(text.c_str(), stdout);
    return;
  }
  std::ofstream file(all_->json);
  file << text;
  file.close();
  if (!file) throw resource_error("cannot write " + all_->json + "; --json takes a file in a folder that exists, or -");
}

void verify(bool right, std::string const& what) {
  if (!right) throw error("wrong answer: " + what);
}

// ---- other programs ------------------------------------------------------------------------------------------------

std::string output_of(std::vector<std::string> const& words) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) throw resource_error("cannot make a pipe: " + std::generic_category().message(errno));
  std::vector<char*> arguments;
  for (auto const& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t const child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  close(ends[1]);
  std::string said;
  std::array<char, 4096> piece{};
  for (ssize_t got = 0; (got = read(ends[0], piece.data(), piece.size())) > 0;) {
    said.append(piece.data(), static_cast<std::size_t>(got));
  }
  close(ends[0]);
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
    throw resource_error("`" + words[0] + "` failed or could not be started");
  }
  return said;
}

double number_in(std::string const& json, std::string const& key) {
  auto const value = nlohmann::json::parse(json, nullptr, false).value(key, nlohmann::json());
  if (!value.is_number()) throw resource_error("there is no number called " + key + " in: " + json);
  return value.get<double>();
}

}  // namespace skua::bench
