// SPDX-License-Identifier: MIT
#include "cli/report/results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "cli/report/concurrency.hpp"
#include "cli/report/constructs.hpp"
#include "cli/report/critical_path.hpp"
#include "cli/report/findings.hpp"
#include "cli/report/gaps.hpp"
#include "cli/report/iterations.hpp"
#include "cli/report/packed.hpp"
#include "cli/report/steals.hpp"
#include "cli/report/task_map.hpp"
#include "cli/report/tasks.hpp"
#include "cli/report/time_lines.hpp"
#include "cli/report/title.hpp"
#include "cli/report/utilisation.hpp"

namespace skua::cli::traced {
namespace {

constexpr std::size_t bins = 400;         // of utilisation over time: more than a screen shows
constexpr std::size_t most_points = 600;  // of the charts over iterations
constexpr std::size_t most_map_rows = 192;
constexpr std::size_t most_map_columns = 240;
constexpr std::size_t most_tasks = 60;  // rows of a table
constexpr std::size_t most_team_groups = 40;
constexpr std::size_t most_changes = 200;  // of the scheduler

/// Computed once and shown in several places.
struct studied {
  run const* of = nullptr;
  history h;
  std::vector<times> by_worker;
  times spent;
  concurrency busy;
  iterations_of_run rounds;
  std::vector<iteration_balance> balance;
  task_map map;
  steal_facts steals;
  std::vector<task_times> tasks;
  std::optional<double> inflation;
};

json or_null(std::optional<double> const& value) { return value ? json(rounded(*value)) : json(); }

studied study(run const& of) {
  studied s;
  s.of = &of;
  s.h = replay(of);
  s.by_worker = times_of_workers(s.h);
  s.spent = sum(s.by_worker);
  s.busy = concurrency_of(s.h);
  s.rounds = iterations_of(of);
  s.balance = balance_of(of, s.h, s.rounds.all);
  s.map = map_tasks(of, s.rounds.all, most_map_rows, most_map_columns);
  s.steals = steal_facts_of(of);
  s.tasks = tasks_by_name(s.h);
  return s;
}

json utilisation_json(studied const& s) {
  json all{{"bin_s", seconds(s.of->length_ns) / bins}};
  auto const by_bin = over_time(*s.of, s.h, bins);
  for (std::size_t a = 0; a < activities; ++a) {
    json values = json::array();
    for (auto const& bin : by_bin) values.push_back(rounded(bin[a]));
    all[std::string(activity_names[a])] = std::move(values);
  }
  all["busy_s"] = json::array();
  for (std::uint64_t const ns : s.busy.ns_with) all["busy_s"].push_back(seconds(ns));
  return all;
}

json steals_json(studied const& s) {
  steal_facts const& f = s.steals;
  steal_matrix const m = steals_between(*s.of);
  json distances = json::array();
  for (std::size_t d = 0; d < f.by_distance.size(); ++d) {
    if (f.by_distance[d] == 0) continue;
    bool const named = d < s.of->distances.size() && !s.of->distances[d].empty();
    distances.push_back(
        {{"name", named ? s.of->distances[d] : fmt::format("distance {}", d)}, {"steals", f.by_distance[d]}});
  }
  return {{"total", f.steals},
          {"attempts", f.attempts},
          {"lost_races", f.lost_races},
          {"sent", f.sent},
          {"moved", f.moved},
          {"exposed", f.exposed},
          {"parked", f.parked},
          {"far", f.placed > 0 ? json(rounded(static_cast<double>(f.far) / static_cast<double>(f.placed))) : json()},
          {"by_distance", std::move(distances)},
          {"matrix", {{"of", m.of}, {"names", m.names}, {"counts", m.counts}}}};
}

json tasks_json(studied const& s) {
  json all = json::array();
  for (task_times const& t : s.tasks) {
    if (all.size() == most_tasks) break;
    all.push_back({{"name", s.of->names[t.name]},
                   {"count", t.count},
                   {"total_s", seconds(t.total_ns)},
                   {"mean_s", rounded(t.mean_ns() / 1e9)},
                   {"p50_s", seconds(t.p50_ns)},
                   {"p99_s", seconds(t.p99_ns)},
                   {"max_s", seconds(t.max_ns)}});
  }
  return all;
}

json iterations_json(studied const& s) {
  json rows = json::array();
  std::size_t const n = s.rounds.all.size();
  std::size_t const each = (n + most_points - 1) / most_points;  // iterations that share a point
  for (std::size_t i = 0; i < n; i += std::max<std::size_t>(each, 1)) {
    std::size_t const end = std::min(i + each, n);
    double efficiency = 0, known = 0, overlap = 0, compared = 0;
    std::uint64_t steals = 0, moved = 0;
    for (std::size_t k = i; k < end; ++k) {
      efficiency += s.balance[k].efficiency.value_or(0);
      known += s.balance[k].efficiency ? 1 : 0;
      steals += s.balance[k].steals;
      moved += s.balance[k].moved;
      if (!s.map.overlaps[k]) continue;
      overlap += *s.map.overlaps[k];
      ++compared;
    }
    rows.push_back({{"number", s.rounds.all[i].number},
                    {"joined", end - i},
                    {"began_s", seconds(s.rounds.all[i].from_ns)},
                    {"length_s", seconds(s.rounds.all[end - 1].to_ns - s.rounds.all[i].from_ns)},
                    {"efficiency", known > 0 ? json(rounded(efficiency / known)) : json()},
                    {"steals", steals},
                    {"moved", moved},
                    {"overlap", compared > 0 ? json(rounded(overlap / compared)) : json()}});
  }
  return {{"by", s.rounds.by}, {"count", n}, {"rows", std::move(rows)}};
}

json map_json(studied const& s) {
  owner_picture const& p = s.map.picture;
  json addresses = json::array();
  for (std::uint64_t const a : p.addresses) addresses.push_back(fmt::format("{:#x}", a));
  return {{"items", s.map.items},         {"bytes", s.map.bytes},
          {"numbers", p.numbers},         {"addresses", std::move(addresses)},
          {"owners", packed16(p.owners)}, {"overlap", or_null(s.map.overlap())}};
}

json teams_json(run const& of) {
  json all = json::array();
  for (team_group const& g : teams_of(of)) {
    if (all.size() == most_team_groups) break;
    json widths = json::array();
    for (teams_of_width const& w : g.widths)
      widths.push_back({{"width", w.width}, {"teams", rounded(w.teams)}, {"mean_s", seconds(w.mean_ns)}});
    all.push_back({{"name", of.names[g.name]},
                   {"type", g.type},
                   {"address", fmt::format("{:#x}", g.address)},
                   {"widths", std::move(widths)}});
  }
  return all;
}

/// What `auto` says at the end of each region, and when it changed the scheduler.
json choices_json(run const& of) {
  json says = json::array();
  std::vector<event const*> changes;
  for (std::vector<traced_worker> const* group : {&of.workers, &of.outside}) {
    for (traced_worker const& w : *group) {
      for (event const& e : w.events) {
        if (e.what == kind::call_choice) says.push_back(of.names[e.other]);
        if (e.what == kind::scheduler_changed) changes.push_back(&e);
      }
    }
  }
  std::ranges::stable_sort(changes, {}, &event::ticks);
  json rows = json::array();
  for (event const* const e : changes) {
    if (rows.size() == most_changes) break;
    rows.push_back({{"at_s", seconds(e->ticks)},
                    {"scheduler", of.names[e->other]},
                    {"call", of.names[e->id]},
                    {"on_trial", e->detail == 1},
                    {"trials_lost_s", seconds(e->value)}});
  }
  return {{"says", std::move(says)}, {"changes", changes.size()}, {"rows", std::move(rows)}};
}

/// Each pool's own, because pools need not run at a time; 0 if one is unknown. Simulated workers have one each.
std::uint32_t processors_of(run const& of) {
  std::set<std::pair<std::uint32_t, std::int64_t>> all;
  for (traced_worker const& w : of.workers) {
    if (w.processor < 0 || of.simulated) return 0;
    all.insert({w.pool, w.processor});
  }
  return static_cast<std::uint32_t>(all.size());
}

run_numbers numbers_of(studied const& s) {
  run const& r = *s.of;
  run_numbers n;
  n.how = r.how;
  n.policy = r.policy;
  n.workers = static_cast<std::uint32_t>(r.workers.size());
  n.work = s.spent.share(activity::work);
  n.scheduling = s.spent.share(activity::scheduling);
  n.idle = s.spent.share(activity::idle);
  n.asleep = s.spent.share(activity::asleep);
  n.mean_busy = s.busy.mean();
  n.with_one = s.busy.share_with(1);
  n.with_none = s.busy.share_with(0);
  n.starved = std::clamp(s.busy.idle_beside_several() - n.scheduling, 0.0, n.idle + n.asleep);
  n.processors = processors_of(r);
  n.attempts = s.steals.attempts;
  n.steals = s.steals.steals;
  n.inflation = s.inflation;
  n.overlap = s.map.overlap();
  n.iterations = s.rounds.all.size();
  std::uint64_t const known_ns = s.busy.known_ns();
  if (known_ns > 0) n.tail = static_cast<double>(s.busy.tail_ns) / static_cast<double>(known_ns);
  if (r.length_ns > 0) n.known = static_cast<double>(known_ns) / static_cast<double>(r.length_ns);
  n.is_whole = r.is_whole();
  if (s.busy.tail_task != no_task) n.tail_task = r.names[s.busy.tail_task];
  std::uint64_t total_ns = 0;
  for (task_times const& t : s.tasks) {
    n.tasks += t.count;
    total_ns += t.total_ns;
  }
  if (n.tasks > 0) n.mean_task_s = seconds(total_ns) / static_cast<double>(n.tasks);
  if (s.steals.placed > 0) n.far_steals = static_cast<double>(s.steals.far) / static_cast<double>(s.steals.placed);
  return n;
}

json findings_json(studied const& s) {
  json all = json::array();
  for (finding const& f : findings_of(numbers_of(s))) {
    all.push_back({{"key", f.key},
                   {"cost", rounded(f.cost)},
                   {"limit", f.limit},
                   {"evidence", f.evidence},
                   {"advice", f.advice},
                   {"command", f.command}});
  }
  return all;
}

json gaps_json(studied const& s) {
  json all = json::array();
  for (gap const& g : gaps_of(*s.of, s.busy)) all.push_back({{"key", g.key}, {"title", g.title}, {"text", g.text}});
  return all;
}

/// In a sentence; null: all of the run counts.
json uncounted_json(run const& of) {
  if (of.uncounted_ns == 0) return {};
  return fmt::format("Setting up and checking, {}, are not counted.", seconds_in_text(seconds(of.uncounted_ns)));
}

json to_json(studied const& s, std::string const& alone) {
  run const& r = *s.of;
  return {{"label", r.label},
          {"title", title_of(r)},
          {"app", app_of(r)},
          {"program", r.program},
          {"command", r.command},
          {"host", r.host},
          {"policy", r.policy},
          {"version", r.version},
          {"machine", r.machine},
          {"options", r.options},
          {"simulated", r.simulated},
          {"complete", r.complete},
          {"events", r.events()},
          {"lost_events", r.lost()},
          {"cut_bytes", r.cut_bytes},
          {"whole", r.is_whole()},
          {"gaps", gaps_json(s)},
          {"ranks", r.ranks},
          {"workers", r.workers.size()},
          {"length_s", seconds(r.length_ns)},
          {"uncounted_s", seconds(r.uncounted_ns)},
          {"uncounted", uncounted_json(r)},
          {"known_s", seconds(s.busy.known_ns())},
          {"times", times_json(s.spent)},
          {"mean_busy", s.busy.known_ns() > 0 ? json(rounded(s.busy.mean())) : json()},
          {"inflation", or_null(s.inflation)},
          {"inflation_over", s.inflation ? json(alone) : json()},
          {"findings", findings_json(s)},
          {"utilisation", utilisation_json(s)},
          {"rows", rows_json(r, s.by_worker)},
          {"time_lines", time_lines_json(r, s.h)},
          {"steals", steals_json(s)},
          {"iterations", iterations_json(s)},
          {"task_map", map_json(s)},
          {"flows", flows_json(r)},
          {"tasks", tasks_json(s)},
          {"teams", teams_json(r)},
          {"openmp", openmp_json(r, s.h)},
          {"choices", choices_json(r)}};
}

}  // namespace

json report_of(std::vector<run> const& runs) {
  std::vector<studied> all;
  for (run const& r : runs) all.push_back(study(r));
  json document{{"subcommand", "report"},
                {"simulated", std::ranges::any_of(runs, &run::simulated)},
                {"looks_for", looked_for()},
                {"runs", json::array()}};
  for (studied& s : all) {
    std::string alone;
    for (studied const& other : all) {
      if (&other == &s || s.inflation || s.of->workers.size() == 1) continue;
      s.inflation = work_inflation(*s.of, s.spent, *other.of, other.spent);
      alone = other.of->label;
    }
    document["runs"].push_back(to_json(s, alone));
  }
  return document;
}

}  // namespace skua::cli::traced
