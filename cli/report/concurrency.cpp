// SPDX-License-Identifier: MIT
#include "cli/report/concurrency.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace skua::cli::traced {
namespace {

struct change {
  std::uint64_t at_ns;
  int by;
  int unknown_by = 0;
};

/// The task that ran longest from `from_ns` on.
std::uint32_t longest_task_since(history const& h, std::uint64_t from_ns) {
  std::map<std::uint32_t, std::uint64_t> spent;
  for (std::vector<segment> const& line : h.of_worker) {
    for (auto s = line.rbegin(); s != line.rend() && s->to_ns > from_ns; ++s)
      if (s->task != no_task) spent[s->task] += s->to_ns - std::max(s->from_ns, from_ns);
  }
  if (spent.empty()) return no_task;
  return std::ranges::max_element(spent, {}, [](auto const& t) { return t.second; })->first;
}

}  // namespace

std::uint64_t concurrency::known_ns() const noexcept {
  return std::accumulate(ns_with.begin(), ns_with.end(), std::uint64_t{0});
}

double concurrency::share_with(std::size_t workers) const noexcept {
  std::uint64_t const all = known_ns();
  return all == 0 || workers >= ns_with.size() ? 0 : static_cast<double>(ns_with[workers]) / static_cast<double>(all);
}

double concurrency::mean() const noexcept {
  double sum = 0;
  for (std::size_t k = 0; k < ns_with.size(); ++k) sum += static_cast<double>(k) * share_with(k);
  return sum;
}

double concurrency::idle_beside_several() const noexcept {
  double sum = 0;
  auto const workers = static_cast<double>(ns_with.size() - 1);
  for (std::size_t k = 2; k < ns_with.size(); ++k) sum += share_with(k) * (1 - static_cast<double>(k) / workers);
  return sum;
}

concurrency concurrency_of(history const& h) {
  concurrency all;
  all.ns_with.assign(h.of_worker.size() + 1, 0);
  std::vector<change> changes;
  std::uint64_t end = 0;
  for (std::vector<segment> const& line : h.of_worker) {
    for (segment const& s : line) {
      end = std::max(end, s.to_ns);
      if (s.what == activity::unknown) {
        changes.push_back({s.from_ns, 0, 1});
        changes.push_back({s.to_ns, 0, -1});
      }
      if (s.what != activity::work) continue;
      changes.push_back({s.from_ns, 1});
      changes.push_back({s.to_ns, -1});
    }
  }
  // Where one segment of work ends as the next begins, the worker never stops.
  std::ranges::sort(
      changes, [](change const& a, change const& b) { return a.at_ns != b.at_ns ? a.at_ns < b.at_ns : a.by > b.by; });
  std::uint64_t since = 0, last_of_several = 0, last_of_one = 0, last_unknown = 0;
  std::size_t working = 0;
  int unknown = 0;
  for (change const& c : changes) {
    (unknown > 0 ? all.unknown_ns : all.ns_with[std::min(working, all.ns_with.size() - 1)]) += c.at_ns - since;
    if (unknown > 0) last_unknown = c.at_ns;
    if (working >= 2 && c.at_ns > since) last_of_several = c.at_ns;
    if (working >= 1) last_of_one = c.at_ns;
    since = c.at_ns;
    working = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(working) + c.by);
    unknown += c.unknown_by;
  }
  all.ns_with[0] += end - since;
  bool const has_end = last_unknown <= last_of_several;
  if (last_of_several > 0 && has_end) all.tail_ns = last_of_one - last_of_several;
  if (all.tail_ns > 0) all.tail_task = longest_task_since(h, last_of_several);
  return all;
}

}  // namespace skua::cli::traced
