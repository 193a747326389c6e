// SPDX-License-Identifier: MIT
// The app fib.
#include "apps/fib/problem.hpp"
#include "apps/program_app.hpp"

namespace skua::apps {
namespace {

class fib_app final : public program_app<fib_app> {
 public:
  fib_app() : program_app("fib", "Fibonacci numbers without cut-off: the cost of fork and join itself (Cilk 1998)") {
    has_no_effect({"--hints"}, ways::peers, "only Skua's policies read hints");
  }

  template <fork_join Here>
  void program(Here& here) {
    result_ = fib::program(here, n_, said_);
  }
  void openmp_run(unsigned workers) { result_ = fib::with_openmp(workers, n_); }
  void tbb_run(tbb_workers& threads, unsigned workers) { result_ = fib::with_tbb(threads, workers, n_); }

 private:
  void build() override {}
  void restore() override {}
  [[nodiscard]] std::string check() override { return differs("fib", result_, fib::answer(n_)); }
  void add_facts(json_value& all) const override { all["result"] = result_; }

  number_option<int> n_{*this, "--n", 36, between(1, fib::most_n), "which Fibonacci number, 1 to 93"};
  choice_option<fib::said> said_{*this, "--hints", "none", fib::said_words,
                                 "hints for the children: none, work (2 to 1) or place (all at place 0)"};
  std::uint64_t result_ = 0;
};

}  // namespace

std::unique_ptr<app> make_fib() { return std::make_unique<fib_app>(); }

}  // namespace skua::apps
