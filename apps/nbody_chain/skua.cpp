// SPDX-License-Identifier: MIT
// The app nbody-chain.
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "apps/checks.hpp"
#include "apps/flow_app.hpp"
#include "apps/flow_apps.hpp"
#include "apps/nbody_chain/problem.hpp"

namespace skua::apps {
namespace {

constexpr std::array<std::string_view, 2> accesses{"local", "remote"};

class nbody_chain_app final : public flow_app<nbody_chain_app>, public openmp_twin {
 public:
  [[nodiscard]] std::string_view name() const override { return "nbody-chain"; }
  [[nodiscard]] std::string_view about() const override {
    return "a chain of direct N-body tasks that move two arrays of bodies by turns (ARMS 2021)";
  }
  [[nodiscard]] std::vector<option> options() override {
    return {
        {"--n", &n_, between(1, 10'000'000), "bodies in each array"},
        {"--iterations", &iterations_, between(1, 1'000'000'000), "of both tasks; the paper has 1000"},
        {"--access", &access_, one_of(accesses),
         "local: the tasks have one address; remote: their addresses are far apart"},
        {"--seed", &seed_, between(0, 1'000'000'000'000), "of the bodies"},
    };
  }
  void prepare() override {
    require_allowed(name(), options());
    bool const remote = meaning_of<bool>(access_, accesses);
    problem_ = nbody_chain::problem({.n = static_cast<std::size_t>(n_),
                                     .iterations = static_cast<std::uint64_t>(iterations_),
                                     .remote = remote,
                                     .seed = static_cast<std::uint64_t>(seed_)});
  }
  void reset() override { problem_.reset(); }

  void run_alone() { nbody_chain::run_alone(problem_); }
  void run_openmp(unsigned workers) override { nbody_chain::with_openmp(workers, problem_); }
  template <class Here>
  void program(Here& here) {
    nbody_chain::program(here, problem_);
  }

  [[nodiscard]] std::string wrong() override { return problem_.wrong(); }
  [[nodiscard]] json_value facts() const override {
    json_value widths = json_value::object();
    for (auto const& [width, tasks] : problem_.widths()) widths[std::to_string(width)] = tasks;
    return {{"n", n_},
            {"iterations", iterations_},
            {"access", access_},
            {"flops", 2 * static_cast<double>(iterations_) * problem_.operations()},
            {"widths", std::move(widths)}};
  }

 private:
  std::int64_t n_ = 1000;
  std::int64_t iterations_ = 100;
  std::string access_ = "local";
  std::int64_t seed_ = 1;
  nbody_chain::problem problem_;
};

}  // namespace

std::unique_ptr<app> make_nbody_chain() { return std::make_unique<nbody_chain_app>(); }

}  // namespace skua::apps
