// SPDX-License-Identifier: MIT
// The app random-dag.
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "apps/checks.hpp"
#include "apps/flow_app.hpp"
#include "apps/flow_apps.hpp"
#include "apps/random_dag/problem.hpp"

namespace skua::apps {
namespace {

class random_dag_app final : public flow_app<random_dag_app> {
 public:
  [[nodiscard]] std::string_view name() const override { return "random-dag"; }
  [[nodiscard]] std::string_view about() const override {
    return "a random graph of tasks in layers, each of which hashes its predecessors' values; may grow while it runs";
  }
  [[nodiscard]] std::vector<option> options() override {
    return {
        {"--layers", &layers_, between(1, 10'000'000), "number of layers"},
        {"--width", &width_, between(1, 10'000'000), "nodes in a layer"},
        {"--edges", &edges_, between(1, 1000), "most predecessors of a node"},
        {"--rounds", &rounds_, between(1, 1'000'000'000), "of hashing per node, some 5 ns each"},
        {"--seed", &seed_, between(0, 1'000'000'000'000), "of the graph"},
        {"--growing", &growing_, "three quarters of the nodes add one to three nodes while they run"},
    };
  }
  void prepare() override {
    require_allowed(name(), options());
    require_between("random-dag: the number of nodes", layers_ * width_, 1, 10'000'000);
    problem_ = std::make_unique<random_dag::problem>(random_dag::shape{.layers = static_cast<std::uint32_t>(layers_),
                                                                       .width = static_cast<std::uint32_t>(width_),
                                                                       .edges = static_cast<std::uint32_t>(edges_),
                                                                       .rounds = static_cast<std::uint32_t>(rounds_),
                                                                       .growing = growing_,
                                                                       .seed = static_cast<std::uint64_t>(seed_)});
    right_ = problem_->expected();
  }
  void reset() override { problem_->reset(); }

  void run_alone() { random_dag::run_alone(*problem_); }
  template <class Here>
  void program(Here& here) {
    random_dag::program(here, *problem_);
  }

  [[nodiscard]] std::string wrong() override { return problem_->wrong(right_); }
  [[nodiscard]] json_value facts() const override {
    return {{"layers", layers_}, {"width", width_}, {"edges", edges_}, {"rounds", rounds_}, {"growing", growing_}};
  }

 private:
  std::int64_t layers_ = 200;
  std::int64_t width_ = 100;
  std::int64_t edges_ = 4;
  std::int64_t rounds_ = 200;
  std::int64_t seed_ = 1;
  bool growing_ = false;
  std::unique_ptr<random_dag::problem> problem_;
  std::vector<random_dag::hash> right_;
};

}  // namespace

std::unique_ptr<app> make_random_dag() { return std::make_unique<random_dag_app>(); }

}  // namespace skua::apps
