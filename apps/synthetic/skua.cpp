// SPDX-License-Identifier: MIT
// The app synthetic-loads.
#include <optional>

#include "apps/program_app.hpp"
#include "apps/ranks_plan.hpp"
#include "apps/synthetic/loads.hpp"
#include "apps/synthetic/over_ranks.hpp"
#include "apps/synthetic/problem.hpp"
#include "apps/synthetic/varied_times.hpp"

namespace skua::apps {
namespace {

class synthetic_app final : public program_app<synthetic_app>, public ranks_program {
 public:
  synthetic_app()
      : program_app("synthetic-loads",
                    "independent tasks that take given times, to test balancers (retentive stealing, HPDC 2012)") {
    has_no_effect({"--hints"}, ways::serial, "only Skua's policies read hints");
    has_no_effect({"--hints"}, ways::ranks | ways::simulated_ranks, "collections have no hints");
    has_no_effect({"--iterations", "--variation", "--pattern"}, ~(ways::ranks | ways::simulated_ranks),
                  "only ranks run the tasks several times");
    has_no_effect({"--alone-us"}, ways::ranks | ways::simulated_ranks, "on ranks no caller is alone");
    has_no_effect({"--sleep"}, ways::simulation | ways::simulated_ranks, "virtual time uses no processor");
  }

  template <fork_join Here>
  void program(Here& here) {
    synthetic::program(here, *problem_, work_hints_);
  }
  void run_on_ranks(communicator& world, ranks_plan const& plan) override {
    on_ranks_ = synthetic::over_ranks(world,
                                      {.means_ns = problem_->durations(),
                                       .variation = variation_,
                                       .pattern = pattern(),
                                       .seed = seed_,
                                       .iterations = iterations_,
                                       .how = how()},
                                      plan);
    has_run();
  }
  [[nodiscard]] ranks_load load() override {
    require_allowed(name(), rows());
    ranks_load load{.work = times(), .position = {}, .has_whole_times = true};
    load.position = synthetic::iterated_loads{.means_ns = load.work}.position();
    return load;
  }

 private:
  static constexpr double usual_floor = 0.25;

  void build() override { problem_.emplace(times(), how(), static_cast<std::uint64_t>(alone_us_ * 1000)); }
  void restore() override {
    on_ranks_.reset();
    problem_->reset();
  }
  [[nodiscard]] std::string check() override { return on_ranks_ ? on_ranks_->wrong : problem_->wrong(); }
  void add_facts(json_value& all) const override {
    all["sum_s"] = static_cast<double>(on_ranks_ ? on_ranks_->sum_ns : problem_->sum_ns()) * 1e-9;
    all["longest_s"] = static_cast<double>(on_ranks_ ? on_ranks_->longest_ns : problem_->longest_ns()) * 1e-9;
  }
  [[nodiscard]] std::vector<std::uint64_t> times() const {
    if (floor_ != usual_floor && shape_ != synthetic::shape::table3)
      throw usage_error("synthetic-loads: --floor is given; allowed: with --shape table3 only");
    synthetic::require_variation(static_cast<bool>(pattern_), variation_);
    return synthetic::loads({.of = shape_, .mean_ns = mean_us_ * 1000, .floor = floor_}, tasks_, seed_);
  }
  [[nodiscard]] synthetic::pastime how() const {
    return sleeps_ ? synthetic::pastime::sleep : synthetic::pastime::spin;
  }
  [[nodiscard]] synthetic::variation_pattern pattern() const {
    std::string const word = pattern_.value_or(std::string(synthetic::pattern_words.front()));
    return meaning_of<synthetic::variation_pattern>(word, synthetic::pattern_words);
  }

  number_option<std::uint32_t> tasks_{*this, "--tasks", 2000, between(1, 10'000'000), "how many"};
  choice_option<synthetic::shape> shape_{*this, "--shape", "lognormal", synthetic::shape_names,
                                         "of their times: equal, uniform, lognormal, or table3 (Be256 in the paper)"};
  number_option<double> mean_us_{*this, "--mean-us", 100, between(0, 10'000'000), "their mean"};
  number_option<double> floor_{*this, "--floor", usual_floor, between(0, 1000),
                               "of table3: the same for each task, as a part of the mean of the rest"};
  number_option<double> alone_us_{*this, "--alone-us", 0, between(0, 10'000'000),
                                  "before them, the caller alone: idle workers fall asleep"};
  choice_option<bool> work_hints_{*this, "--hints", "none", hint_words, "none, or work: each task says its time"};
  seed_option seed_{*this, "of the times, their order and their variation"};
  number_option<std::uint32_t> iterations_{*this, "--iterations", 5, between(1, 1000),
                                           "on ranks: how often the tasks run"};
  number_option<double> variation_{*this, "--variation", 0, between(0.0, 1.0),
                                   "on ranks: by which share of its mean a time differs between iterations, at most"};
  maybe_option<std::string> pattern_{*this, "--pattern", one_of(synthetic::pattern_words),
                                     "of --variation: each (anew in each iteration), drift, jump or oscillate"};
  flag_option sleeps_{*this, "--sleep", "tasks sleep and use no processor: for more workers than processors"};
  std::optional<synthetic::problem> problem_;
  std::optional<synthetic::iterated_outcome> on_ranks_;
};

}  // namespace

std::unique_ptr<app> make_synthetic_loads() { return std::make_unique<synthetic_app>(); }

}  // namespace skua::apps
