// SPDX-License-Identifier: MIT
// The app matmul-dag.
#include "apps/matmul_dag/problem.hpp"
#include "apps/program_app.hpp"

namespace skua::apps {
namespace {

class matmul_dag_app final : public problem_app<matmul_dag_app, matmul_dag::problem> {
 public:
  matmul_dag_app()
      : problem_app("matmul-dag",
                    "recursive matrix product as a task graph, with tasks that add the parts (ARMS 2021)") {}

 private:
  void build() override {
    std::size_t const n = n_;
    std::size_t const side = (leaf_ + matmul::column_group - 1) / matmul::column_group * matmul::column_group;
    require_between("matmul-dag: the blocks in a row", (n + side - 1) / side, 1, 128);
    if (form_ == matmul_dag::form::temporaries) {
      require_between("matmul-dag: the temporary matrices in GiB",
                      matmul_dag::problem::temporary_bytes(n, side) / 0x1p30, 0, 16);
    }
    problem_.emplace(matmul::input{.size = {.m = n, .n = n, .k = n}, .side = side, .seed = seed_}, form_);
  }
  void add_facts(json_value& all) const override {
    double const n = n_;
    all["flops"] = 2 * n * n * n;
  }

  number_option<std::uint32_t> n_{*this, "--n", 1024, between(1, 16384), "rows and columns"};
  number_option<std::size_t> leaf_{*this, "--leaf", 128, between(32, 4096),
                                   "rows and columns of a block, rounded up to a multiple of 32"};
  choice_option<matmul_dag::form> form_{*this,
                                        "--form",
                                        "temporaries",
                                        {"temporaries", "in-place"},
                                        "temporaries, or in-place: which products of a level wait for others"};
  seed_option seed_{*this, "of the matrices"};
};

}  // namespace

std::unique_ptr<app> make_matmul_dag() { return std::make_unique<matmul_dag_app>(); }

}  // namespace skua::apps
