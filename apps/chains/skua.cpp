// SPDX-License-Identifier: MIT
// The app chains.
#include "apps/chains/problem.hpp"
#include "apps/program_app.hpp"

namespace skua::apps {
namespace {

class chains_app final : public problem_app<chains_app, chains::problem> {
 public:
  chains_app()
      : problem_app("chains", "chains of matrix products or triads: a task graph of a given parallelism (ARMS 2021)") {}

 private:
  void build() override {
    problem_.emplace(
        chains::shape{.parallelism = parallelism_, .tasks = tasks_, .runs = kernel_, .size = size(), .seed = seed_});
  }
  void add_facts(json_value& all) const override {
    all["size"] = size();
    add_partitions(all, problem_->partitions());
  }
  [[nodiscard]] std::size_t size() const { return size_.value_or(kernel_ == chains::kernel::triad ? 512 : 128); }

  number_option<std::uint32_t> parallelism_{*this, "--parallelism", 8, between(1, 1'000'000), "number of chains"};
  number_option<std::uint64_t> tasks_{*this, "--tasks", 2000, between(1, 100'000'000),
                                      "tasks of all chains; the paper has 50000"};
  choice_option<chains::kernel> kernel_{
      *this, "--kernel", "matmul", {"matmul", "triad", "mixed"}, "matmul, triad, or mixed: both by turns"};
  maybe_option<std::size_t> size_{*this, "--size", between(1, 4096),
                                  "rows and columns of a task's matrices (default: 128; for triad 512)"};
  seed_option seed_{*this, "of the matrices"};
};

}  // namespace

std::unique_ptr<app> make_chains() { return std::make_unique<chains_app>(); }

}  // namespace skua::apps
