// SPDX-License-Identifier: MIT
#include "cli/measure/results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "cli/measure/map.hpp"
#include "cli/text/json_row.hpp"

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

common_keys keys_of(row const& r) {
  record const& what = *r.what;
  return {.runner = r.who->name,
          .workers = r.who->workers,
          .median_s = what.median_s(),
          .verified = what.checked ? std::optional(what.wrong_answers == 0) : std::nullopt,
          .simulated = false};
}

/// The row of the same policy on one worker.
row const* alone(row const& r, std::span<row const> rows) {
  auto const found = std::ranges::find_if(rows, [&](row const& other) {
    return other.who->counters && other.who->workers == 1 && other.who->name == r.who->name;
  });
  return found == rows.end() ? nullptr : &*found;
}

constexpr std::array breakdown_keys{"work_s",   "scheduling_s", "idle_s", "unaccounted", "inflation_over_one",
                                    "overhead", "per_worker"};

json to_json(spent_times const& t) {
  return {{"work_s", t.work_s}, {"scheduling_s", t.scheduling_s}, {"idle_s", t.idle_s}};
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

report report_of(std::span<row const> rows) {
  bool const all_right =
      std::ranges::all_of(rows, [](row const& r) { return r.what->checked && r.what->wrong_answers == 0; });
  common_heads const heads{.runner = "runner", .median = "median", .verified = all_right ? "" : "verified"};
  bool const mapped = std::ranges::any_of(rows, [](row const& r) { return r.what->map.has_value(); });
  report all;
  for (row const& r : rows) {
    record const& what = *r.what;
    std::vector<named_cell> cells{{"min_s", "min", cell::seconds(what.min_s())},
                                  {"max_s", "max", cell::seconds(what.max_s())},
                                  {"runs", "", cell::of(what.times_s.size())},
                                  {"speedup_over_serial", "speed-up", cell::ratio(r.speedup_over_serial)},
                                  {"ratio_to_best_peer", "vs peer", cell::ratio(r.ratio_to_best_peer)},
                                  {"facts", "", cell::of(what.facts)}};
    if (mapped) {
      cells.push_back({"map_overlap", "overlap", what.map ? overlap_of(*what.map) : cell::ratio({})});
      cells.push_back({"map_shares", "largest share", what.map ? shares_of(*what.map) : cell::ratio({})});
    }
    json const spent = what.breakdowns.empty() ? json::object() : breakdown_json(r, rows);
    for (char const* const key : breakdown_keys)
      cells.push_back({key, "", spent.contains(key) ? cell::of(spent[key]) : cell::missing()});
    all.add_named(row_of(keys_of(r), std::move(cells), heads));
  }
  return all;
}

std::vector<std::string> wrong_answers(std::span<row const> rows) {
  std::vector<std::string> all;
  for (row const& r : rows) {
    if (r.what->wrong_answers == 0) continue;
    all.push_back(fmt::format("{} gave {}: {}", r.who->full_name(), in_words(r.what->wrong_answers, "wrong answer"),
                              r.what->first_error));
  }
  return all;
}

std::optional<double> inflation(row const& r, std::span<row const> rows) {
  row const* const one = alone(r, rows);
  if (one == nullptr || r.what->breakdowns.empty()) return std::nullopt;
  return usual(r.what->breakdowns).all.work_s / one->what->median_s();
}

std::optional<double> overhead(row const& r, std::span<row const> rows) {
  row const* const one = alone(r, rows);
  auto const serial = std::ranges::find_if(rows, [](row const& other) { return other.who->is_serial; });
  if (one == nullptr || serial == rows.end()) return std::nullopt;
  return one->what->median_s() / serial->what->median_s();
}

json breakdown_json(row const& r, std::span<row const> rows) {
  usual_breakdown const it = usual(r.what->breakdowns);
  json each = json::array();
  for (spent_times const& w : it.workers) {
    json one{{"worker", each.size()}};
    one.update(to_json(w));
    each.push_back(std::move(one));
  }
  json all = to_json(it.all);
  all["unaccounted"] = it.unaccounted;
  all["inflation_over_one"] = cell::ratio(inflation(r, rows)).value;
  all["overhead"] = cell::ratio(overhead(r, rows)).value;
  all["per_worker"] = std::move(each);
  return all;
}

std::string breakdown_text(std::span<row const> rows) {
  table t({{"policy"},
           {"workers", true},
           {"worker"},
           {"time", true},
           {"work", true},
           {"scheduling", true},
           {"idle", true},
           {"W_P/T_1", true},
           {"T_1/T_S", true}});
  for (row const& r : rows) {
    if (r.what->breakdowns.empty()) continue;
    usual_breakdown const it = usual(r.what->breakdowns);
    auto const add = [&](std::vector<std::string> first, spent_times const& s, std::string grown, std::string over) {
      for (double const part : {s.work_s, s.scheduling_s, s.idle_s}) first.push_back(in_seconds(part));
      first.push_back(std::move(grown));
      first.push_back(std::move(over));
      t.add(std::move(first));
    };
    add({r.who->name, fmt::format("{}", r.who->workers), "all", in_seconds(r.what->median_s())}, it.all,
        cell::ratio(inflation(r, rows)).text, cell::ratio(overhead(r, rows)).text);
    for (std::size_t w = 0; w < it.workers.size() && it.workers.size() > 1; ++w) {
      add({"", "", fmt::format("{}", w), ""}, it.workers[w], "", "");
    }
  }
  return t.text();
}

}  // namespace skua::cli
