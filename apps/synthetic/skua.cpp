// SPDX-License-Identifier: MIT
// The app synthetic-loads.
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "apps/checks.hpp"
#include "apps/iterated_apps.hpp"
#include "apps/program_app.hpp"
#include "apps/synthetic/loads.hpp"
#include "apps/synthetic/problem.hpp"

namespace skua::apps {
namespace {

class synthetic_app final : public program_app<synthetic_app> {
 public:
  [[nodiscard]] std::string_view name() const override { return "synthetic-loads"; }
  [[nodiscard]] std::string_view about() const override {
    return "independent tasks that take given times, to test balancers (retentive stealing, HPDC 2012)";
  }
  [[nodiscard]] std::vector<option> options() override {
    return {
        {"--tasks", &tasks_, between(1, 10'000'000), "how many"},
        {"--shape", &shape_, one_of(synthetic::shape_names),
         "of their times: equal, uniform, lognormal, or table3 (Be256 in the paper)"},
        {"--mean-us", &mean_us_, between(0, 10'000'000), "their mean"},
        {"--floor", &floor_, between(0, 1000), "of table3: the same for each task, as a part of the mean of the rest"},
        {"--hints", &hints_, one_of(hint_words), "none, or work: each task's time"},
        {"--seed", &seed_, between(0, 1'000'000'000'000), "of the times and their order"},
    };
  }
  void prepare() override {
    require_allowed(name(), options());
    work_hints_ = meaning_of<bool>(hints_, hint_words);
    auto const shape = meaning_of<synthetic::shape>(shape_, synthetic::shape_names);
    problem_ = std::make_unique<synthetic::problem>(
        synthetic::loads({.of = shape, .mean_ns = mean_us_ * 1000, .floor = floor_}, static_cast<std::uint32_t>(tasks_),
                         static_cast<std::uint64_t>(seed_)));
  }
  void reset() override { problem_->reset(); }

  [[nodiscard]] std::string wrong() override { return problem_->wrong(); }
  [[nodiscard]] json_value facts() const override {
    return {{"tasks", tasks_},
            {"shape", shape_},
            {"sum_s", static_cast<double>(problem_->sum_ns()) * 1e-9},
            {"longest_s", static_cast<double>(problem_->longest_ns()) * 1e-9}};
  }

  template <fork_join Here>
  void program(Here& here, std::uint32_t) {
    synthetic::program(here, *problem_, work_hints_);
  }

 private:
  std::int64_t tasks_ = 2000;
  std::string shape_ = "lognormal";
  double mean_us_ = 100;
  double floor_ = 0.25;
  std::string hints_ = "none";
  std::int64_t seed_ = 1;
  bool work_hints_ = false;
  std::unique_ptr<synthetic::problem> problem_;
};

}  // namespace

std::unique_ptr<app> make_synthetic_loads() { return std::make_unique<synthetic_app>(); }

}  // namespace skua::apps
