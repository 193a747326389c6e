// SPDX-License-Identifier: MIT
#include "apps/synthetic/dealing.hpp"

#include <algorithm>
#include <numeric>

#include "apps/checks.hpp"

namespace skua::apps::synthetic {

std::vector<std::vector<std::uint32_t>> deal(std::span<std::uint64_t const> durations, std::uint32_t ranks,
                                             favour favoured) {
  require_between("synthetic-loads: ranks", std::int64_t{ranks}, 1, std::int64_t{1} << 31);
  require_between("synthetic-loads: n of 'every n-th rank'", std::int64_t{favoured.every}, 1, std::int64_t{1} << 31);
  require_between("synthetic-loads: m tasks in a row", std::int64_t{favoured.take}, 1, std::int64_t{1} << 31);

  std::vector<std::uint32_t> order(durations.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, std::greater<>(), [&](std::uint32_t task) { return durations[task]; });

  std::vector<std::vector<std::uint32_t>> dealt(ranks);
  std::uint32_t rank = 0;
  std::uint32_t taken = 0;
  for (std::uint32_t const task : order) {
    dealt[rank].push_back(task);
    if (++taken < (rank % favoured.every == 0 ? favoured.take : 1)) continue;
    taken = 0;
    rank = rank + 1 == ranks ? 0 : rank + 1;
  }
  return dealt;
}

std::vector<std::vector<std::uint64_t>> loads_of(std::vector<std::vector<std::uint32_t>> const& dealt,
                                                 std::span<std::uint64_t const> durations) {
  std::vector<std::vector<std::uint64_t>> loads(dealt.size());
  for (std::size_t rank = 0; rank < dealt.size(); ++rank) {
    for (std::uint32_t const task : dealt[rank]) loads[rank].push_back(durations[task]);
  }
  return loads;
}

double imbalance(std::vector<std::vector<std::uint64_t>> const& loads) noexcept {
  double most = 0;
  double all = 0;
  for (auto const& of_rank : loads) {
    double sum = 0;
    for (std::uint64_t const load : of_rank) sum += static_cast<double>(load);
    most = std::max(most, sum);
    all += sum;
  }
  return all > 0 ? most * static_cast<double>(loads.size()) / all : 1;
}

}  // namespace skua::apps::synthetic
