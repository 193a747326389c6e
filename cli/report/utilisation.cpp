// SPDX-License-Identifier: MIT
#include "cli/report/utilisation.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace skua::cli::traced {
namespace {

/// Calls `body(bin, segment, ns)` for every part of a segment that lies in one of equal bins of the run.
template <class Body>
void for_each_bin(std::vector<segment> const& all, double width_ns, std::size_t bins, Body&& body) {
  for (segment const& s : all) {
    auto const first = static_cast<std::size_t>(static_cast<double>(s.from_ns) / width_ns);
    for (std::size_t b = std::min(first, bins - 1); b < bins; ++b) {
      double const from = std::max(static_cast<double>(s.from_ns), static_cast<double>(b) * width_ns);
      double const to = std::min(static_cast<double>(s.to_ns), static_cast<double>(b + 1) * width_ns);
      if (to > from) body(b, s, to - from);
      if (static_cast<double>(s.to_ns) <= static_cast<double>(b + 1) * width_ns) break;
    }
  }
}

double width_of_bin(run const& of, std::size_t bins) {
  return std::max(static_cast<double>(of.length_ns), 1.0) / static_cast<double>(bins);
}

}  // namespace

times& times::operator+=(times const& more) noexcept {
  for (std::size_t a = 0; a < activities; ++a) ns[a] += more.ns[a];
  return *this;
}

std::uint64_t times::known() const noexcept {
  return std::accumulate(ns.begin(), ns.end(), std::uint64_t{0}) - of(activity::unknown);
}

double times::share(activity a) const noexcept {
  std::uint64_t const all = known();
  return all == 0 ? 0 : static_cast<double>(of(a)) / static_cast<double>(all);
}

std::vector<times> times_of_workers(history const& h) {
  std::vector<times> all(h.of_worker.size());
  for (std::size_t w = 0; w < all.size(); ++w)
    for (segment const& s : h.of_worker[w]) all[w].add(s.what, s.ns());
  return all;
}

times sum(std::vector<times> const& all) noexcept {
  times together;
  for (times const& t : all) together += t;
  return together;
}

times times_between(history const& h, std::uint64_t from_ns, std::uint64_t to_ns) {
  times all;
  for (std::vector<segment> const& line : h.of_worker) {
    auto at = std::ranges::partition_point(line, [&](segment const& s) { return s.to_ns <= from_ns; });
    for (; at != line.end() && at->from_ns < to_ns; ++at)
      all.add(at->what, std::min(at->to_ns, to_ns) - std::max(at->from_ns, from_ns));
  }
  return all;
}

std::vector<std::array<double, activities>> over_time(run const& of, history const& h, std::size_t bins) {
  std::vector<std::array<double, activities>> all(bins);
  double const width = width_of_bin(of, bins);
  for (std::vector<segment> const& line : h.of_worker) {
    for_each_bin(line, width, bins, [&](std::size_t b, segment const& s, double ns) {
      all[b][static_cast<std::size_t>(s.what)] += ns / width;
    });
  }
  return all;
}

std::vector<cell_of_line> time_line(run const& of, std::vector<segment> const& of_worker, std::size_t columns) {
  std::vector<std::array<double, activities>> spent(columns);
  std::vector<std::map<std::uint32_t, double>> tasks(columns);
  for_each_bin(of_worker, width_of_bin(of, columns), columns, [&](std::size_t c, segment const& s, double ns) {
    spent[c][static_cast<std::size_t>(s.what)] += ns;
    if (s.task != no_task) tasks[c][s.task] += ns;
  });
  std::vector<cell_of_line> line(columns);
  for (std::size_t c = 0; c < columns; ++c) {
    auto const most = std::ranges::max_element(spent[c]);
    if (*most <= 0) continue;
    line[c].what = static_cast<activity>(most - spent[c].begin());
    if (line[c].what != activity::work || tasks[c].empty()) continue;
    line[c].task = std::ranges::max_element(tasks[c], {}, [](auto const& t) { return t.second; })->first;
  }
  return line;
}

std::optional<double> work_inflation(run const& of, times const& spent, run const& alone, times const& spent_alone) {
  if (alone.workers.size() != 1 || alone.program != of.program) return std::nullopt;
  if (!of.is_whole() || !alone.is_whole()) return std::nullopt;
  std::uint64_t const awake = spent_alone.known() - spent_alone.of(activity::asleep);
  if (awake == 0) return std::nullopt;
  return static_cast<double>(spent.of(activity::work)) / static_cast<double>(awake);
}

}  // namespace skua::cli::traced
