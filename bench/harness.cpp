// SPDX-License-Identifier: MIT
#include "bench/harness.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cerrno>
#include <cstdio>
#include <ctime>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
#include <thread>

#include "apps/parse_options.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/base/whole_file.hpp"

namespace skua::bench {
namespace {

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

nlohmann::ordered_json machine() {
  apps::machine_words const words = apps::this_machine();
  return {{"date", today()},
          {"processor", words.cpu},
          {"processors", std::thread::hardware_concurrency()},
          {"kernel", words.kernel},
          {"load_before", words.load_average},
          {"compiler", SKUA_BENCH_COMPILER},
          {"commit", commit()}};
}

bool met(target const& goal, double value) noexcept {
  return goal.which == target::side::at_most ? value <= goal.bound : value >= goal.bound;
}

}  // namespace

// ---- the report ----------------------------------------------------------------------------------------------------

struct report::content {
  std::string name;
  std::string says;
  std::string json;
  std::FILE* table = stdout;
  nlohmann::ordered_json said = {};

  /// Before the first line.
  void begin() {
    if (!said.is_null()) return;
    if (json == "-") table = stderr;
    said = {{"bench", name},
            {"says", says},
            {"machine", machine()},
            {"notes", nlohmann::ordered_json::array()},
            {"rows", nlohmann::ordered_json::array()}};
    std::fprintf(table, "%s: %s\n", name.c_str(), says.c_str());
    for (auto const& [key, value] : said["machine"].items()) {
      std::fprintf(table, "  %s: %s\n", key.c_str(),
                   value.is_string() ? value.get<std::string>().c_str() : value.dump().c_str());
    }
    std::fprintf(table, "%-52s %10s %10s %10s %10s  %s\n", "", "median", "min", "p90", "max", "unit");
  }
};

report::report(std::string_view name, std::string_view says, std::string json)
    : all_(std::make_unique<content>(content{std::string(name), std::string(says), std::move(json)})) {}

report::~report() = default;

void report::row(std::string const& what, std::string const& unit, std::vector<double> seen,
                 std::optional<target> goal) {
  all_->begin();
  spread const s = spread_of(std::move(seen));
  std::FILE* const to = all_->table;
  std::fprintf(to, "%-52s %10.4g %10.4g %10.4g %10.4g  %-10s", what.c_str(), s.median, s.min, s.high, s.max,
               unit.c_str());
  nlohmann::ordered_json row = {{"what", what},  {"unit", unit}, {"median", s.median},  {"min", s.min},
                                {"p90", s.high}, {"max", s.max}, {"samples", s.samples}};
  if (goal) {
    char const* const side = goal->which == target::side::at_most ? "<=" : ">=";
    bool const good = met(*goal, s.median);
    std::fprintf(to, "  target %s %g: %s", side, goal->bound, good ? "met" : "missed");
    row["target"] = {{"side", side}, {"bound", goal->bound}, {"met", good}};
  }
  std::fprintf(to, "\n");
  std::fflush(to);
  all_->said["rows"].push_back(std::move(row));
}

void report::note(std::string const& sentence) {
  all_->begin();
  std::fprintf(all_->table, "  %s\n", sentence.c_str());
  all_->said["notes"].push_back(sentence);
}

void report::write() const {
  if (all_->json.empty() || all_->said.is_null()) return;
  std::string const text = all_->said.dump(2) + "\n";
  if (all_->json == "-") {
    std::fputs(text.c_str(), stdout);
    return;
  }
  runtime::write_whole_file(all_->json, text);
}

int run(std::string_view name, std::string_view says, option_table const& options, int argc, char** argv,
        std::function<void(report&)> const& body) {
  CLI::App command{std::string(says), std::string(name)};
  std::string json;
  command.add_option("--json", json, "also write the figures as JSON: a file, or - for stdout");
  apps::declare(command, options.rows());
  auto const fail = [name](int code, std::exception const& e) {
    std::fprintf(stderr, "%s: %s\n", std::string(name).c_str(), e.what());
    return code;
  };
  try {
    command.parse(argc, argv);
    apps::require_allowed("wrong option", options.rows());
    report say(name, says, json);
    body(say);
    say.write();
    return 0;
  } catch (CLI::ParseError const& e) {
    return e.get_exit_code() == 0 ? command.exit(e) : fail(2, e);  // 0: --help
  } catch (usage_error const& e) {
    return fail(2, e);
  } catch (std::exception const& e) {
    return fail(1, e);
  }
}

void verify(bool right, std::string const& what) {
  if (!right) throw error("wrong answer: " + what);
}

std::string workers_in_words(std::int64_t workers) {
  return std::to_string(workers) + (workers == 1 ? " worker" : " workers");
}

// ---- other programs ------------------------------------------------------------------------------------------------

namespace {

std::string in_words(std::vector<std::string> const& words) {
  std::string all;
  for (std::string const& word : words) all += (all.empty() ? "`" : " ") + word;
  return all + "`";
}

/// Everything that can be read from `end` until its writers have closed it.
std::string all_from(int end) {
  std::string said;
  std::array<char, 4096> piece{};
  for (;;) {
    ssize_t const got = read(end, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return said;
    said.append(piece.data(), static_cast<std::size_t>(got));
  }
}

int status_of(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) throw resource_error("cannot wait for a process: " + std::generic_category().message(errno));
  }
  return status;
}

constexpr int was_not_found = 127;  // as a shell says it

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status)) return "was ended by signal " + std::to_string(WTERMSIG(status));
  if (WEXITSTATUS(status) == was_not_found) return "could not be started";
  return "ended with exit code " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

std::string output_of(std::vector<std::string> const& words) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) throw resource_error("cannot make a pipe: " + std::generic_category().message(errno));
  std::vector<char*> arguments;
  for (auto const& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t const child = fork();
  int const refused = errno;
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    execvp(arguments[0], arguments.data());
    _exit(was_not_found);
  }
  close(ends[1]);
  std::string said = all_from(ends[0]);
  close(ends[0]);
  if (child < 0)
    throw resource_error(in_words(words) + " could not be started: " + std::generic_category().message(refused));
  int const status = status_of(child);
  if (status != 0) throw resource_error(in_words(words) + " " + how_it_ended(status));
  return said;
}

double number_in(std::string const& json, std::string const& key) {
  auto const value = nlohmann::json::parse(json, nullptr, false).value(key, nlohmann::json());
  if (!value.is_number()) throw resource_error("there is no number called " + key + " in: " + json);
  return value.get<double>();
}

}  // namespace skua::bench
