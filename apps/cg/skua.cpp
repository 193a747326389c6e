// SPDX-License-Identifier: MIT
// The app cg.
#include <algorithm>
#include <array>
#include <cstdio>

#include "apps/cg/problem.hpp"
#include "apps/loop_styles.hpp"
#include "apps/program_app.hpp"

namespace skua::apps {
namespace {

constexpr auto class_names = [] {
  std::array<std::string_view, cg::classes.size()> names;
  std::ranges::transform(cg::classes, names.begin(), &cg::nas_class::name);
  return names;
}();

class cg_app final : public program_app<cg_app> {
 public:
  cg_app() : program_app("cg", "conjugate gradients on a sparse matrix, NAS benchmark CG (NUMA-WS 2018)") {}

  template <fork_join Here>
  void program(Here& here, std::uint32_t places) {
    cg::program(here, problem_, {.first = 0, .count = places});
  }
  void openmp_run(unsigned workers) { cg::with_openmp(workers, problem_, twins_.openmp()); }
  void tbb_run(tbb_workers& threads, unsigned workers) { cg::with_tbb(threads, workers, problem_, twins_.tbb()); }
  [[nodiscard]] loop_styles* styles() override { return &twins_; }
  [[nodiscard]] std::vector<owned_array> owned(std::uint32_t places) override {
    return problem_.owned({.first = 0, .count = places});
  }

 private:
  void build() override {
    twins_.as_asked();
    problem_ = cg::problem(cg::classes[class_], leaf_rows_);
  }
  [[nodiscard]] std::string too_large() const override {
    return "the matrix of class " + class_.word() + ": choose a smaller one";
  }
  void restore() override { problem_.reset(); }
  [[nodiscard]] std::string check() override { return problem_.wrong(); }
  void add_facts(json_value& all) const override {
    all["n"] = problem_.of().rows;
    all["nonzeros"] = problem_.nonzeros_of_all();
    all["iterations"] = problem_.of().iterations;
    twins_.add_to(all);
    if (auto const& found = problem_.found()) {
      char zeta[32];  // as NAS prints it: 13 decimals
      std::snprintf(zeta, sizeof zeta, "%.13f", found->zeta);
      all["zeta"] = zeta;
      all["residual"] = found->residual;
      all["verification"] = problem_.wrong().empty() ? "VERIFICATION SUCCESSFUL" : "VERIFICATION FAILED";
    }
  }

  choice_option<std::size_t> class_{*this, "--class", "A", class_names, "problem class of NAS: S, W, A, B or C"};
  number_option<std::size_t> leaf_rows_{*this, "--leaf-rows", 64, between(1, 1'000'000),
                                        "rows of the matrix in a leaf"};
  loop_styles twins_{*this};
  cg::problem problem_;
};

}  // namespace

std::unique_ptr<app> make_cg() { return std::make_unique<cg_app>(); }

}  // namespace skua::apps
