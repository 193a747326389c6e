// SPDX-License-Identifier: MIT
// The app qr.
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <string_view>

#include "apps/checks.hpp"
#include "apps/flow_app.hpp"
#include "apps/flow_apps.hpp"
#include "apps/qr/problem.hpp"

namespace skua::apps {
namespace {

class qr_app final : public flow_app<qr_app>, public openmp_twin {
 public:
  [[nodiscard]] std::string_view name() const override { return "qr"; }
  [[nodiscard]] std::string_view about() const override {
    return "QR factorisation in tiles, by OpenBLAS, as a task graph";
  }
  [[nodiscard]] std::vector<option> options() override {
    return {
        {"--n", &n_, between(1, 65536), "rows and columns of the matrix"},
        {"--tile", &tile_, between(1, 4096), "rows of a tile"},
        {"--seed", &seed_, between(0, 1'000'000'000'000), "of the matrix"},
    };
  }
  void prepare() override {
    require_allowed(name(), options());
    require_between("qr: the tiles in a row", (n_ + tile_ - 1) / tile_, 1, 256);
    try {
      problem_ = std::make_unique<qr::problem>(qr::shape{.n = static_cast<std::size_t>(n_),
                                                         .tile = static_cast<std::size_t>(tile_),
                                                         .seed = static_cast<std::uint64_t>(seed_)});
    } catch (std::bad_alloc const&) {
      throw resource_error("qr: no memory for the matrix; a smaller --n may fit");
    }
    reset();
  }
  void reset() override {
    problem_->reset();
    ran_ = false;
  }

  void run_alone() {
    qr::run_alone(*problem_);
    ran_ = true;
  }
  void run_openmp(unsigned workers) override {
    qr::with_openmp(workers, *problem_);
    ran_ = true;
  }
  template <class Here>
  void program(Here& here) {
    qr::program(here, *problem_);
    ran_ = true;
  }

  [[nodiscard]] std::string wrong() override { return ran_ ? problem_->wrong() : "qr: no run yet"; }
  [[nodiscard]] json_value facts() const override {
    double const n = static_cast<double>(n_);
    return {{"n", n_}, {"tile", tile_}, {"flops", 4 * n * n * n / 3}};
  }

 private:
  std::int64_t n_ = 2048;
  std::int64_t tile_ = 256;
  std::int64_t seed_ = 1;
  bool ran_ = false;
  std::unique_ptr<qr::problem> problem_;
};

}  // namespace

std::unique_ptr<app> make_qr() { return std::make_unique<qr_app>(); }

}  // namespace skua::apps
