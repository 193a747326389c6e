// SPDX-License-Identifier: MIT
#include "cli/measure/measure.hpp"

#include <ctime>

#include <algorithm>
#include <numeric>
#include <thread>
#include <utility>

#include "cli/text/terminal.hpp"
#include "skua/parts/base/dice.hpp"

namespace skua::cli {
namespace {

using seconds = std::chrono::duration<double>;

seconds processor_time() {
  timespec used{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

void shuffle(std::vector<std::size_t>& order, runtime::dice& drawn) {
  for (std::size_t left = order.size(); left > 1; --left) {
    std::swap(order[left - 1], order[drawn.below(static_cast<std::uint32_t>(left))]);
  }
}

/// The number of rounds to expect after `done` timed rounds that took `spent`.
unsigned expected_rounds(measurement_plan const& plan, unsigned done, seconds spent) {
  if (plan.rounds) return *plan.rounds;
  if (done == 0) return plan.least_rounds;
  double const affordable = plan.budget / (spent / done);
  return static_cast<unsigned>(std::clamp<double>(affordable, plan.least_rounds, plan.most_rounds));
}

void check(apps::app& what, record& into) {
  std::string found = what.wrong();
  if (!found.empty() && into.wrong_answers++ == 0) into.first_error = std::move(found);
}

}  // namespace

double record::median_s() const { return median(times_s); }

double record::min_s() const { return *std::ranges::min_element(times_s); }
double record::max_s() const { return *std::ranges::max_element(times_s); }

void measure_once(apps::app& what, runner const& who, bool verify, bool keep_time, record& into) {
  what.reset();
  if (who.prepare) who.prepare(what);
  std::vector<worker_counters> before;
  auto const begin = std::chrono::steady_clock::now();
  if (who.counters) before = who.counters(begin);
  who.run(what);
  auto const end = std::chrono::steady_clock::now();
  double const took = seconds(end - begin).count();
  if (keep_time) into.times_s.push_back(took);
  if (keep_time && who.counters) into.breakdowns.push_back(between(before, who.counters(end), took));
  into.checked = verify;
  if (verify) check(what, into);
  into.facts = what.facts();
}

void map_once(apps::app& what, apps::mapped& maps, runner const& who, bool verify, record& into) {
  what.reset();
  into.map = who.run_mapped(maps);
  if (verify) check(what, into);
}

bool wait_until_quiet() {
  constexpr auto look_every = std::chrono::milliseconds(1);
  constexpr auto give_up_after = std::chrono::milliseconds(200);
  constexpr double quiet = 0.1;  // of one processor
  auto const begin = std::chrono::steady_clock::now();
  for (auto now = begin; now - begin < give_up_after;) {
    seconds const used = processor_time();
    std::this_thread::sleep_for(look_every);
    auto const later = std::chrono::steady_clock::now();
    if (processor_time() - used < quiet * seconds(later - now)) return true;
    now = later;
  }
  return false;
}

measurement measure_rounds(apps::app& what, std::span<runner const> runners, measurement_plan const& plan,
                           measurement_observer const& before_run) {
  measurement all{.records = std::vector<record>(runners.size())};
  std::vector<std::size_t> order(runners.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  runtime::dice drawn(plan.seed);

  auto begin = std::chrono::steady_clock::now();
  unsigned rounds = plan.warm_up_rounds + expected_rounds(plan, 0, {});
  for (unsigned round = 0; round < rounds; ++round) {
    bool const warm = round >= plan.warm_up_rounds;
    if (round == plan.warm_up_rounds) begin = std::chrono::steady_clock::now();
    shuffle(order, drawn);
    for (std::size_t i = 0; i < order.size(); ++i) {
      stop_if_interrupted();
      std::size_t const next = order[i];
      auto const before = static_cast<double>(round) + static_cast<double>(i) / static_cast<double>(order.size());
      before_run(before / rounds, runners[next]);
      if (!wait_until_quiet()) ++all.restless;
      ++all.runs;
      measure_once(what, runners[next], true, warm, all.records[next]);
    }
    if (warm) {
      unsigned const done = round + 1 - plan.warm_up_rounds;
      rounds =
          plan.warm_up_rounds + std::max(done, expected_rounds(plan, done, std::chrono::steady_clock::now() - begin));
    }
  }
  stop_if_interrupted();
  return all;
}

}  // namespace skua::cli
