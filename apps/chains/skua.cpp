// SPDX-License-Identifier: MIT
// The app chains.
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "apps/chains/problem.hpp"
#include "apps/checks.hpp"
#include "apps/flow_app.hpp"
#include "apps/flow_apps.hpp"

namespace skua::apps {
namespace {

constexpr std::array<std::string_view, 3> kernels{"matmul", "triad", "mixed"};

class chains_app final : public flow_app<chains_app>, public openmp_twin, public tbb_twin {
 public:
  [[nodiscard]] std::string_view name() const override { return "chains"; }
  [[nodiscard]] std::string_view about() const override {
    return "chains of matrix products or triads: a task graph of a given parallelism (ARMS 2021)";
  }
  [[nodiscard]] std::vector<option> options() override {
    return {
        {"--parallelism", &parallelism_, between(1, 1'000'000), "number of chains"},
        {"--tasks", &tasks_, between(1, 100'000'000), "tasks of all chains; the paper has 50000"},
        {"--kernel", &kernel_, one_of(kernels), "matmul, triad, or mixed: both by turns"},
        {"--size", &size_, between(1, 4096), "rows and columns of a task's matrices (default: 128; for triad 512)"},
        {"--seed", &seed_, between(0, 1'000'000'000'000), "of the matrices"},
    };
  }
  void prepare() override {
    require_allowed(name(), options());
    shape_.runs = meaning_of<chains::kernel>(kernel_, kernels);
    std::int64_t const size = size_.value_or(shape_.runs == chains::kernel::triad ? 512 : 128);
    shape_.parallelism = static_cast<std::uint32_t>(parallelism_);
    shape_.tasks = static_cast<std::uint64_t>(tasks_);
    shape_.size = static_cast<std::size_t>(size);
    shape_.seed = static_cast<std::uint64_t>(seed_);
    problem_ = chains::problem(shape_);
  }
  void reset() override { problem_.reset(); }

  void run_alone() { chains::run_alone(problem_); }
  void run_openmp(unsigned workers) override { chains::with_openmp(workers, problem_); }
  void run_tbb(unsigned workers) override { chains::with_tbb(tbb_workers_, workers, problem_); }
  template <class Here>
  void program(Here& here) {
    chains::program(here, problem_);
  }

  [[nodiscard]] std::string wrong() override { return problem_.wrong(); }
  [[nodiscard]] json_value facts() const override {
    json_value widths = json_value::object();
    for (auto const& [width, steps] : problem_.widths()) widths[std::to_string(width)] = steps;
    return {{"parallelism", parallelism_},
            {"tasks", tasks_},
            {"kernel", kernel_},
            {"size", shape_.size},
            {"widths", std::move(widths)}};
  }

 private:
  std::int64_t parallelism_ = 8;
  std::int64_t tasks_ = 2000;
  std::string kernel_ = "matmul";
  std::optional<std::int64_t> size_;
  std::int64_t seed_ = 1;
  chains::shape shape_;
  chains::problem problem_;
  tbb_workers tbb_workers_;
};

}  // namespace

std::unique_ptr<app> make_chains() { return std::make_unique<chains_app>(); }

}  // namespace skua::apps
