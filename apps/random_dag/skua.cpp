// SPDX-License-Identifier: MIT
// The app random-dag.
#include "apps/program_app.hpp"
#include "apps/random_dag/problem.hpp"

namespace skua::apps {
namespace {

class random_dag_app final : public problem_app<random_dag_app, random_dag::problem> {
 public:
  random_dag_app()
      : problem_app("random-dag",
                    "a random graph of tasks in layers, each of which hashes its predecessors' values; may grow while "
                    "it runs") {}

 private:
  void build() override {
    require_between("random-dag: the number of nodes", std::int64_t{layers_} * width_, 1, 10'000'000);
    problem_.emplace(random_dag::shape{
        .layers = layers_, .width = width_, .edges = edges_, .rounds = rounds_, .growing = growing_, .seed = seed_});
  }

  number_option<std::uint32_t> layers_{*this, "--layers", 200, between(1, 10'000'000), "number of layers"};
  number_option<std::uint32_t> width_{*this, "--width", 100, between(1, 10'000'000), "nodes in a layer"};
  number_option<std::uint32_t> edges_{*this, "--edges", 4, between(1, 1000), "most predecessors of a node"};
  number_option<std::uint32_t> rounds_{*this, "--rounds", 200, between(1, 1'000'000'000),
                                       "of hashing per node, some 5 ns each"};
  seed_option seed_{*this, "of the graph"};
  flag_option growing_{*this, "--growing", "three quarters of the nodes add one to three nodes while they run"};
};

}  // namespace

std::unique_ptr<app> make_random_dag() { return std::make_unique<random_dag_app>(); }

}  // namespace skua::apps
