// SPDX-License-Identifier: MIT
// skua report: a page about runs that left traces, in one HTML file.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/page/page.hpp"
#include "cli/page/page_sources.hpp"
#include "cli/report/counted.hpp"
#include "cli/report/results.hpp"
#include "cli/report/run.hpp"
#include "cli/subcommand.hpp"
#include "cli/text/interrupt.hpp"
#include "cli/text/output.hpp"
#include "skua/parts/base/error.hpp"

namespace skua::cli {
namespace {

constexpr std::size_t most_runs = 8;  // side by side, and in a page of a readable size

struct arguments {
  std::vector<std::string> traces;
  std::string output = "report.html";
  std::string json_path;
  std::optional<double> from_s, to_s;
};

void refuse_window(arguments const& given) {
  auto const check = [](char const* option, std::optional<double> const& s) {
    if (s && (!std::isfinite(*s) || *s < 0))
      throw usage_error(fmt::format("{} is {}; allowed: seconds since the run began, at least 0", option, *s));
  };
  check("--from", given.from_s);
  check("--to", given.to_s);
  double const from = given.from_s.value_or(0);
  if (given.to_s && *given.to_s <= from)
    throw usage_error(fmt::format("--to is {}; allowed: more than --from, {}", *given.to_s, from));
}

/// `--json` may stand without a FILE, so a trace behind it would be overwritten.
void refuse_overwriting(std::vector<std::string> const& traces, std::string_view option, std::string const& path) {
  for (std::string const& base : traces)
    for (std::string const& file : trace::files_of_trace(base)) refuse_same_file(option, path, "TRACE", file);
}

traced::run part_of(traced::run whole, arguments const& given) {
  if (!given.from_s && !given.to_s) return traced::counted(std::move(whole));
  double const length_s = static_cast<double>(whole.length_ns) / 1e9;
  double const from = given.from_s.value_or(0);
  if (from >= length_s)
    throw usage_error(
        fmt::format("--from is {}; allowed: less than the length of '{}', {} s", from, whole.label, length_s));
  double const to = std::min(given.to_s.value_or(length_s), length_s);
  return traced::cut(std::move(whole), static_cast<std::uint64_t>(from * 1e9), static_cast<std::uint64_t>(to * 1e9));
}

/// The parallel regions of an OpenMP program that took most of its time.
std::string openmp_summary(json const& all) {
  constexpr std::size_t most_places = 5;
  if (all.is_null()) return "";
  std::string text;
  std::size_t shown = 0;
  for (json const& r : all["regions"]) {
    if (shown++ == most_places) break;
    text += fmt::format("  {}: {} in {}, {}; imbalance {:.2f}, starting {}, at barriers {}, at locks {}\n",
                        r["place"].get<std::string>(), seconds_in_text(r["total_s"].get<double>()),
                        in_words(r["calls"].get<std::uint64_t>(), "region"),
                        in_words(r["members"].get<std::uint64_t>(), "member"), r["imbalance"].get<double>(),
                        in_percent(r["starting"].get<double>(), 0), in_percent(r["at_barriers"].get<double>(), 0),
                        in_percent(r["at_locks"].get<double>(), 0));
  }
  return text +
         fmt::format("  Outside of parallel regions: {} of the run\n", in_percent(all["serial"].get<double>(), 0));
}

std::string summary_of(json const& document, std::string const& path) {
  std::string text;
  for (json const& r : document["runs"]) {
    text += fmt::format("{}: {}: {}{}, {}\n", r["label"].get<std::string>(), r["title"].get<std::string>(),
                        r["simulated"].get<bool>() ? "simulated, " : "", seconds_in_text(r["length_s"].get<double>()),
                        in_words(r["events"].get<std::uint64_t>(), "event"));
    if (!r["uncounted"].is_null()) text += fmt::format("  {}\n", r["uncounted"].get<std::string>());
    for (json const& g : r["gaps"])
      text += fmt::format("  {} {}\n", g["title"].get<std::string>(), g["text"].get<std::string>());
    text += openmp_summary(r["openmp"]);
    if (r["findings"].empty())
      text += r["whole"].get<bool>() ? "  No bottleneck found.\n" : "  No bottleneck found in what is known.\n";
    for (json const& f : r["findings"])
      text += fmt::format("  {} {}\n", f["limit"].get<std::string>(), f["evidence"].get<std::string>());
  }
  return text + fmt::format("{}: the report\n", path);
}

int execute(arguments const& given) {
  if (given.traces.size() > most_runs)
    throw usage_error(
        fmt::format("{} traces are given; allowed: at most {} at a time", given.traces.size(), most_runs));
  refuse_window(given);
  refuse_overwriting(given.traces, "--json", given.json_path);
  refuse_overwriting(given.traces, "--output", given.output);
  json_target const target(given.json_path);
  std::optional<text_target> page;
  if (!target.wanted()) page.emplace(given.output);
  std::vector<traced::run> runs;
  for (std::string const& base : given.traces) {
    stop_if_interrupted();
    for (traced::run& r : traced::read_runs(base)) runs.push_back(part_of(std::move(r), given));
  }
  if (runs.size() > most_runs)
    throw usage_error(fmt::format("{} has traces of {} processes; allowed: at most {} runs at a time",
                                  fmt::join(given.traces, ", "), runs.size(), most_runs));
  json const document = traced::report_of(runs);
  stop_if_interrupted();
  if (target.wanted()) {
    target.write(document);
    return exit_done;
  }
  page->write(page_of({.name = "report", .subcommand = "report", .script = page_sources::report_script()}, document));
  if (!page->takes_stdout()) write_to_stdout(summary_of(document, given.output));
  return exit_done;
}

}  // namespace

subcommand add_report(parser root) {
  parser const command = root.add_subcommand("report", "write an HTML report of traced runs and their bottlenecks");
  auto const given = std::make_shared<arguments>();
  command
      .add_option("TRACE", given->traces, "",
                  "trace files (SKUA_TRACE); each names one run, with the files of its pools (TRACE-2) and ranks "
                  "(TRACE.0); several are compared")
      .required();
  command.add_option("-o,--output", given->output, "FILE", "the report, or - for standard output")
      .shows_default()
      .never_with("--json", "JSON takes the place of the page");
  command.add_option("--from", given->from_s, "SECONDS", "begin at this second of the run");
  command.add_option("--to", given->to_s, "SECONDS", "end before this second of the run");
  add_optional_json(command, given->json_path);
  return {command, [given] { return execute(*given); }};
}

}  // namespace skua::cli
