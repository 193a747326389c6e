// SPDX-License-Identifier: MIT
#include "cli/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/map_words.hpp"
#include "cli/table.hpp"

namespace skua::cli {
namespace {

std::optional<double> serial_time(std::span<runner const> runners, std::span<record const> records) {
  for (std::size_t i = 0; i < runners.size(); ++i) {
    if (runners[i].is_serial) return records[i].median_s();
  }
  return std::nullopt;
}

std::optional<double> best_peer_time(std::span<runner const> runners, std::span<record const> records,
                                     unsigned workers) {
  std::optional<double> best;
  for (std::size_t i = 0; i < runners.size(); ++i) {
    if (!runners[i].is_peer || runners[i].workers != workers) continue;
    best = std::min(best.value_or(records[i].median_s()), records[i].median_s());
  }
  return best;
}

std::string ratio(std::optional<double> r) { return r ? fmt::format("{:.2f}", *r) : "-"; }

std::string verdict(record const& r) {
  if (!r.checked) return "not checked";
  return r.wrong_answers == 0 ? "yes" : "NO";
}

bool has_map(std::span<row const> rows) {
  return std::ranges::any_of(rows, [](row const& r) { return r.what->map.has_value(); });
}

}  // namespace

std::vector<row> rows_of(std::span<runner const> runners, std::span<record const> records) {
  std::optional<double> const serial = serial_time(runners, records);
  std::vector<row> rows;
  for (std::size_t i = 0; i < runners.size(); ++i) {
    double const mine = records[i].median_s();
    row r{.who = &runners[i], .what = &records[i]};
    if (serial) r.speedup_over_serial = *serial / mine;
    if (auto const best = best_peer_time(runners, records, runners[i].workers)) r.ratio_to_best_peer = *best / mine;
    rows.push_back(r);
  }
  return rows;
}

json to_json(row const& r) {
  auto const number = [](std::optional<double> x) { return x ? json(*x) : json(); };
  return {{"runner", r.who->name},
          {"workers", r.who->workers},
          {"median_s", r.what->median_s()},
          {"min_s", r.what->min_s()},
          {"max_s", r.what->max_s()},
          {"verified", r.what->checked ? json(r.what->wrong_answers == 0) : json()},
          {"runs", r.what->times_s.size()},
          {"speedup_over_serial", number(r.speedup_over_serial)},
          {"ratio_to_best_peer", number(r.ratio_to_best_peer)},
          {"facts", r.what->facts}};
}

json report(std::string_view app, machine_facts const& machine, std::span<row const> rows) {
  json all{{"app", app}, {"machine", to_json(machine)}, {"rows", json::array()}};
  for (row const& r : rows) {
    json one = to_json(r);
    if (has_map(rows)) one["map_overlap"] = r.what->map ? overlap_as_json(*r.what->map) : json();
    if (!r.what->breakdowns.empty()) one["breakdown"] = breakdown_json(r, rows);
    all["rows"].push_back(std::move(one));
  }
  return all;
}

std::string to_table(std::span<row const> rows) {
  std::vector<table::column> columns{{"runner"},    {"workers", true},  {"median", true},  {"min", true},
                                     {"max", true}, {"speed-up", true}, {"vs peer", true}, {"verified"}};
  if (has_map(rows)) columns.push_back({"map overlap", true});
  table t(std::move(columns));
  for (row const& r : rows) {
    std::vector<std::string> cells{r.who->name,
                                   fmt::format("{}", r.who->workers),
                                   in_seconds(r.what->median_s()),
                                   in_seconds(r.what->min_s()),
                                   in_seconds(r.what->max_s()),
                                   ratio(r.speedup_over_serial),
                                   ratio(r.ratio_to_best_peer),
                                   verdict(*r.what)};
    if (has_map(rows)) cells.push_back(r.what->map ? overlap_as_text(*r.what->map) : "-");
    t.add(std::move(cells));
  }
  return t.text();
}

std::vector<std::string> complaints(std::span<row const> rows) {
  std::vector<std::string> all;
  for (row const& r : rows) {
    if (r.what->wrong_answers == 0) continue;
    all.push_back(fmt::format("{} gave a wrong answer ({} times): {}", name_of(*r.who), r.what->wrong_answers,
                              r.what->complaint));
  }
  return all;
}

std::string name_of(runner const& who) {
  return fmt::format("{} with {} {}", who.name, who.workers, who.workers == 1 ? "worker" : "workers");
}

}  // namespace skua::cli
