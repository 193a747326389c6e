// SPDX-License-Identifier: MIT
// The app nqueens.
#include "apps/nqueens/problem.hpp"
#include "apps/program_app.hpp"

namespace skua::apps {
namespace {

class nqueens_app final : public program_app<nqueens_app> {
 public:
  nqueens_app()
      : program_app("nqueens",
                    "all placements of n queens; every queen is a task with a board of its own (Cilk 1998)") {}

  template <fork_join Here>
  void program(Here& here) {
    solutions_ = nqueens::program(here, nqueens::board{.n = n_});
  }
  void openmp_run(unsigned workers) { solutions_ = nqueens::with_openmp(workers, n_); }
  void tbb_run(tbb_workers& threads, unsigned workers) { solutions_ = nqueens::with_tbb(threads, workers, n_); }

 private:
  void build() override {}
  void restore() override {}
  [[nodiscard]] std::string check() override {
    return differs("nqueens", solutions_, nqueens::answers[static_cast<std::size_t>(n_ - 1)]);
  }
  void add_facts(json_value& all) const override { all["solutions"] = solutions_; }

  number_option<int> n_{*this, "--n", 13, between(1, nqueens::most_n),
                        "number of queens and side of the board, 1 to 18"};
  std::uint64_t solutions_ = 0;
};

}  // namespace

std::unique_ptr<app> make_nqueens() { return std::make_unique<nqueens_app>(); }

}  // namespace skua::apps
