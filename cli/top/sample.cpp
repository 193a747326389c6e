// SPDX-License-Identifier: MIT
#include "cli/top/sample.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <sstream>
#include <utility>

#include "cli/text/source_places.hpp"

namespace skua::cli::top {
namespace {

constexpr std::chrono::seconds between_listings(1);
constexpr std::size_t wide_screen = 113;
constexpr std::size_t wide_bar = 21;
constexpr std::size_t narrow_bar = 6;

/// "0", "0.3", "12", "3.4k", "120k", "2.5M": four characters at most.
std::string in_short(double n) {
  if (n < 0.05) return "0";
  if (n < 999.5 && n == std::floor(n)) return fmt::format("{:.0f}", n);
  constexpr std::array units{"", "k", "M", "G", "T"};
  std::size_t u = 0;
  for (; n >= 999.5 && u + 1 < units.size(); ++u) n /= 1000;
  return n < 9.95 ? fmt::format("{:.1f}{}", n, units[u]) : fmt::format("{:.0f}{}", n, units[u]);
}

std::string in_short(std::optional<double> n) { return n ? in_short(*n) : "-"; }

std::string bar_of(worker_rates const& w, std::size_t columns) {
  auto const part = [columns](double share) {
    return static_cast<std::size_t>(std::lround(std::clamp(share, 0.0, 1.0) * static_cast<double>(columns)));
  };
  std::size_t const work = part(w.working);
  std::size_t const busy = std::max(work, part(w.working + w.scheduling));
  return fmt::format("[{}{}{}]", std::string(work, '#'), std::string(busy - work, '+'),
                     std::string(columns - busy, ' '));
}

std::uint64_t tasks_in(runtime::lane_lengths const& l) noexcept { return l.spawned + l.inbox + l.placed; }

std::string policies_of(runtime::pool_snapshot const& pool) {
  std::string text;
  for (runtime::region_snapshot const& r : pool.regions) {
    text += text.empty() ? "" : ", ";
    text += r.policy;
    if (r.workers != pool.workers.size()) text += fmt::format(" on {}", r.workers);
  }
  return text.empty() ? "" : text + ", ";
}

bool is_in_region(pool_sample const& p) noexcept { return p.snapshot.call_bounds % 2 != 0; }

std::string summary_of(pool_sample const& p) {
  worker_rates const all = sum_of(p.workers);
  std::string const forks = all.forks ? in_short(*all.forks) + " forks" : "forks not counted";
  return fmt::format("{:.0f}% working, {:.0f}% scheduling, {:.0f}% idle; per second {} tasks, {}, {} steals, {} failed",
                     100 * all.working, 100 * all.scheduling, 100 * all.idle, in_short(all.tasks), forks,
                     in_short(all.steals), in_short(all.failed_steals));
}

std::string regions_of(pool_sample const& p) {
  return fmt::format("OpenMP: {} regions per second; {} {}", in_short(p.regions),
                     is_in_region(p) ? "now in" : "the last one was", p.region);
}

/// Fits 80 columns; with more room it also says where the workers are.
std::string workers_text(pool_sample const& p, screen_size size) {
  bool const is_wide = size.columns >= wide_screen;
  std::vector<table::column> heads{{"worker", true}};
  if (is_wide) heads.insert(heads.end(), {{"place", true}, {"processor", true}});
  heads.insert(heads.end(), {{"state"}, {is_wide ? "working #, scheduling +" : "working"}, {"", true}});
  for (char const* const head : {"task/s", "fork/s", "steal/s", "fail/s", "tasks"}) heads.push_back({head, true});
  table all(std::move(heads));
  for (std::size_t i = 0; i < p.workers.size(); ++i) {
    worker_rates const& w = p.workers[i];
    runtime::worker_snapshot const& at = p.snapshot.workers[i];
    auto const waiting = [&](std::uint64_t n) { return p.snapshot.has_lanes ? in_short(static_cast<double>(n)) : "-"; };
    std::vector<std::string> cells{std::to_string(i)};
    if (is_wide) {
      cells.push_back(std::to_string(at.place));
      cells.push_back(at.processor < 0 ? "-" : std::to_string(at.processor));
    }
    cells.insert(cells.end(), {std::string(name_of(w.now)), bar_of(w, is_wide ? wide_bar : narrow_bar),
                               fmt::format("{:.0f}%", 100 * w.working), in_short(w.tasks), in_short(w.forks),
                               in_short(w.steals), in_short(w.failed_steals), waiting(tasks_in(w.lanes))});
    all.add(std::move(cells));
  }
  return all.text();
}

/// Not in the midst of a character of several bytes.
void cut(std::string& line, std::size_t columns) {
  if (line.size() <= columns) return;
  std::size_t end = columns;
  while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xC0) == 0x80) --end;
  line.resize(end);
}

/// Adds what a worker and a whole pool have.
void add_rates(json& to, worker_rates const& r) {
  to["working_share"] = r.working;
  to["scheduling_share"] = r.scheduling;
  to["idle_share"] = r.idle;
  to["tasks_per_s"] = r.tasks;
  to["forks_per_s"] = r.forks ? json(*r.forks) : json{};
  to["steals_per_s"] = r.steals;
  to["failed_steals_per_s"] = r.failed_steals;
}

