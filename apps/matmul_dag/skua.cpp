// SPDX-License-Identifier: MIT
// The app matmul-dag.
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "apps/checks.hpp"
#include "apps/flow_app.hpp"
#include "apps/flow_apps.hpp"
#include "apps/matmul_dag/problem.hpp"

namespace skua::apps {
namespace {

constexpr std::array<std::string_view, 2> forms{"temporaries", "in-place"};

class matmul_dag_app final : public flow_app<matmul_dag_app>, public openmp_twin {
 public:
  [[nodiscard]] std::string_view name() const override { return "matmul-dag"; }
  [[nodiscard]] std::string_view about() const override {
    return "recursive matrix product as a task graph, with tasks that add the parts (ARMS 2021)";
  }
  [[nodiscard]] std::vector<option> options() override {
    return {
        {"--n", &n_, between(1, 16384), "rows and columns"},
        {"--leaf", &leaf_, between(32, 4096), "rows and columns of a block, rounded up to a multiple of 32"},
        {"--form", &form_, one_of(forms), "temporaries, or in-place: which products of a level wait for others"},
        {"--seed", &seed_, between(0, 1'000'000'000'000), "of the matrices"},
    };
  }
  void prepare() override {
    require_allowed(name(), options());
    auto const how = meaning_of<matmul_dag::form>(form_, forms);
    constexpr auto group = static_cast<std::int64_t>(matmul::column_group);
    auto const side = static_cast<std::size_t>((leaf_ + group - 1) / group * group);
    auto const n = static_cast<std::size_t>(n_);
    require_between("matmul-dag: the blocks in a row", static_cast<std::int64_t>((n + side - 1) / side), 1, 128);
    if (how == matmul_dag::form::temporaries) {
      require_between("matmul-dag: the temporary matrices in GiB",
                      matmul_dag::problem::temporary_bytes(n, side) / 0x1p30, 0, 16);
    }
    problem_ = matmul_dag::problem(
        {.size = {.m = n, .n = n, .k = n}, .side = side, .seed = static_cast<std::uint64_t>(seed_)}, how);
    reset();
  }
  void reset() override {
    problem_.reset();
    ran_ = false;
  }

  void run_alone() {
    matmul_dag::run_alone(problem_);
    ran_ = true;
  }
  void run_openmp(unsigned workers) override {
    matmul_dag::with_openmp(workers, problem_);
    ran_ = true;
  }
  template <class Here>
  void program(Here& here) {
    matmul_dag::program(here, problem_);
    ran_ = true;
  }

  [[nodiscard]] std::string wrong() override { return ran_ ? problem_.wrong() : "matmul-dag: no run yet"; }
  [[nodiscard]] json_value facts() const override {
    double const n = static_cast<double>(n_);
    return {{"n", n_}, {"leaf", leaf_}, {"form", form_}, {"flops", 2 * n * n * n}};
  }

 private:
  std::int64_t n_ = 1024;
  std::int64_t leaf_ = 128;
  std::string form_ = "temporaries";
  std::int64_t seed_ = 1;
  matmul_dag::problem problem_;
  bool ran_ = false;
};

}  // namespace

std::unique_ptr<app> make_matmul_dag() { return std::make_unique<matmul_dag_app>(); }

}  // namespace skua::apps
