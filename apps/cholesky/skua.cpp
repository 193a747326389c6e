// SPDX-License-Identifier: MIT
// The app cholesky.
#include <cstdint>
#include <fstream>
#include <memory>
#include <new>
#include <string>
#include <string_view>

#include "apps/checks.hpp"
#include "apps/cholesky/problem.hpp"
#include "apps/flow_app.hpp"
#include "apps/flow_apps.hpp"

namespace skua::apps {
namespace {

class cholesky_app final : public flow_app<cholesky_app>, public openmp_twin {
 public:
  [[nodiscard]] std::string_view name() const override { return "cholesky"; }
  [[nodiscard]] std::string_view about() const override {
    return "Cholesky factorisation in tiles, by OpenBLAS, as a task graph";
  }
  [[nodiscard]] std::vector<option> options() override {
    return {
        {"--n", &n_, between(1, 65536), "rows of the matrix"},
        {"--tile", &tile_, between(1, 4096), "rows of a tile"},
        {"--seed", &seed_, between(0, 1'000'000'000'000), "of the matrix"},
        {"--dot", &dot_, "write the graph to this file, for Graphviz"},
    };
  }
  void prepare() override {
    require_allowed(name(), options());
    require_between("cholesky: the tiles in a column", (n_ + tile_ - 1) / tile_, 1, 512);
    try {
      problem_ = std::make_unique<cholesky::problem>(cholesky::shape{.n = static_cast<std::size_t>(n_),
                                                                     .tile = static_cast<std::size_t>(tile_),
                                                                     .seed = static_cast<std::uint64_t>(seed_)});
    } catch (std::bad_alloc const&) {
      throw resource_error("cholesky: no memory for the matrix; a smaller --n may fit");
    }
    if (!dot_.empty()) write_graph();
    reset();
  }
  void reset() override {
    problem_->reset();
    ran_ = false;
  }

  void run_alone() {
    cholesky::run_alone(*problem_);
    ran_ = true;
  }
  void run_openmp(unsigned workers) override {
    cholesky::with_openmp(workers, *problem_);
    ran_ = true;
  }
  template <class Here>
  void program(Here& here) {
    cholesky::program(here, *problem_);
    ran_ = true;
  }

  [[nodiscard]] std::string wrong() override { return ran_ ? problem_->wrong() : "cholesky: no run yet"; }
  [[nodiscard]] json_value facts() const override {
    double const n = static_cast<double>(n_);
    return {{"n", n_}, {"tile", tile_}, {"flops", n * n * n / 3}};
  }

 private:
  void write_graph() {
    std::ofstream to(dot_);
    to << cholesky::to_dot(*problem_);
    to.close();
    if (!to) throw usage_error("cholesky: --dot is '" + dot_ + "', which cannot be written; allowed: a file");
  }

  std::int64_t n_ = 4096;
  std::int64_t tile_ = 256;
  std::int64_t seed_ = 1;
  std::string dot_;
  std::unique_ptr<cholesky::problem> problem_;
  bool ran_ = false;
};

}  // namespace

std::unique_ptr<app> make_cholesky() { return std::make_unique<cholesky_app>(); }

}  // namespace skua::apps
