// SPDX-License-Identifier: MIT
// The apps matmul and matmul-z: one program on two layouts.
#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "apps/matmul/problem.hpp"
#include "apps/program_app.hpp"

namespace skua::apps {
namespace {

template <class Problem>
class matmul_app final : public program_app<matmul_app<Problem>> {
 public:
  matmul_app(std::string_view name, std::string_view about, bool has_rows) : program_app<matmul_app>(name, about) {
    if (has_rows) {
      tight_.emplace(*this, "--tight", "leave no gap between rows, even if they are a multiple of 1 KiB apart");
    }
  }

  template <fork_join Here>
  void program(Here& here, std::uint32_t places) {
    matmul::program(here, problem_.whole(), leaf_function(), {.first = 0, .count = std::max(places, 1U)});
  }
  void openmp_run(unsigned workers) { matmul::with_openmp(workers, problem_.whole(), leaf_function()); }
  void tbb_run(tbb_workers& threads, unsigned workers) {
    matmul::with_tbb(threads, workers, problem_.whole(), leaf_function());
  }
  [[nodiscard]] std::vector<std::span<std::byte const>> unowned() override { return problem_.memory(); }

 private:
  static constexpr std::int64_t most_side = 32768;

  void build() override {
    size_ = {.m = m_.value_or(n_), .n = n_, .k = k_.value_or(n_)};
    // No block is larger than its contents need.
    std::size_t const longest = std::max({size_.m, size_.n, size_.k});
    std::size_t const most_groups = (longest + matmul::column_group - 1) / matmul::column_group;
    side_ = std::min(leaf_ / matmul::column_group, most_groups) * matmul::column_group;
    problem_ = Problem({.size = size_,
                        .side = side_,
                        .seed = seed_,
                        .gap = tight_ && *tight_ ? row_gap::none : row_gap::against_conflicts});
  }
  void restore() override { problem_.reset(); }
  [[nodiscard]] std::string check() override {
    std::string const found = problem_.wrong();
    return found.empty() ? found : std::string(this->name()) + ": " + found;
  }
  void add_facts(json_value& all) const override {
    all["m"] = size_.m;
    all["k"] = size_.k;
    all["flops"] = size_.flops();
    all["leaf"] = side_;
    all["kernel"] = matmul::leaves().back().name;
    all["checked_with"] = problem_.knows_product() ? "OpenBLAS" : "random vectors";
  }
  [[nodiscard]] static matmul::leaf_function* leaf_function() { return matmul::leaves().back().function; }

  number_option<std::size_t> n_{*this, "--n", 1024, between(1, most_side),
                                "columns of C; also the default of --m and --k"};
  maybe_option<std::size_t> m_{*this, "--m", between(1, most_side), "rows of C"};
  maybe_option<std::size_t> k_{*this, "--k", between(1, most_side), "columns of A = rows of B"};
  number_option<std::size_t> leaf_{*this, "--leaf", 128, between(matmul::column_group, most_side),
                                   "longest side of a block, rounded down to a multiple of 32"};
  seed_option seed_{*this, "seed of the matrices", std::numeric_limits<std::int64_t>::max()};
  std::optional<flag_option> tight_;  ///< of rows; blocks have no gaps
  matmul::sizes size_;
  std::size_t side_ = 0;
  Problem problem_;
};

}  // namespace

std::unique_ptr<app> make_matmul() {
  return std::make_unique<matmul_app<matmul::problem>>(
      "matmul",
      "matrix product in single precision by divide and conquer, two groups of four (ADWS 2019, NUMA-WS 2018)", true);
}
std::unique_ptr<app> make_matmul_z() {
  return std::make_unique<matmul_app<matmul::z_problem>>(
      "matmul-z", "matmul on matrices laid out in blocks on a Z curve (NUMA-WS 2018)", false);
}

}  // namespace skua::apps
