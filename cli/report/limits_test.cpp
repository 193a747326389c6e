// SPDX-License-Identifier: MIT
// Programs of known limits, in invented time: the report names the limit that costs most. docs/report.md has the table.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/report/invented_test.hpp"
#include "cli/report/results.hpp"

namespace skua::cli::traced { namespace {

constexpr std::array<std::string_view, 8> limits{"none",          "outside_the_pool", "serial_part",
                                                 "too_few_tasks", "tasks_too_short",  "long_last_task",
                                                 "work_inflates", "too_many_workers"};
constexpr std::uint64_t length_ns = 1'000'000;

/// What each limit takes of all workers' time, besides those of the others.
using costs = std::map<std::string, double>;

/// A program that waits for outside, runs a serial part, then a part with too few tasks, then one that all workers share, whose tasks may
/// be too short, and ends with one long task. On one worker its work may take less time; workers may share processors.
class program {
 public:
  program(std::mt19937& dice, std::uint32_t workers, costs const& wanted)
      : dice_(dice), events_(workers), wanted_(wanted) {
    auto const p = static_cast<double>(workers);
    auto const few = static_cast<std::uint32_t>(2 + dice() % std::max(workers / 4 - 1, 1u));
    phase(of("outside_the_pool"), 0);
    phase(of("serial_part") / (1 - 1 / p), 1);
    phase(of("too_few_tasks") / (1 - few / p), few);
    double const tail = of("long_last_task") / (1 - 1 / p);
    forks_ = of("tasks_too_short");
    double const shared = 1 - now_ - tail;
    work_all(shared);
    phase(tail, 1);
    for (auto& all : events_) all.push_back(at(length_ns, {.what = kind::scheduling}));
  }

  /// Beside the run on one worker, if its work takes less time there.
  [[nodiscard]] json report() {
    run several = invented(std::move(events_));
    auto const workers = static_cast<double>(several.workers.size());
    double const taken = of("too_many_workers");
    auto const processors = static_cast<std::int64_t>(std::ceil(workers * (1 - taken / work_)));
    for (std::size_t w = 0; w < several.workers.size(); ++w)
      several.workers[w].processor =
          taken > 0 ? static_cast<std::int64_t>(w) % processors : static_cast<std::int64_t>(w);
    std::vector<run> all;
    all.push_back(std::move(several));
    if (double const inflated = of("work_inflates"); inflated > 0) {
      auto const alone = static_cast<std::uint64_t>((work_ - inflated) * workers * length_ns);
      all.push_back(invented({{at(0, {.what = kind::working}), at(alone, {.what = kind::sleeping})}}));
    }
    return report_of(all)["runs"][0];
  }

 private:
  [[nodiscard]] double of(std::string const& limit) const {
    auto const found = wanted_.find(limit);
    return found == wanted_.end() ? 0 : found->second;
  }
  [[nodiscard]] std::uint64_t ns(double share) const { return static_cast<std::uint64_t>(share * length_ns); }

  /// `busy` workers work, and the others search or sleep.
  void phase(double share, std::uint32_t busy) {
    if (share <= 0) return;
    for (std::uint32_t w = 0; w < events_.size(); ++w) {
      kind const waits = dice_() % 2 == 0 ? kind::idling : kind::sleeping;
      if (w < busy) {
        events_[w].push_back(at(ns(now_), {.what = kind::task_began, .other = 1, .id = 1}));
        events_[w].push_back(at(ns(now_ + share), {.what = kind::task_ended, .id = 1}));
      } else {
        attempts_ += waits == kind::idling ? 20 : 0;
        events_[w].push_back(at(ns(now_), {.what = waits, .value = attempts_}));
      }
    }
    now_ += share;
    work_ += share * busy / static_cast<double>(events_.size());
  }

  /// All workers have tasks, each at its own times.
  void work_all(double share) {
    constexpr int tasks = 40;
    double const scheduled = std::min(forks_ / share, 0.95);
    for (auto& all : events_) {
      double const shift = static_cast<double>(dice_() % 1000) / 1000 * share / tasks * scheduled;
      for (int i = 0; i < tasks; ++i) {
        double const from = now_ + share * i / tasks;
        double const to = now_ + share * (i + 1) / tasks;
        if (scheduled > 0) all.push_back(at(ns(from), {.what = kind::scheduling}));
        all.push_back(at(ns(from + shift), {.what = kind::task_began, .other = 2, .id = 2}));
        double const ends = scheduled > 0 ? to - share / tasks * scheduled + shift : to;
        all.push_back(at(ns(ends), {.what = kind::task_ended, .id = 2}));
        if (scheduled > 0) all.push_back(at(ns(ends), {.what = kind::scheduling}));
      }
    }
    now_ += share;
    work_ += share * (1 - scheduled);
  }

  std::mt19937& dice_;
  std::vector<std::vector<event>> events_;
  costs const& wanted_;
  double now_ = 0, work_ = 0, forks_ = 0;
  std::uint64_t attempts_ = 0;
};

std::string first_finding(std::mt19937& dice, std::uint32_t workers, costs const& wanted) {
  json const found = program(dice, workers, wanted).report()["findings"];
  return found.empty() ? "none" : found[0]["key"].get<std::string>();
}

TEST(limits, each_alone_is_named) {
  std::mt19937 dice(1);
  for (std::string_view const limit : limits) {
    for (std::uint32_t const workers : {8u, 16u, 64u}) {
      costs const only = limit == "none" ? costs{} : costs{{std::string(limit), 0.4}};
      EXPECT_EQ(first_finding(dice, workers, only), limit) << workers << " workers";
    }
  }
}

/// One limit, which costs 25 to 40 % of all workers' time, and up to two others, which cost at most three quarters of that.
costs random_costs(std::mt19937& dice, std::string const& largest) {
  auto const between = [&](double a, double b) { return std::uniform_real_distribution(a, b)(dice); };
  costs all;
  double const most = largest == "none" ? 0.06 : between(0.25, 0.40);
  if (largest != "none") all[largest] = most;
  for (int i = 0; i < 2; ++i) {
    std::string const other(limits[1 + dice() % (limits.size() - 1)]);
    bool const both_are_work = (all.contains("work_inflates") && other == "too_many_workers") ||
                               (all.contains("too_many_workers") && other == "work_inflates");
    if (other == largest || both_are_work || (largest == "none" && other == "too_many_workers")) continue;
    all[other] = between(0, std::min(0.75 * most, 0.2));
  }
  return all;
}

TEST(limits, of_several_the_largest_is_named_in_95_of_100_programs) {
  unsigned const seed = std::random_device()();
  SCOPED_TRACE(seed);
  std::mt19937 dice(seed);
  std::map<std::string, std::map<std::string, int>> table;
  constexpr int programs = 200;
  int right = 0;
  for (int i = 0; i < programs; ++i) {
    std::string const largest(limits[static_cast<std::size_t>(i) % limits.size()]);
    std::uint32_t const workers = 8u << (dice() % 4);
    std::string const named = first_finding(dice, workers, random_costs(dice, largest));
    ++table[largest][named];
    right += named == largest ? 1 : 0;
  }
  std::string text = fmt::format("{:18}", "largest \\ named");
  for (std::string_view const l : limits) text += fmt::format(" {:>16}", l);
  for (std::string_view const l : limits) {
    text += fmt::format("\n{:18}", l);
    for (std::string_view const named : limits)
      text += fmt::format(" {:16}", table[std::string(l)][std::string(named)]);
  }
  std::puts(text.c_str());
  EXPECT_GE(right, programs * 95 / 100) << text;
}

}}  // namespace skua::cli::traced
