// SPDX-License-Identifier: MIT
// The app heat-dag.
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "apps/checks.hpp"
#include "apps/flow_app.hpp"
#include "apps/flow_apps.hpp"
#include "apps/heat_dag/problem.hpp"

namespace skua::apps {
namespace {

class heat_dag_app final : public flow_app<heat_dag_app>, public openmp_twin {
 public:
  [[nodiscard]] std::string_view name() const override { return "heat-dag"; }
  [[nodiscard]] std::string_view about() const override {
    return "heat transfer on a plate as a task graph: computing and copying tasks per block (ARMS 2021)";
  }
  [[nodiscard]] std::vector<option> options() override {
    return {
        {"--n", &n_, between(1, 32768), "rows and columns of the plate"},
        {"--block", &block_, between(1, 32768), "rows and columns of a block"},
        {"--iterations", &iterations_, between(1, 1'000'000), "number of iterations; the paper has 2000"},
        {"--overlap", &overlap_, "iterations in one graph; it divides their number"},
        {"--seed", &seed_, between(0, 1'000'000'000'000), "of the plate"},
    };
  }
  void prepare() override {
    require_allowed(name(), options());
    require_between("heat-dag: the blocks in a row", (n_ + block_ - 1) / block_, 1, 1024);
    require_between("heat-dag: --overlap", overlap_, 1, iterations_);
    if (iterations_ % overlap_ != 0) {
      throw usage_error("heat-dag: --overlap is " + std::to_string(overlap_) + "; allowed: divisors of " +
                        std::to_string(iterations_) + ", the iterations");
    }
    problem_ = heat_dag::problem({.n = static_cast<std::size_t>(n_),
                                  .block = static_cast<std::size_t>(block_),
                                  .iterations = static_cast<std::size_t>(iterations_),
                                  .seed = static_cast<std::uint64_t>(seed_)});
  }
  void reset() override {
    problem_.reset();
    ran_ = false;
  }

  void run_alone() {
    heat_dag::run_alone(problem_);
    ran_ = true;
  }
  void run_openmp(unsigned workers) override {
    heat_dag::with_openmp(workers, problem_);
    ran_ = true;
  }
  template <class Here>
  void program(Here& here) {
    heat_dag::program(here, problem_, static_cast<std::size_t>(overlap_));
    ran_ = true;
  }

  [[nodiscard]] std::string wrong() override { return ran_ ? problem_.wrong() : "heat-dag: no run yet"; }
  [[nodiscard]] json_value facts() const override {
    return {{"n", n_}, {"block", block_}, {"iterations", iterations_}, {"overlap", overlap_}};
  }

 private:
  std::int64_t n_ = 1024;
  std::int64_t block_ = 128;
  std::int64_t iterations_ = 200;
  std::int64_t overlap_ = 1;
  std::int64_t seed_ = 1;
  heat_dag::problem problem_;
  bool ran_ = false;
};

}  // namespace

std::unique_ptr<app> make_heat_dag() { return std::make_unique<heat_dag_app>(); }

}  // namespace skua::apps
