// SPDX-License-Identifier: MIT
#include "cli/measure/statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "cli/text/json_row.hpp"
#include "skua/machine/threads/engine/core/region.hpp"

namespace skua::cli {
namespace {

struct plain_counter {
  char const* key;   ///< in JSON
  char const* head;  ///< in the table
  std::uint64_t worker_counters::* value;
};
constexpr std::array times{
    plain_counter{"work_s", "work", &worker_counters::work_ns},
    plain_counter{"scheduling_s", "scheduling", &worker_counters::scheduling_ns},
    plain_counter{"idle_s", "idle", &worker_counters::idle_ns},
};
constexpr std::array plain_counters{
    plain_counter{"tasks_taken", "tasks taken", &worker_counters::tasks},
    plain_counter{"attempts", "attempts", &worker_counters::attempts},
    plain_counter{"lost", "lost", &worker_counters::lost},
    plain_counter{"parked", "parked", &worker_counters::parked},
    plain_counter{"waited_in_place", "in place", &worker_counters::waited_in_place},
    plain_counter{"sleeps", "sleeps", &worker_counters::sleeps},
    plain_counter{"wakeups_sent", "wake-ups", &worker_counters::wakeups_sent},
    plain_counter{"revocations", "revoked", &worker_counters::revocations},
    plain_counter{"heavy_fences", "fences", &worker_counters::heavy_fences},
    plain_counter{"spawns", "spawns", &worker_counters::spawns},
    plain_counter{"conversions", "calls", &worker_counters::conversions},
    plain_counter{"dead", "dead", &worker_counters::dead},
    // For people the table of choices says it.
    plain_counter{"scheduler_changes", "", &worker_counters::scheduler_changes},
    plain_counter{"trials", "", &worker_counters::trials},
    plain_counter{"trials_lost_ns", "", &worker_counters::trials_lost_ns},
};

/// a + sign * b, counter by counter; unsigned arithmetic wraps around and back.
worker_counters combined(worker_counters a, worker_counters const& b, std::uint64_t sign) {
  for (plain_counter const& c : times) a.*c.value += sign * b.*c.value;
  for (plain_counter const& c : plain_counters) a.*c.value += sign * b.*c.value;
  if (b.forks) a.forks = a.forks.value_or(0) + sign * *b.forks;
  for (std::size_t i = 0; i < a.steals.size(); ++i) a.steals[i] += sign * b.steals[i];
  return a;
}

std::uint64_t in_ns(double seconds) { return static_cast<std::uint64_t>(std::llround(std::max(0.0, seconds) * 1e9)); }

std::vector<worker_counters> counted_since(std::span<worker_counters const> before, pool const& workers,
                                           std::span<breakdown const> runs) {
  std::vector<worker_counters> all = workers.counters();
  for (std::size_t w = 0; w < all.size(); ++w) {
    all[w] = combined(all[w], before[w], ~std::uint64_t{0});
    spent_times sum;
    for (breakdown const& run : runs) sum += run.workers[w];
    all[w].work_ns = in_ns(sum.work_s);
    all[w].scheduling_ns = in_ns(sum.scheduling_s);
    all[w].idle_ns = in_ns(sum.idle_s);
  }
  return all;
}

std::string distance_name(pool const& workers, std::size_t d) {
  bool const and_farther = d + 1 == worker_counters::distance_classes;
  return workers.layout().distance_name(static_cast<std::uint32_t>(d)) + (and_farther ? " or farther" : "");
}

std::vector<std::uint64_t> steals_of(worker_counters const& c) { return {c.steals.begin(), c.steals.end()}; }

std::vector<cell> cells_of(cell worker, worker_counters const& did, pool const& workers, steal_columns const& steals) {
  std::vector<cell> cells{std::move(worker)};
  for (plain_counter const& c : times) cells.push_back(cell::seconds(static_cast<double>(did.*c.value) * 1e-9));
  cells.push_back(did.forks ? cell::of(*did.forks) : cell{{}, "-"});
  for (plain_counter const& c : plain_counters) cells.push_back(cell::of(did.*c.value));
  cells.push_back(cell::of(by_distance(did.steals, [&](std::size_t d) { return distance_name(workers, d); })));
  steals.add_cells(steals_of(did), cells);
  return cells;
}

}  // namespace

statistics::statistics(pool const& workers, std::span<worker_counters const> before, std::span<breakdown const> runs)
    : report_({{"worker", "worker", false}}), choices_(choices_report(runtime::root_region_of(workers).choices())) {
  std::vector<worker_counters> const counted = counted_since(before, workers, runs);
  worker_counters sum;
  for (worker_counters const& did : counted) sum = combined(sum, did, 1);
  std::array const all{steals_of(sum)};
  steal_columns const steals(all);

  for (plain_counter const& c : times) report_.add_column({c.key, c.head});
  report_.add_column({"forks", "forks"});
  for (plain_counter const& c : plain_counters) report_.add_column({c.key, c.head});
  report_.add_column({"steals_by_distance", ""});
  steals.add_heads(report_);
  for (std::size_t w = 0; w < counted.size(); ++w) report_.add(cells_of(cell::of(w), counted[w], workers, steals));
  report_.add_summary(cells_of(cell::of("all"), sum, workers, steals));
  legend_ = steals.legend([&](std::size_t d) { return distance_name(workers, d); }, "  ");
}

}  // namespace skua::cli
