// SPDX-License-Identifier: MIT
// The app synthetic-loads.
#include <optional>

#include "apps/program_app.hpp"
#include "apps/synthetic/loads.hpp"
#include "apps/synthetic/problem.hpp"

namespace skua::apps {
namespace {

class synthetic_app final : public program_app<synthetic_app> {
 public:
  synthetic_app()
      : program_app("synthetic-loads",
                    "independent tasks that take given times, to test balancers (retentive stealing, HPDC 2012)") {
    has_no_effect({"--hints"}, ways::serial, "only Skua's policies read hints");
  }

  template <fork_join Here>
  void program(Here& here) {
    synthetic::program(here, *problem_, work_hints_);
  }

 private:
  static constexpr double usual_floor = 0.25;

  void build() override {
    if (floor_ != usual_floor && shape_ != synthetic::shape::table3)
      throw usage_error("synthetic-loads: --floor is given; allowed: with --shape table3 only");
    problem_.emplace(synthetic::loads({.of = shape_, .mean_ns = mean_us_ * 1000, .floor = floor_}, tasks_, seed_));
  }
  void restore() override { problem_->reset(); }
  [[nodiscard]] std::string check() override { return problem_->wrong(); }
  void add_facts(json_value& all) const override {
    all["sum_s"] = static_cast<double>(problem_->sum_ns()) * 1e-9;
    all["longest_s"] = static_cast<double>(problem_->longest_ns()) * 1e-9;
  }

  number_option<std::uint32_t> tasks_{*this, "--tasks", 2000, between(1, 10'000'000), "how many"};
  choice_option<synthetic::shape> shape_{*this, "--shape", "lognormal", synthetic::shape_names,
                                         "of their times: equal, uniform, lognormal, or table3 (Be256 in the paper)"};
  number_option<double> mean_us_{*this, "--mean-us", 100, between(0, 10'000'000), "their mean"};
  number_option<double> floor_{*this, "--floor", usual_floor, between(0, 1000),
                               "of table3: the same for each task, as a part of the mean of the rest"};
  choice_option<bool> work_hints_{*this, "--hints", "none", hint_words, "none, or work: each task says its time"};
  seed_option seed_{*this, "of the times and their order"};
  std::optional<synthetic::problem> problem_;
};

}  // namespace

std::unique_ptr<app> make_synthetic_loads() { return std::make_unique<synthetic_app>(); }

}  // namespace skua::apps
