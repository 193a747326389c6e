// SPDX-License-Identifier: MIT
// The app fib.
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
  [[nodiscard]] std::vector<option> options() override {
    return {
        {"--n", &n_, between(1, fib::most_n), "which Fibonacci number, 1 to 93"},
        {"--hints", &hints_, one_of(fib::said_words),
         "hints for the children: none, work (2 to 1) or place (all at place 0)"},
    };
  }
  void prepare() override {
    require_allowed(name(), options());
    said_ = meaning_of<fib::said>(hints_, fib::said_words);
  }
  void reset() override { result_.reset(); }

  void run_openmp(unsigned workers) override { result_ = fib::with_openmp(workers, n()); }
  void run_tbb(unsigned workers) override { result_ = fib::with_tbb(tbb_workers_, workers, n()); }

  [[nodiscard]] std::string wrong() override { return differs("fib", result_, fib::answer(n())); }
  [[nodiscard]] json_value facts() const override {
    return {{"n", n_}, {"result", result_ ? json_value(*result_) : json_value()}};
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
