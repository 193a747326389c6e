// SPDX-License-Identifier: MIT
#include "cli/breakdown.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "cli/report.hpp"
#include "cli/table.hpp"

namespace skua::cli {
namespace {

double seconds_between(std::uint64_t from_ns, std::uint64_t to_ns) {
  return static_cast<double>(static_cast<std::int64_t>(to_ns - from_ns)) * 1e-9;
}

template <class Of>
spent_times medians(std::span<breakdown const> runs, Of&& of) {
  auto const one = [&](double spent_times::* part) {
    std::vector<double> values;
    for (breakdown const& run : runs) values.push_back(of(run).*part);
    return median(std::move(values));
  };
  return {.work_s = one(&spent_times::work_s),
          .scheduling_s = one(&spent_times::scheduling_s),
          .idle_s = one(&spent_times::idle_s)};
}

/// The row of the same policy on one worker.
row const* alone(row const& r, std::span<row const> rows) {
  auto const found = std::ranges::find_if(rows, [&](row const& other) {
    return other.who->counters && other.who->workers == 1 && other.who->name == r.who->name;
  });
  return found == rows.end() ? nullptr : &*found;
}

json number(std::optional<double> x) { return x ? json(*x) : json(); }
std::string ratio(std::optional<double> r) { return r ? fmt::format("{:.2f}", *r) : "-"; }

json to_json(spent_times const& t) {
  return {{"work_s", t.work_s}, {"scheduling_s", t.scheduling_s}, {"idle_s", t.idle_s}};
}

}  // namespace

spent_times breakdown::all() const noexcept {
  spent_times sum;
  for (spent_times const& w : workers) sum += w;
  return sum;
}

double breakdown::unaccounted() const noexcept {
  double const whole = elapsed_s * static_cast<double>(workers.size());
  return whole > 0 ? std::abs(all().sum_s() - whole) / whole : 0;
}

breakdown between(std::span<worker_counters const> before, std::span<worker_counters const> after, double elapsed_s) {
  breakdown all{.elapsed_s = elapsed_s, .workers = {}};
  for (std::size_t w = 0; w < after.size(); ++w) {
    all.workers.push_back({.work_s = seconds_between(before[w].work_ns, after[w].work_ns),
                           .scheduling_s = seconds_between(before[w].scheduling_ns, after[w].scheduling_ns),
                           .idle_s = seconds_between(before[w].idle_ns, after[w].idle_ns)});
  }
  return all;
}

usual_breakdown usual(std::span<breakdown const> runs) {
  usual_breakdown it{.workers = {}, .all = medians(runs, [](breakdown const& run) { return run.all(); })};
  for (std::size_t w = 0; w < runs.front().workers.size(); ++w) {
    it.workers.push_back(medians(runs, [w](breakdown const& run) { return run.workers[w]; }));
  }
  for (breakdown const& run : runs) it.unaccounted = std::max(it.unaccounted, run.unaccounted());
  return it;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  std::size_t const half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
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
  json all{{"workers", std::move(each)}};
  all.update(to_json(it.all));
  all["unaccounted"] = it.unaccounted;
  all["inflation"] = number(inflation(r, rows));
  all["overhead"] = number(overhead(r, rows));
  return all;
}

std::string breakdown_table(std::span<row const> rows) {
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
        ratio(inflation(r, rows)), ratio(overhead(r, rows)));
    for (std::size_t w = 0; w < it.workers.size() && it.workers.size() > 1; ++w) {
      add({"", "", fmt::format("{}", w), ""}, it.workers[w], "", "");
    }
  }
  return t.text();
}

}  // namespace skua::cli
