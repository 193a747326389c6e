// SPDX-License-Identifier: MIT
#include "cli/report/tasks.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <unordered_map>

namespace skua::cli::traced {
namespace {

std::uint64_t quantile(std::vector<std::uint64_t>& sorted, double p) {
  auto const rank = static_cast<std::size_t>(std::ceil(p * static_cast<double>(sorted.size())));
  return sorted[std::clamp<std::size_t>(rank, 1, sorted.size()) - 1];
}

}  // namespace

std::vector<task_times> tasks_by_name(history const& h) {
  std::unordered_map<std::uint32_t, std::vector<std::uint64_t>> by_name;
  for (finished_task const& t : h.tasks) by_name[t.name].push_back(t.own_ns);
  std::vector<task_times> all;
  for (auto& [name, times] : by_name) {
    std::ranges::sort(times);
    task_times& one = all.emplace_back();
    one.name = name;
    one.count = times.size();
    for (std::uint64_t const t : times) one.total_ns += t;
    one.p50_ns = quantile(times, 0.5);
    one.p99_ns = quantile(times, 0.99);
    one.max_ns = times.back();
  }
  std::ranges::sort(all, [](task_times const& a, task_times const& b) {
    return std::tuple(b.total_ns, a.name) < std::tuple(a.total_ns, b.name);
  });
  return all;
}

double team_group::teams() const noexcept {
  double sum = 0;
  for (teams_of_width const& w : widths) sum += w.teams;
  return sum;
}

std::vector<team_group> teams_of(run const& of) {
  struct members {
    std::uint64_t count = 0, ns = 0;
  };
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>, std::map<std::uint32_t, members>> found;
  for (traced_worker const& w : of.workers) {
    std::vector<event const*> open;
    for (event const& e : w.events) {
      if (e.what == kind::member_began) {
        open.push_back(&e);
      } else if (e.what == kind::member_ended && !open.empty()) {
        event const& began = *open.back();
        open.pop_back();
        members& m = found[{began.other, began.detail, began.id}][std::max<std::uint32_t>(began.count, 1)];
        ++m.count;
        m.ns += e.ticks - began.ticks;
      }
    }
  }
  std::vector<team_group> all;
  for (auto const& [key, widths] : found) {
    team_group& g = all.emplace_back();
    std::tie(g.name, g.type, g.address) = key;
    for (auto const& [width, m] : widths)
      g.widths.push_back({width, static_cast<double>(m.count) / width, m.ns / m.count});
  }
  std::ranges::stable_sort(all, std::greater{}, &team_group::teams);
  return all;
}

}  // namespace skua::cli::traced
