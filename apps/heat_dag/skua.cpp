// SPDX-License-Identifier: MIT
// The app heat-dag.
#include "apps/heat_dag/problem.hpp"
#include "apps/program_app.hpp"

namespace skua::apps {
namespace {

class heat_dag_app final : public problem_app<heat_dag_app, heat_dag::problem> {
 public:
  heat_dag_app()
      : problem_app("heat-dag",
                    "heat transfer on a plate as a task graph: computing and copying tasks per block (ARMS 2021)") {
    has_no_effect({"--overlap"}, ways::peers, "the peers have no graph of several iterations");
  }

  template <class Here>
  void program(Here& here) {
    heat_dag::program(here, *problem_, static_cast<std::size_t>(overlap_));
  }

 private:
  void build() override {
    require_between("heat-dag: the blocks in a row", (n_ + block_ - 1) / block_, 1, 1024);
    require_between("heat-dag: --overlap", std::int64_t{overlap_}, 1, iterations_);
    if (iterations_ % overlap_ != 0) {
      throw usage_error("heat-dag: --overlap is " + std::to_string(overlap_) + "; allowed: divisors of " +
                        std::to_string(iterations_) + ", the iterations");
    }
    problem_.emplace(heat_dag::shape{.n = n_, .block = block_, .iterations = iterations_, .seed = seed_});
  }

  number_option<std::uint32_t> n_{*this, "--n", 1024, between(1, 32768), "rows and columns of the plate"};
  number_option<std::uint32_t> block_{*this, "--block", 128, between(1, 32768), "rows and columns of a block"};
  number_option<std::uint32_t> iterations_{*this, "--iterations", 200, between(1, 1'000'000),
                                           "number of iterations; the paper has 2000"};
  number_option<std::int64_t> overlap_{*this, "--overlap", 1, no_limits{},
                                       "iterations in one graph; it divides their number"};
  seed_option seed_{*this, "of the plate"};
};

}  // namespace

std::unique_ptr<app> make_heat_dag() { return std::make_unique<heat_dag_app>(); }

}  // namespace skua::apps
