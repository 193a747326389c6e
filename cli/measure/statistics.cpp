// SPDX-License-Identifier: MIT
#include "cli/statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "cli/table.hpp"

namespace skua::cli {
namespace {

struct plain_counter {
  char const* name;  ///< in JSON
  char const* head;  ///< in the table
  std::uint64_t worker_counters::* value;
};
constexpr std::array plain_counters{
    plain_counter{"forks", "forks", &worker_counters::forks},
    plain_counter{"tasks", "tasks taken", &worker_counters::tasks},
    plain_counter{"attempts", "attempts", &worker_counters::attempts},
    plain_counter{"lost", "lost", &worker_counters::lost},
    plain_counter{"parked", "parked", &worker_counters::parked},
    plain_counter{"waited_in_place", "in place", &worker_counters::waited_in_place},
    plain_counter{"sleeps", "sleeps", &worker_counters::sleeps},
    plain_counter{"wakeups_sent", "wake-ups", &worker_counters::wakeups_sent},
};
constexpr std::array times{
    plain_counter{"work_ns", "work", &worker_counters::work_ns},
    plain_counter{"scheduling_ns", "scheduling", &worker_counters::scheduling_ns},
    plain_counter{"idle_ns", "idle", &worker_counters::idle_ns},
};

/// a + sign * b, counter by counter; unsigned arithmetic wraps around and back.
worker_counters combined(worker_counters a, worker_counters const& b, std::uint64_t sign) {
  for (plain_counter const& c : times) a.*c.value += sign * b.*c.value;
  for (plain_counter const& c : plain_counters) a.*c.value += sign * b.*c.value;
  for (std::size_t i = 0; i < a.steals.size(); ++i) a.steals[i] += sign * b.steals[i];
  return a;
}

std::uint64_t in_ns(double seconds) { return static_cast<std::uint64_t>(std::llround(std::max(0.0, seconds) * 1e9)); }

}  // namespace

statistics::statistics(pool const& workers, std::span<worker_counters const> before, std::span<breakdown const> runs)
    : map_(workers.map()), done_(workers.counters()) {
  for (std::size_t w = 0; w < done_.size(); ++w) {
    done_[w] = combined(done_[w], before[w], ~std::uint64_t{0});
    spent_times sum;
    for (breakdown const& run : runs) sum += run.workers[w];
    done_[w].work_ns = in_ns(sum.work_s);
    done_[w].scheduling_ns = in_ns(sum.scheduling_s);
    done_[w].idle_ns = in_ns(sum.idle_s);
  }
}

json statistics::as_json() const {
  json all = json::array();
  for (worker_counters const& did : done_) {
    json one{{"worker", all.size()}};
    for (plain_counter const& c : times) one[c.name] = did.*c.value;
    for (plain_counter const& c : plain_counters) one[c.name] = did.*c.value;
    one["steals_by_distance"] = did.steals;
    all.push_back(std::move(one));
  }
  return all;
}

std::string statistics::as_text() const {
  worker_counters sum;
  for (worker_counters const& did : done_) sum = combined(sum, did, 1);

  std::vector<table::column> columns{{"worker"}};
  for (plain_counter const& c : times) columns.push_back({c.head, true});
  for (plain_counter const& c : plain_counters) columns.push_back({c.head, true});
  std::vector<std::size_t> distances;
  std::string legend;
  for (std::size_t d = 0; d < sum.steals.size(); ++d) {
    if (sum.steals[d] == 0) continue;
    distances.push_back(d);
    columns.push_back({fmt::format("steals@{}", d), true});
    bool const and_farther = d + 1 == sum.steals.size();
    legend += fmt::format("  steals@{}: {}{}\n", d, map_.distance_name(static_cast<std::uint32_t>(d)),
                          and_farther ? " or farther" : "");
  }

  table t(std::move(columns));
  auto const add = [&](std::string name, worker_counters const& did) {
    std::vector<std::string> cells{std::move(name)};
    for (plain_counter const& c : times) cells.push_back(in_seconds(static_cast<double>(did.*c.value) * 1e-9));
    for (plain_counter const& c : plain_counters) cells.push_back(fmt::format("{}", did.*c.value));
    for (std::size_t const d : distances) cells.push_back(fmt::format("{}", did.steals[d]));
    t.add(std::move(cells));
  };
  for (std::size_t w = 0; w < done_.size(); ++w) add(fmt::format("{}", w), done_[w]);
  add("all", sum);
  return t.text("  ") + legend;
}

}  // namespace skua::cli
