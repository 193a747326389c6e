// SPDX-License-Identifier: MIT
// The app cg.
#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "apps/cg/matrix_market.hpp"
#include "apps/cg/problem.hpp"
#include "apps/loop_styles.hpp"
#include "apps/program_app.hpp"
#include "apps/text_reader.hpp"
#include "skua/parts/base/printable.hpp"
#include "skua/parts/base/whole_file.hpp"

namespace skua::apps {
namespace {

constexpr auto class_names = [] {
  std::array<std::string_view, cg::classes.size()> names;
  std::ranges::transform(cg::classes, names.begin(), &cg::nas_class::name);
  return names;
}();

class cg_app final : public program_app<cg_app> {
 public:
  cg_app()
      : program_app("cg",
                    "conjugate gradients on a sparse matrix, NAS benchmark CG (NUMA-WS 2018), or on one from a file") {
    has_no_effect({"--class"}, "--matrix", "the file has its own matrix");
  }

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
    residuals_written_ = solution_written_ = false;
    are_facts({"--class"}, matrix_file_.empty());
    if (!matrix_file_.empty()) return build_system();
    refuse_without_matrix("--rhs", !rhs_file_.empty());
    refuse_without_matrix("--output", !output_.empty());
    refuse_without_matrix("--residuals", !residuals_.empty());
    refuse_without_matrix("--tolerance", bool{tolerance_});
    refuse_without_matrix("--iterations", bool{iterations_});
    form_.clear();
    problem_ = cg::problem(cg::classes[class_], leaf_rows_);
  }
  static void refuse_without_matrix(std::string_view option, bool given) {
    if (!given) return;
    throw usage_error("cg: " + std::string(option) +
                      " is given without --matrix; allowed: with it, because NAS's benchmark has its own");
  }
  void build_system() {
    require_writable("--output", output_);
    require_writable("--residuals", residuals_);
    if (!output_.empty() && output_.text() == residuals_.text())
      throw usage_error("cg: --output and --residuals name the same file; allowed: two files");
    cg::symmetric_matrix read = read_for("--matrix", [&] {
      text_reader in(matrix_file_.text());
      return cg::read_matrix(in);
    });
    std::vector<double> b = rhs_file_.empty() ? cg::sums_of_rows(read.a) : read_for("--rhs", [&] {
      text_reader in(rhs_file_.text());
      return cg::read_vector(in, read.a.rows());
    });
    form_ = std::move(read.form);
    problem_ = cg::problem(std::move(read.a), std::move(b),
                           {.tolerance = tolerance(), .most_iterations = most_iterations()}, leaf_rows_);
    require_solvable(problem_.right());
  }
  void require_solvable(cg::estimate const& right) const {
    std::string const where = "cg: --matrix " + runtime::printable(matrix_file_) + ": ";
    std::string const when = " in iteration " + std::to_string(right.iterations() + 1);
    if (right.end == cg::ending::out_of_range)
      throw usage_error(where + "the numbers leave the range of double" + when);
    if (right.end != cg::ending::not_positive) return;
    char product[40];
    std::snprintf(product, sizeof product, "%.3g", right.curvature);
    throw usage_error(where + "it is not positive definite: the direction p" + when + " has p.(A p) = " + product);
  }
  [[nodiscard]] double tolerance() const { return tolerance_.value_or(cg::stop_rule{}.tolerance); }
  [[nodiscard]] std::uint32_t most_iterations() const { return iterations_.value_or(cg::stop_rule{}.most_iterations); }
  [[nodiscard]] std::string too_large() const override {
    return matrix_file_.empty() ? "the matrix of class " + class_.word() + ": choose a smaller one"
                                : "the matrix (40 bytes for each element) and its vectors";
  }
  void restore() override { problem_.reset(); }
  /// Also writes the files, once: the residuals of any run, and a solution that is right.
  [[nodiscard]] std::string check() override {
    std::string found = problem_.wrong();
    if (!residuals_.empty() && !std::exchange(residuals_written_, true))
      runtime::write_whole_file(residuals_.text(), cg::text_of_residuals(problem_.found()->residuals));
    if (found.empty() && !output_.empty() && !std::exchange(solution_written_, true))
      runtime::write_whole_file(output_.text(), cg::text_of_vector(problem_.solution()));
    return found;
  }
  void add_facts(json_value& all) const override {
    if (problem_.until()) return add_facts_of_system(all);
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

  void add_facts_of_system(json_value& all) const {
    all["n"] = problem_.solution().size();
    all["nonzeros"] = problem_.nonzeros_of_all();
    all["form"] = form_.starts_with("pattern") ? form_ + ": Laplacian + identity" : form_;
    all["tolerance"] = tolerance();
    twins_.add_to(all);
    auto const& found = problem_.found();
    if (!found) return;
    all["iterations"] = found->iterations();
    all["converged"] = found->end == cg::ending::converged;
    all["relative_residual"] = found->residual;
  }

  choice_option<std::size_t> class_{*this, "--class", "A", class_names, "problem class of NAS: S, W, A, B or C"};
  number_option<std::size_t> leaf_rows_{*this, "--leaf-rows", 64, between(1, 1'000'000),
                                        "rows of the matrix in a leaf"};
  text_option matrix_file_{
      *this, "--matrix", "",
      "solve one system: a Matrix Market file, coordinate, symmetric positive definite; also as gzip"};
  text_option rhs_file_{*this, "--rhs", "",
                        "right-hand side of --matrix, a Matrix Market vector; without it the matrix times ones"};
  text_option output_{*this, "--output", "", "write the solution to this file, as a Matrix Market array"};
  text_option residuals_{*this, "--residuals", "",
                         "write to this file a line ITERATION RESIDUAL for each, relative to the right-hand side"};
  maybe_option<double> tolerance_{
      *this, "--tolerance", between(1e-15, 1.),
      "of --matrix: the residual at the end, relative to the right-hand side; by default 1e-8"};
  maybe_option<std::uint32_t> iterations_{*this, "--iterations", between(1, 1'000'000'000),
                                          "of --matrix: at most; by default 10000"};
  loop_styles twins_{*this};
  std::string form_;  ///< of the matrix of a file
  bool residuals_written_ = false;
  bool solution_written_ = false;
  cg::problem problem_;
};

}  // namespace

std::unique_ptr<app> make_cg() { return std::make_unique<cg_app>(); }

}  // namespace skua::apps
