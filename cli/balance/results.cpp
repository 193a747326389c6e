// SPDX-License-Identifier: MIT
#include "cli/balance/results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "cli/text/interrupt.hpp"
#include "cli/text/json_row.hpp"
#include "skua/parts/base/printable.hpp"

namespace skua::cli {
namespace {

/// "0.30%": the paper's table has two digits.
cell percent(double of_one) { return {of_one, in_percent(of_one, 2)}; }

double per(std::uint64_t a, std::uint64_t b) { return b == 0 ? 0 : static_cast<double>(a) / static_cast<double>(b); }

std::string load_text(double load_ns) { return seconds_in_text(load_ns / 1e9); }

std::optional<double> hops_each(policies::balance::balance_report const& found) {
  if (found.migrations == 0) return {};
  return per(found.hops, found.migrations);
}

report report_of(std::vector<balance_row> const& rows) {
  report all;
  for (balance_row const& r : rows) {
    auto const& found = r.report;
    double const whole = found.average * found.ranks;
    double const moved = whole > 0 ? static_cast<double>(found.moved) / whole : 0;
    all.add_named(
        row_of({.runner = r.balancer, .workers = 1, .median_s = r.seconds, .verified = r.conserved},
               {{"application", "application", cell::of(r.application)},
                {"over_ideal_before", "before", percent(found.over_ideal_before())},
                {"over_ideal_after", "over ideal", percent(found.over_ideal_after())},
                {"over_bound_after", "over bound", percent(found.over_bound_after())},
                {"migrations", "migrations", cell::of(found.migrations)},
                {"max_before", "", cell::of(found.max_before)},
                {"max_after", "largest load", {found.max_after, load_text(static_cast<double>(found.max_after))}},
                {"loads_after", "", r.loads_after.empty() ? cell::missing() : cell::of(json(r.loads_after))},
                {"moved_share", "load moved", cell::share(moved)},
                {"hops_per_migration", "hops each", cell::ratio(hops_each(found))},
                {"balance_s", r.cluster_s ? "on the cluster" : "",
                 r.cluster_s ? cell::seconds(*r.cluster_s) : cell::missing()}},
               {.runner = "balancer", .workers = "", .median = "time of one thread"}));
  }
  return all;
}

/// The last row of each balancer.
std::vector<balance_row const*> last_rows(std::vector<balance_row> const& rows) {
  std::vector<balance_row const*> all;
  for (balance_row const& r : rows) {
    if (!r.loads_after.empty()) all.push_back(&r);
  }
  return all;
}

constexpr std::size_t most_shown_ranks = 32;

/// A line per rank; of many ranks the least, the quartiles and the largest.
std::string loads_by_rank(balance_frame const& frame, std::vector<balance_row> const& rows) {
  std::vector<table::column> heads{{"load of rank", false}, {"before", true}};
  std::vector<std::vector<policies::balance::load_ns>> columns{frame.loads_before};
  for (balance_row const* const r : last_rows(rows)) {
    heads.push_back({r->balancer, true});
    columns.push_back(r->loads_after);
  }
  std::size_t const ranks = frame.loads_before.size();
  bool const is_short = ranks <= most_shown_ranks;
  std::vector<std::pair<std::string, std::size_t>> lines;
  if (is_short) {
    for (std::size_t r = 0; r < ranks; ++r) lines.emplace_back(std::to_string(r), r);
  } else {
    heads.front().head = "load of ranks";
    for (auto& each : columns) std::ranges::sort(each);
    lines = {{"least", 0},
             {"first quartile", (ranks - 1) / 4},
             {"median", (ranks - 1) / 2},
             {"third quartile", (ranks - 1) * 3 / 4},
             {"largest", ranks - 1}};
  }
  table shown(std::move(heads));
  for (auto const& [name, at] : lines) {
    std::vector<std::string> cells{name};
    for (auto const& each : columns) cells.push_back(in_seconds(static_cast<double>(each[at]) / 1e9));
    shown.add(std::move(cells));
  }
  return shown.text() + (is_short ? "" : "--json has the load of each rank.\n");
}

}  // namespace

json to_json(balance_frame const& frame, std::vector<balance_row> const& rows) {
  auto const& b = frame.before;
  json all{{"subcommand", "balance"},
           {"simulated", false},
           {"interrupted", interrupted()},
           {"distribution", frame.distribution},
           {"load_unit", "ns"}};
  if (frame.pattern.empty()) {
    if (frame.phase) all["phase"] = *frame.phase;
    all["notes"] = frame.notes;
  } else {
    all["pattern"] = frame.pattern;
    all["cost_model"] = frame.cost_model;
  }
  all["first_seed"] = frame.seed;
  if (!frame.cluster.empty()) all["cluster"] = json{{"name", frame.cluster}};
  all["ranks"] = b.ranks;
  all["tasks"] = b.tasks;
  all["average_load"] = b.average;
  all["longest_task"] = b.longest_task;
  all["bound_over_ideal"] = b.average > 0 ? b.lower_bound() / b.average - 1 : 0;
  all["loads_before"] = frame.loads_before;
  all["rows"] = report_of(rows).rows();
  return all;
}

std::string text_of(balance_frame const& frame, std::vector<balance_row> const& rows) {
  auto const& b = frame.before;
  std::string text = fmt::format("{} on {}, {} ({:.1f} each)", in_words(b.tasks, "task"), in_words(b.ranks, "rank"),
                                 runtime::printable(frame.distribution), per(b.tasks, b.ranks));
  if (frame.phase) text += ", " + frame.phase_text;
  if (!frame.pattern.empty()) text += fmt::format(", pattern {}, cost model {}", frame.pattern, frame.cost_model);
  text += fmt::format("\naverage load {}, largest {}, longest task {}: no balancer can end below {} over ideal\n\n",
                      load_text(b.average), load_text(static_cast<double>(b.max_before)),
                      load_text(static_cast<double>(b.longest_task)),
                      in_percent(b.average > 0 ? b.lower_bound() / b.average - 1 : 0, 2));
  for (std::string const& said : frame.notes) text += said + "\n";
  if (!frame.notes.empty()) text += "\n";
  std::string const note = interrupt_line(frame.applications, frame.planned_applications, "application");
  return text + note + (note.empty() ? "" : "\n") + report_of(rows).text() +
         "\nbefore, over ideal: largest load over average, minus 1. Over bound: over the larger of average and longest "
         "task.\n"
         "time of one thread: the steps of all ranks one after the other, measured here.\n" +
         (frame.cluster.empty() ? ""
                                : fmt::format("on the cluster: with all messages on {}, simulated.\n", frame.cluster)) +
         "\n" + loads_by_rank(frame, rows);
}

}  // namespace skua::cli
