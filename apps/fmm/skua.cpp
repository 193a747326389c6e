// SPDX-License-Identifier: MIT
// The app fmm.
#include <array>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <string_view>

#include "apps/checks.hpp"
#include "apps/flow_app.hpp"
#include "apps/flow_apps.hpp"
#include "apps/fmm/problem.hpp"

namespace skua::apps {
namespace {

constexpr std::array<std::string_view, 3> distributions{"uniform", "circle", "cluster"};

class fmm_app final : public flow_app<fmm_app>, public openmp_twin {
 public:
  [[nodiscard]] std::string_view name() const override { return "fmm"; }
  [[nodiscard]] std::string_view about() const override {
    return "fast multipole method: the potential of charges in the plane, as a task graph (ARMS 2021)";
  }
  [[nodiscard]] std::vector<option> options() override {
    return {
        {"--n", &n_, between(1, 100'000'000), "charges"},
        {"--order", &order_, between(1, fmm::most_terms), "of the series"},
        {"--leaf", &leaf_, between(1, 1'000'000), "charges of a leaf of the tree, at most"},
        {"--theta", &theta_, between(0.1, 0.9),
         "cells interact by series if their radii are less than this part of their distance"},
        {"--distribution", &distribution_, one_of(distributions), "uniform, circle, or cluster"},
        {"--seed", &seed_, between(0, 1'000'000'000'000), "of the charges"},
    };
  }
  void prepare() override {
    require_allowed(name(), options());
    fmm::shape const shape{.n = static_cast<std::uint32_t>(n_),
                           .order = static_cast<std::uint32_t>(order_),
                           .leaf = static_cast<std::uint32_t>(leaf_),
                           .theta = theta_,
                           .how = meaning_of<fmm::distribution>(distribution_, distributions),
                           .seed = static_cast<std::uint64_t>(seed_)};
    try {
      problem_ = std::make_unique<fmm::problem>(shape, fmm::charges_of(shape));
    } catch (std::bad_alloc const&) {
      throw resource_error("fmm: no memory for the tree; a smaller --n or --order may fit");
    }
  }
  void reset() override {
    problem_->reset();
    ran_ = false;
  }

  void run_alone() {
    fmm::run_alone(*problem_);
    ran_ = true;
  }
  void run_openmp(unsigned workers) override {
    fmm::with_openmp(workers, *problem_);
    ran_ = true;
  }
  template <class Here>
  void program(Here& here) {
    fmm::program(here, *problem_);
    ran_ = true;
  }

  /// One charge has no potential: the answer alone does not say whether there was a run.
  [[nodiscard]] std::string wrong() override { return ran_ ? problem_->wrong() : "fmm: no run yet"; }
  [[nodiscard]] json_value facts() const override {
    return {{"n", n_},
            {"order", order_},
            {"distribution", distribution_},
            {"cells", problem_->cells().cells().size()},
            {"groups", problem_->groups().size()},
            {"error", problem_->errors_of(200).relative}};
  }

 private:
  std::int64_t n_ = 20'000;
  std::int64_t order_ = 12;
  std::int64_t leaf_ = 64;
  double theta_ = 0.5;
  std::string distribution_ = "uniform";
  std::int64_t seed_ = 1;
  bool ran_ = false;
  std::unique_ptr<fmm::problem> problem_;
};

}  // namespace

std::unique_ptr<app> make_fmm() { return std::make_unique<fmm_app>(); }

}  // namespace skua::apps
