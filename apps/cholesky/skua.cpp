// SPDX-License-Identifier: MIT
// The app cholesky.

#include "apps/cholesky/problem.hpp"
#include "apps/program_app.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/base/whole_file.hpp"

namespace skua::apps {
namespace {

class cholesky_app final : public problem_app<cholesky_app, cholesky::problem> {
 public:
  cholesky_app() : problem_app("cholesky", "Cholesky factorisation in tiles, by OpenBLAS, as a task graph") {}

 private:
  void build() override {
    cholesky::shape const shape{.n = n_, .tile = tile_, .seed = seed_};
    require_between("cholesky: the tiles in a column", shape.tiles(), 1, 512);
    problem_.emplace(shape);
    if (dot_.empty()) return;
    auto const fault = runtime::try_write_whole_file(dot_, cholesky::to_dot(*problem_));
    if (!fault) return;
    throw usage_error("cholesky: --dot is '" + dot_ + "', which cannot be written: " + fault.in_words() +
                      "; allowed: a file");
  }
  [[nodiscard]] std::string too_large() const override { return "the matrix; a smaller --n may fit"; }
  void add_facts(json_value& all) const override {
    double const n = n_;
    all["flops"] = n * n * n / 3;
  }

  number_option<std::uint32_t> n_{*this, "--n", 4096, between(1, 65536), "rows of the matrix"};
  number_option<std::uint32_t> tile_{*this, "--tile", 256, between(1, 4096), "rows of a tile"};
  seed_option seed_{*this, "of the matrix"};
  text_option dot_{*this, "--dot", "", "write the graph to this file, for Graphviz"};
};

}  // namespace

std::unique_ptr<app> make_cholesky() { return std::make_unique<cholesky_app>(); }

}  // namespace skua::apps
