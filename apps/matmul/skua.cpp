// SPDX-License-Identifier: MIT
// The app matmul.
#include "skua/skua.hpp"

#include <CLI/CLI.hpp>
#include <limits>
#include <optional>

#include "apps/app.hpp"
#include "apps/checks.hpp"
#include "apps/matmul/problem.hpp"
#include "skua/program/serial.hpp"

namespace skua::apps {
namespace {

constexpr std::int64_t most_side = 32768;

class matmul_app final : public app {
 public:
  [[nodiscard]] std::string_view name() const override { return "matmul"; }
  [[nodiscard]] std::string_view about() const override {
    return "matrix product in single precision by divide and conquer, two groups of four (ADWS 2019, NUMA-WS 2018)";
  }
  void options(CLI::App& command) override {
    command.add_option("--n", n_, "columns of C, and its rows and the length of the sums if not given")
        ->capture_default_str();
    command.add_option("--m", m_, "rows of C");
    command.add_option("--k", k_, "columns of A = rows of B");
    command.add_option("--leaf", leaf_, "longest side of a block that is not divided")->capture_default_str();
    command.add_option("--seed", seed_, "of the matrices")->capture_default_str();
  }
  void prepare() override {
    require_between("matmul: --n", n_, 1, most_side);
    require_between("matmul: --m", m_.value_or(n_), 1, most_side);
    require_between("matmul: --k", k_.value_or(n_), 1, most_side);
    require_between("matmul: --leaf", leaf_, matmul::least_side, most_side);
    require_between("matmul: --seed", seed_, 0, std::numeric_limits<std::int64_t>::max());
    auto const chosen = matmul::leaves().back();
    kernel_ = chosen.name;
    end_ = {.side = static_cast<std::size_t>(leaf_), .leaf = chosen.function};
    problem_ = matmul::problem({.m = static_cast<std::size_t>(m_.value_or(n_)),
                                .n = static_cast<std::size_t>(n_),
                                .k = static_cast<std::size_t>(k_.value_or(n_))},
                               static_cast<std::uint64_t>(seed_));
  }
  void reset() override {
    problem_.reset();
    ran_ = false;
  }

  void run_skua(pool& workers) override {
    workers.run([this](auto& here) { matmul::program(here, problem_.whole(), end_); });
    ran_ = true;
  }
  void run_serial() override {
    serial here;
    matmul::program(here, problem_.whole(), end_);
    ran_ = true;
  }
  void run_openmp(unsigned workers) override {
    matmul::with_openmp(workers, problem_.whole(), end_);
    ran_ = true;
  }
  void run_tbb(unsigned workers) override {
    matmul::with_tbb(tbb_workers_, workers, problem_.whole(), end_);
    ran_ = true;
  }

  [[nodiscard]] std::string wrong() override { return ran_ ? problem_.wrong() : "matmul: no run yet"; }
  [[nodiscard]] nlohmann::json facts() const override {
    return {{"m", m_.value_or(n_)},
            {"n", n_},
            {"k", k_.value_or(n_)},
            {"flops", 2.0 * static_cast<double>(m_.value_or(n_)) * static_cast<double>(n_) * static_cast<double>(k_.value_or(n_))},
            {"leaf", leaf_},
            {"kernel", kernel_},
            {"checked_with", problem_.knows_product() ? "OpenBLAS" : "random vectors"}};
  }

 private:
  std::int64_t n_ = 1024;
  std::optional<std::int64_t> m_;
  std::optional<std::int64_t> k_;
  std::int64_t leaf_ = 128;
  std::int64_t seed_ = 1;
  std::string_view kernel_;
  matmul::cutoff end_;
  matmul::problem problem_;
  bool ran_ = false;
  tbb_workers tbb_workers_;
};

}  // namespace

std::unique_ptr<app> make_matmul() { return std::make_unique<matmul_app>(); }

}  // namespace skua::apps
