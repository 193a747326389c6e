// SPDX-License-Identifier: MIT
// The app nqueens.
#include <optional>

#include "apps/checks.hpp"
#include "apps/nqueens/problem.hpp"
#include "apps/program_app.hpp"

namespace skua::apps {
namespace {

class nqueens_app final : public program_app<nqueens_app>, public openmp_twin, public tbb_twin {
 public:
  [[nodiscard]] std::string_view name() const override { return "nqueens"; }
  [[nodiscard]] std::string_view about() const override {
    return "all placements of n queens; every queen is a task with a board of its own (Cilk 1998)";
  }
  [[nodiscard]] std::vector<option> options() override {
    return {
        {"--n", &n_, between(1, nqueens::most_n), "number of queens and side of the board, 1 to 18"},
    };
  }
  void prepare() override { require_allowed(name(), options()); }
  void reset() override { result_.reset(); }

  void run_openmp(unsigned workers) override { result_ = nqueens::with_openmp(workers, n()); }
  void run_tbb(unsigned workers) override { result_ = nqueens::with_tbb(tbb_workers_, workers, n()); }

  [[nodiscard]] std::string wrong() override {
    return differs("nqueens", result_, nqueens::answers[static_cast<std::size_t>(n_ - 1)]);
  }
  [[nodiscard]] json_value facts() const override {
    return {{"n", n_}, {"solutions", result_ ? json_value(*result_) : json_value()}};
  }

  template <fork_join Here>
  void program(Here& here, std::uint32_t) {
    result_ = nqueens::program(here, nqueens::board{.n = n()});
  }

 private:
  [[nodiscard]] int n() const noexcept { return static_cast<int>(n_); }

  std::int64_t n_ = 13;
  std::optional<std::uint64_t> result_;
  tbb_workers tbb_workers_;
};

}  // namespace

std::unique_ptr<app> make_nqueens() { return std::make_unique<nqueens_app>(); }

}  // namespace skua::apps
