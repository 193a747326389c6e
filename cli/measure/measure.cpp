// SPDX-License-Identifier: MIT
#include "cli/measure/measure.hpp"

#include <ctime>

#include <algorithm>
#include <numeric>
#include <thread>
#include <utility>

#include "cli/text/interrupt.hpp"
#include "cli/text/run_marks.hpp"
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
  std::uint64_t const number = into.times_s.size() + 1;
  if (who.mark) who.mark(traced::mark_of_begin, number);
  auto const begin = std::chrono::steady_clock::now();
  if (who.counters) before = who.counters(begin);
  who.run(what);
  auto const end = std::chrono::steady_clock::now();
  if (who.mark) who.mark(traced::mark_of_end, number);
  double const took = seconds(end - begin).count();
  if (keep_time) into.times_s.push_back(took);
  if (keep_time && who.counters) into.breakdowns.push_back(between(before, who.counters(end), took));
  into.checked = verify;
  if (verify) check(what, into);
  into.facts = what.facts().sorted();
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

namespace {

/// The rounds of a measurement, one after the other.
class rounds_of_runs {
 public:
  rounds_of_runs(apps::app& what, std::span<runner const> runners, measurement_plan const& plan,
                 measurement_observer const& before_run)
      : what_(what), runners_(runners), plan_(plan), before_run_(before_run), order_(runners.size()),
        drawn_(plan.seed) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
  }

  void run_all(measurement& all) {
    all.planned_rounds = expected_rounds(plan_, 0, {});
    for (unsigned round = 0; round < plan_.warm_up_rounds; ++round) run_one(all, round, false);
    auto const begin = std::chrono::steady_clock::now();
    while (all.rounds < all.planned_rounds) {
      run_one(all, plan_.warm_up_rounds + all.rounds, true);
      ++all.rounds;
      keep_after_interrupts();
      all.planned_rounds =
          std::max(all.rounds, expected_rounds(plan_, all.rounds, std::chrono::steady_clock::now() - begin));
    }
  }

 private:
  void run_one(measurement& all, unsigned round, bool timed) {
    auto const count = static_cast<unsigned>(order_.size());
    shuffle(order_, drawn_);
    for (unsigned i = 0; i < count; ++i) {
      stop_if_interrupted();
      std::size_t const next = order_[i];
      before_run_(round * count + i, (plan_.warm_up_rounds + all.planned_rounds) * count, runners_[next]);
      if (!wait_until_quiet()) ++all.restless;
      ++all.runs;
      measure_once(what_, runners_[next], true, timed, all.records[next]);
    }
  }

  apps::app& what_;
  std::span<runner const> runners_;
  measurement_plan const& plan_;
  measurement_observer const& before_run_;
  std::vector<std::size_t> order_;
  runtime::dice drawn_;
};

}  // namespace

measurement measure_rounds(apps::app& what, std::span<runner const> runners, measurement_plan const& plan,
                           measurement_observer const& before_run) {
  measurement all{.records = std::vector<record>(runners.size())};
  try {
    rounds_of_runs(what, runners, plan, before_run).run_all(all);
  } catch (interruption const&) {
    if (all.rounds == 0) throw;
    for (record& r : all.records) {
      r.times_s.resize(all.rounds);
      if (!r.breakdowns.empty()) r.breakdowns.resize(all.rounds);
    }
  }
  return all;
}

}  // namespace skua::cli
