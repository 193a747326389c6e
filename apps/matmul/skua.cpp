// SPDX-License-Identifier: MIT
// The apps matmul and matmul-z: one program on two layouts.
#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "apps/checks.hpp"
#include "apps/matmul/problem.hpp"
#include "apps/program_app.hpp"

namespace skua::apps {
namespace {

constexpr std::int64_t most_side = 32768;

/// The differences between the two apps.
struct in_rows {
  using problem = matmul::problem;
  static constexpr std::string_view name = "matmul";
  static constexpr std::string_view about =
      "matrix product in single precision by divide and conquer, two groups of four (ADWS 2019, NUMA-WS 2018)";
  static constexpr bool has_rows = true;
};
struct in_z_order {
  using problem = matmul::z_problem;
  static constexpr std::string_view name = "matmul-z";
  static constexpr std::string_view about = "matmul on matrices laid out in blocks on a Z curve (NUMA-WS 2018)";
  static constexpr bool has_rows = false;
};

template <class Layout>
class matmul_app final : public program_app<matmul_app<Layout>>, public openmp_twin, public tbb_twin {
 public:
  [[nodiscard]] std::string_view name() const override { return Layout::name; }
  [[nodiscard]] std::string_view about() const override { return Layout::about; }
  [[nodiscard]] std::vector<option> options() override {
    std::vector<option> all{
        {"--n", &n_, between(1, most_side), "columns of C; also the default of --m and --k"},
        {"--m", &m_, between(1, most_side), "rows of C"},
        {"--k", &k_, between(1, most_side), "columns of A = rows of B"},
        {"--leaf", &leaf_, between(matmul::column_group, most_side),
         "longest side of a block, rounded down to a multiple of 32"},
        {"--seed", &seed_, between(0, std::numeric_limits<std::int64_t>::max()), "seed of the matrices"},
    };
    if constexpr (Layout::has_rows) {
      all.push_back({"--tight", &tight_, "leave no gap between rows, even if they are a multiple of 1 KiB apart"});
    }
    return all;
  }
  void prepare() override {
    require_allowed(name(), options());
    auto const chosen = matmul::leaves().back();
    kernel_ = chosen.name;
    kernel_function_ = chosen.function;
    // No block is larger than its contents need.
    auto const longest = static_cast<std::size_t>(std::max({n_, m_.value_or(n_), k_.value_or(n_)}));
    std::size_t const most_groups = (longest + matmul::column_group - 1) / matmul::column_group;
    side_ = std::min(static_cast<std::size_t>(leaf_) / matmul::column_group, most_groups) * matmul::column_group;
    problem_ = typename Layout::problem({.size = {.m = static_cast<std::size_t>(m_.value_or(n_)),
                                                  .n = static_cast<std::size_t>(n_),
                                                  .k = static_cast<std::size_t>(k_.value_or(n_))},
                                         .side = side_,
                                         .seed = static_cast<std::uint64_t>(seed_),
                                         .gap = tight_ ? row_gap::none : row_gap::against_conflicts});
  }
  [[nodiscard]] std::vector<std::span<std::byte const>> unowned() override { return problem_.memory(); }
  void reset() override {
    problem_.reset();
    ran_ = false;
  }

  void run_openmp(unsigned workers) override {
    matmul::with_openmp(workers, problem_.whole(), kernel_function_);
    ran_ = true;
  }
  void run_tbb(unsigned workers) override {
    matmul::with_tbb(tbb_workers_, workers, problem_.whole(), kernel_function_);
    ran_ = true;
  }

  [[nodiscard]] std::string wrong() override {
    std::string const found = ran_ ? problem_.wrong() : "no run yet";
    return found.empty() ? found : std::string(Layout::name) + ": " + found;
  }
  [[nodiscard]] json_value facts() const override {
    matmul::sizes const size = {.m = static_cast<std::size_t>(m_.value_or(n_)),
                                .n = static_cast<std::size_t>(n_),
                                .k = static_cast<std::size_t>(k_.value_or(n_))};
    return {{"m", size.m},
            {"n", size.n},
            {"k", size.k},
            {"flops", size.flops()},
            {"leaf", side_},
            {"kernel", kernel_},
            {"checked_with", problem_.knows_product() ? "OpenBLAS" : "random vectors"}};
  }

  template <fork_join Here>
  void program(Here& here, std::uint32_t places) {
    matmul::program(here, problem_.whole(), kernel_function_, {.first = 0, .count = std::max(places, 1U)});
    ran_ = true;
  }

 private:
  std::int64_t n_ = 1024;
  std::optional<std::int64_t> m_;
  std::optional<std::int64_t> k_;
  std::int64_t leaf_ = 128;
  std::int64_t seed_ = 1;
  bool tight_ = false;
  std::string_view kernel_;
  matmul::leaf_function* kernel_function_ = nullptr;
  std::size_t side_ = 0;
  typename Layout::problem problem_;
  bool ran_ = false;
  tbb_workers tbb_workers_;
};

}  // namespace

std::unique_ptr<app> make_matmul() { return std::make_unique<matmul_app<in_rows>>(); }
std::unique_ptr<app> make_matmul_z() { return std::make_unique<matmul_app<in_z_order>>(); }

}  // namespace skua::apps
