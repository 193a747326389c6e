// SPDX-License-Identifier: MIT
#include "apps/latency/problem.hpp"

#include <algorithm>
#include <cmath>

#include "apps/checks.hpp"
#include "skua/parts/base/dice.hpp"

namespace skua::apps::latency {

load::load(shape const& s) : jobs_((std::size_t{1} << s.levels) - 1), urgent_ns_(s.urgent_ns) {
  runtime::dice rolled{s.seed};
  for (job& j : jobs_) {
    auto const range = static_cast<double>(s.longest_ns - s.shortest_ns);
    std::uint64_t const work_ns = s.shortest_ns + static_cast<std::uint64_t>(rolled.unit() * range);
    bool const is_parent_of_urgent = rolled.unit() < s.urgent_share;
    j.before_ns = static_cast<std::uint64_t>(rolled.unit() * static_cast<double>(work_ns));
    j.after_ns = work_ns - j.before_ns;
    if (is_parent_of_urgent) j.urgent = urgent_++;
  }
}

std::vector<std::uint64_t> record::waits() const {
  auto sorted = waited_ns_;
  std::ranges::sort(sorted);
  return sorted;
}

std::string record::wrong() const {
  auto const check = [](auto const& runs, std::string const& kind) -> std::string {
    for (std::size_t i = 0; i < runs.size(); ++i) {
      std::string why = differs("latency: runs of the " + kind + " task " + std::to_string(i),
                                runs[i].load(std::memory_order_relaxed), 1);
      if (!why.empty()) return why;
    }
    return {};
  };
  std::string why = check(background_runs_, "background");
  return why.empty() ? check(urgent_runs_, "urgent") : why;
}

std::uint64_t percentile(std::vector<std::uint64_t> const& ascending, double share) noexcept {
  if (ascending.empty()) return 0;
  auto const rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(ascending.size())));
  return ascending[std::clamp<std::size_t>(rank, 1, ascending.size()) - 1];
}

void work_for(std::uint64_t ns) noexcept {
  std::uint64_t const end = runtime::clock_ns() + ns;
  while (runtime::clock_ns() < end) {}
}

}  // namespace skua::apps::latency
