// SPDX-License-Identifier: MIT
// The app cg.
#include <cstdio>
#include <new>

#include "apps/cg/problem.hpp"
#include "apps/checks.hpp"
#include "apps/loop_styles.hpp"
#include "apps/program_app.hpp"

namespace skua::apps {
namespace {

constexpr std::int64_t most_leaf_rows = 1'000'000;
constexpr auto class_names = [] {
  std::array<std::string_view, cg::classes.size()> names;
  std::ranges::transform(cg::classes, names.begin(), &cg::nas_class::name);
  return names;
}();

class cg_app final : public program_app<cg_app>, public openmp_twin, public tbb_twin {
 public:
  [[nodiscard]] std::string_view name() const override { return "cg"; }
  [[nodiscard]] std::string_view about() const override {
    return "conjugate gradients on a sparse matrix, NAS benchmark CG (NUMA-WS 2018)";
  }
  [[nodiscard]] std::vector<option> options() override {
    std::vector<option> all{
        {"--class", &class_, one_of(class_names), "problem class of NAS: S, W, A, B or C"},
        {"--leaf-rows", &leaf_rows_, between(1, most_leaf_rows), "rows of the matrix in a leaf"},
    };
    twins_.add_to(all);
    return all;
  }

  void prepare() override {
    require_allowed(name(), options());
    cg::nas_class const& chosen = cg::classes[meaning_of<std::size_t>(class_, class_names)];
    twins_.as_asked();
    try {
      problem_ = cg::problem(chosen, static_cast<std::size_t>(leaf_rows_));
    } catch (std::bad_alloc const&) {
      throw resource_error("cg: no memory for the matrix of class " + class_ + ": choose a smaller one");
    }
  }
  void reset() override { problem_.reset(); }
  [[nodiscard]] std::vector<owned_array> owned(std::uint32_t places) override {
    return problem_.owned({.first = 0, .count = places});
  }

  [[nodiscard]] loop_styles* styles() override { return &twins_; }
  void run_openmp(unsigned workers) override { cg::with_openmp(workers, problem_, twins_.openmp()); }
  void run_tbb(unsigned workers) override { cg::with_tbb(tbb_workers_, workers, problem_, twins_.tbb()); }

  [[nodiscard]] std::string wrong() override { return problem_.wrong(); }
  [[nodiscard]] json_value facts() const override {
    json_value all{{"class", class_},
                   {"n", problem_.of().rows},
                   {"nonzeros", problem_.nonzeros_of_all()},
                   {"iterations", problem_.of().iterations},
                   {"leaf_rows", leaf_rows_}};
    twins_.add_to(all);
    if (auto const& found = problem_.found()) {
      char zeta[32];  // as NAS prints it: 13 decimals
      std::snprintf(zeta, sizeof zeta, "%.13f", found->zeta);
      all["zeta"] = zeta;
      all["residual"] = found->residual;
      all["verification"] = problem_.wrong().empty() ? "VERIFICATION SUCCESSFUL" : "VERIFICATION FAILED";
    }
    return all;
  }

  template <fork_join Here>
  void program(Here& here, std::uint32_t places) {
    cg::program(here, problem_, {.first = 0, .count = places});
  }

 private:
  std::string class_ = "A";
  std::int64_t leaf_rows_ = 64;
  loop_styles twins_;

  cg::problem problem_;
  tbb_workers tbb_workers_;
};

}  // namespace

std::unique_ptr<app> make_cg() { return std::make_unique<cg_app>(); }

}  // namespace skua::apps