json json_of(worker_rates const& w, runtime::worker_snapshot const& at, std::size_t number, bool has_lanes) {
  json lanes;
  if (has_lanes) {
    lanes = {{"spawned", w.lanes.spawned}, {"inbox", w.lanes.inbox}, {"placed", w.lanes.placed}};
  }
  json worker{{"worker", number}, {"place", at.place}, {"processor", at.processor}, {"state", name_of(w.now)}};
  add_rates(worker, w);
  worker["queued"] = std::move(lanes);
  return worker;
}

/// Null: no permit bounds the pool at present.
json permitted_of(pool_sample const& p) { return p.snapshot.permitted == 0 ? json{} : json(p.snapshot.permitted); }

json json_of(pool_sample const& p) {
  json regions = json::array();
  for (runtime::region_snapshot const& r : p.snapshot.regions)
    regions.push_back({{"number", r.number}, {"policy", r.policy}, {"workers", r.workers}});
  json workers = json::array();
  for (std::size_t i = 0; i < p.workers.size(); ++i)
    workers.push_back(json_of(p.workers[i], p.snapshot.workers[i], i, p.snapshot.has_lanes));
  json pool{{"open_s", static_cast<double>(p.snapshot.at_ns - p.snapshot.opened_ns) / 1e9},
            {"interval_s", p.seconds},
            {"permitted_workers", permitted_of(p)},
            {"regions", std::move(regions)}};
  if (!p.region.empty())
    pool["openmp"] = {{"regions_per_s", p.regions}, {"region", p.region}, {"is_in_region", is_in_region(p)}};
  add_rates(pool, sum_of(p.workers));
  pool["workers"] = std::move(workers);
  return pool;
}

}  // namespace

observer::observer(runtime::process_identity const& process, clock now)
    : now_(std::move(now)), process_(process), command_(runtime::command_of(process)) {
  find_pools();
  for (pool& p : pools_) p.last = p.at->snapshot();
}

void observer::find_pools() {
  found_at_ = now_();
  std::vector<std::shared_ptr<runtime::attached_pool>> known;
  for (pool const& p : pools_) known.push_back(p.at);
  std::vector<pool> now;
  for (auto& found : runtime::pools_of(process_, known)) {
    auto const same = std::ranges::find(pools_, found, &pool::at);
    now.push_back(same != pools_.end() ? std::move(*same) : pool{found, since_opened(found->snapshot())});
  }
  pools_ = std::move(now);
}

std::string const& observer::place_of(std::uint64_t code) {
  auto const [found, is_new] = places_.try_emplace(code);
  if (is_new) found->second = name_of_code(process_.number, code);
  return found->second;
}

sample observer::next() {
  if (now_() - found_at_ >= between_listings) find_pools();
  sample all{.process = process_, .command = command_, .pools = {}};
  for (pool& p : pools_) {
    runtime::pool_snapshot snapshot = p.at->snapshot();
    double const seconds = static_cast<double>(snapshot.at_ns - p.last.at_ns) / 1e9;
    double const bounds = static_cast<double>(snapshot.call_bounds) - static_cast<double>(p.last.call_bounds);
    all.pools.push_back({.snapshot = snapshot,
                         .seconds = seconds,
                         .workers = rates_between(p.last, snapshot),
                         .regions = seconds > 0 ? std::max(0.0, bounds / 2 / seconds) : 0,
                         .region = snapshot.code == 0 ? "" : place_of(snapshot.code)});
    p.last = std::move(snapshot);
  }
  return all;
}

std::vector<std::string> lines_of(sample const& s, screen_size size, std::size_t& first) {
  std::vector<std::string> lines{fmt::format("process {}: {}", s.process.number, s.command)};
  if (s.pools.empty()) lines.emplace_back("It has no pool at present.");
  std::vector<std::string> body;
  for (std::size_t i = 0; i < s.pools.size(); ++i) {
    pool_sample const& p = s.pools[i];
    if (i > 0) body.emplace_back();
    std::string const permitted = p.snapshot.permitted == 0 ? "" : fmt::format(", {} permitted", p.snapshot.permitted);
    body.push_back(fmt::format("pool {}: {}{}{}, open for {}", i + 1, policies_of(p.snapshot),
                               in_words(p.workers.size(), "worker"), permitted,
                               in_seconds(static_cast<double>(p.snapshot.at_ns - p.snapshot.opened_ns) / 1e9)));
    body.push_back(summary_of(p));
    if (!p.region.empty()) body.push_back(regions_of(p));
    std::istringstream rows(workers_text(p, size));
    for (std::string row; std::getline(rows, row);) body.push_back(std::move(row));
  }
  std::size_t const room = size.rows == 0 ? body.size() : size.rows - std::min(size.rows, lines.size());
  first = std::min(first, body.size() - std::min(body.size(), room));
  std::size_t const end = std::min(body.size(), first + room);
  lines.insert(lines.end(), body.begin() + static_cast<std::ptrdiff_t>(first),
               body.begin() + static_cast<std::ptrdiff_t>(end));
  for (std::string& line : lines) cut(line, size.columns);
  return lines;
}

json json_of(sample const& s) {
  json pools = json::array();
  for (pool_sample const& p : s.pools) pools.push_back(json_of(p));
  return {{"process", s.process.number}, {"command", s.command}, {"pools", std::move(pools)}};
}

}  // namespace skua::cli::top
