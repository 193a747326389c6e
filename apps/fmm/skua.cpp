// SPDX-License-Identifier: MIT
// The app fmm.
#include "apps/fmm/problem.hpp"
#include "apps/program_app.hpp"

namespace skua::apps {
namespace {

class fmm_app final : public problem_app<fmm_app, fmm::problem> {
 public:
  fmm_app()
      : problem_app("fmm",
                    "fast multipole method: the potential of charges in the plane, as a task graph (ARMS 2021)") {}

 private:
  void build() override {
    fmm::shape const shape{
        .n = n_, .order = order_, .leaf = leaf_, .theta = theta_, .how = distribution_, .seed = seed_};
    problem_.emplace(shape, fmm::charges_of(shape));
  }
  [[nodiscard]] std::string too_large() const override { return "the tree; a smaller --n or --order may fit"; }
  void add_facts(json_value& all) const override {
    all["cells"] = problem_->cells().cells().size();
    all["groups"] = problem_->groups().size();
    all["error"] = problem_->errors_of(200).relative;
  }

  number_option<std::uint32_t> n_{*this, "--n", 20'000, between(1, 100'000'000), "charges"};
  number_option<std::uint32_t> order_{*this, "--order", 12, between(1, fmm::most_terms), "of the series"};
  number_option<std::uint32_t> leaf_{*this, "--leaf", 64, between(1, 1'000'000),
                                     "charges of a leaf of the tree, at most"};
  number_option<double> theta_{*this, "--theta", 0.5, between(0.1, 0.9),
                               "cells interact by series if their radii are less than this part of their distance"};
  choice_option<fmm::distribution> distribution_{
      *this, "--distribution", "uniform", {"uniform", "circle", "cluster"}, "uniform, circle, or cluster"};
  seed_option seed_{*this, "of the charges"};
};

}  // namespace

std::unique_ptr<app> make_fmm() { return std::make_unique<fmm_app>(); }

}  // namespace skua::apps
