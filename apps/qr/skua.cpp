// SPDX-License-Identifier: MIT
// The app qr.
#include "apps/program_app.hpp"
#include "apps/qr/problem.hpp"

namespace skua::apps {
namespace {

class qr_app final : public problem_app<qr_app, qr::problem> {
 public:
  qr_app() : problem_app("qr", "QR factorisation in tiles, by OpenBLAS, as a task graph") {}

 private:
  void build() override {
    qr::shape const shape{.n = n_, .tile = tile_, .seed = seed_};
    require_between("qr: the tiles in a row", shape.tiles(), 1, 256);
    problem_.emplace(shape);
  }
  [[nodiscard]] std::string too_large() const override { return "the matrix; a smaller --n may fit"; }
  void add_facts(json_value& all) const override {
    double const n = n_;
    all["flops"] = 4 * n * n * n / 3;
  }

  number_option<std::uint32_t> n_{*this, "--n", 2048, between(1, 65536), "rows and columns of the matrix"};
  number_option<std::uint32_t> tile_{*this, "--tile", 256, between(1, 4096), "rows of a tile"};
  seed_option seed_{*this, "of the matrix"};
};

}  // namespace

std::unique_ptr<app> make_qr() { return std::make_unique<qr_app>(); }

}  // namespace skua::apps
