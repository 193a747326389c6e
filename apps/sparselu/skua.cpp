// SPDX-License-Identifier: MIT
// The app sparselu.
#include "apps/program_app.hpp"
#include "apps/sparselu/problem.hpp"

namespace skua::apps {
namespace {

class sparselu_app final : public flow_app<sparselu_app> {
 public:
  sparselu_app()
      : flow_app("sparselu", "LU factorisation of a sparse matrix of blocks, as a task graph (BOTS; ARMS 2021)") {}

  template <class Here>
  void program(Here& here) {
    sparselu::program(here, matrix_);
  }
  void run_alone() { sparselu::run_alone(matrix_); }
  void openmp_run(unsigned workers) { sparselu::with_openmp(workers, matrix_); }

 private:
  void build() override {
    require_between("sparselu: --blocks times --size", blocks_ * size_, 1, 65536);
    input_ = sparselu::generated(blocks_, size_, seed_);
    matrix_.copy(input_);
  }
  [[nodiscard]] std::string too_large() const override { return "the matrix; a smaller --blocks or --size may fit"; }
  void restore() override { matrix_.copy(input_); }
  [[nodiscard]] std::string check() override { return sparselu::wrong(matrix_, input_); }
  void add_facts(json_value& all) const override {
    all["filled_before"] = input_.filled();
    all["filled"] = matrix_.filled();
  }

  number_option<std::size_t> blocks_{*this, "--blocks", 64, between(1, 1024), "blocks in a row"};
  number_option<std::size_t> size_{*this, "--size", 32, between(1, sparselu::most_size), "rows of a block"};
  seed_option seed_{*this, "of the elements"};
  sparselu::block_matrix input_;
  sparselu::block_matrix matrix_;
};

}  // namespace

std::unique_ptr<app> make_sparselu() { return std::make_unique<sparselu_app>(); }

}  // namespace skua::apps
