// SPDX-License-Identifier: MIT
// The app fib.
#include <CLI/CLI.hpp>
#include <optional>

#include "apps/checks.hpp"
#include "apps/fib/problem.hpp"
#include "apps/program_app.hpp"

namespace skua::apps {
namespace {

class fib_app final : public program_app<fib_app>, public openmp_twin, public tbb_twin {
 public:
  [[nodiscard]] std::string_view name() const override { return "fib"; }
  [[nodiscard]] std::string_view about() const override {
    return "Fibonacci numbers without cut-off: the cost of fork and join itself (Cilk 1998)";
  }
  void options(CLI::App& command) override {
    command.add_option("--n", n_, "which Fibonacci number, 1 to 93")->capture_default_str();
    command.add_option("--hints", hints_, "hints for the children: none, work (2 to 1) or place (all at place 0)")
        ->capture_default_str();
  }
  void prepare() override {
    require_between("fib: --n", n_, 1, fib::most_n);
    said_ = static_cast<fib::said>(require_one_of("fib: --hints", fib::said_words, hints_));
  }
  void reset() override { result_.reset(); }

  void run_openmp(unsigned workers) override { result_ = fib::with_openmp(workers, n()); }
  void run_tbb(unsigned workers) override { result_ = fib::with_tbb(tbb_workers_, workers, n()); }

  [[nodiscard]] std::string wrong() override { return differs("fib", result_, fib::answer(n())); }
  [[nodiscard]] nlohmann::json facts() const override {
    return {{"n", n_}, {"result", result_ ? nlohmann::json(*result_) : nlohmann::json()}};
  }

  template <fork_join Here>
  void program(Here& here, std::uint32_t) {
    result_ = fib::program(here, n(), said_);
  }

 private:
  [[nodiscard]] int n() const noexcept { return static_cast<int>(n_); }

  std::int64_t n_ = 36;
  std::string hints_ = "none";
  fib::said said_ = fib::said::nothing;
  std::optional<std::uint64_t> result_;
  tbb_workers tbb_workers_;
};

}  // namespace

std::unique_ptr<app> make_fib() { return std::make_unique<fib_app>(); }

}  // namespace skua::apps
