// SPDX-License-Identifier: MIT
// The app sparselu.
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <string_view>

#include "apps/checks.hpp"
#include "apps/flow_app.hpp"
#include "apps/flow_apps.hpp"
#include "apps/sparselu/problem.hpp"

namespace skua::apps {
namespace {

class sparselu_app final : public flow_app<sparselu_app>, public openmp_twin {
 public:
  [[nodiscard]] std::string_view name() const override { return "sparselu"; }
  [[nodiscard]] std::string_view about() const override {
    return "LU factorisation of a sparse matrix of blocks, as a task graph (BOTS; ARMS 2021)";
  }
  [[nodiscard]] std::vector<option> options() override {
    return {
        {"--blocks", &blocks_, between(1, 1024), "blocks in a row"},
        {"--size", &size_, between(1, sparselu::most_size), "rows of a block"},
        {"--seed", &seed_, between(0, 1'000'000'000'000), "of the elements"},
    };
  }
  void prepare() override {
    require_allowed(name(), options());
    require_between("sparselu: --blocks times --size", blocks_ * size_, 1, 65536);
    try {
      input_ = sparselu::generated(static_cast<std::size_t>(blocks_), static_cast<std::size_t>(size_),
                                   static_cast<std::uint64_t>(seed_));
      reset();
    } catch (std::bad_alloc const&) {
      throw resource_error("sparselu: no memory for the matrix; a smaller --blocks or --size may fit");
    }
  }
  void reset() override {
    matrix_.copy(input_);
    ran_ = false;
  }

  void run_alone() {
    sparselu::run_alone(matrix_);
    ran_ = true;
  }
  void run_openmp(unsigned workers) override {
    sparselu::with_openmp(workers, matrix_);
    ran_ = true;
  }
  template <class Here>
  void program(Here& here) {
    sparselu::program(here, matrix_);
    ran_ = true;
  }

  [[nodiscard]] std::string wrong() override {
    return ran_ ? sparselu::wrong(matrix_, input_) : "sparselu: no run yet";
  }
  [[nodiscard]] json_value facts() const override {
    return {{"blocks", blocks_}, {"size", size_}, {"filled_before", input_.filled()}, {"filled", matrix_.filled()}};
  }

 private:
  std::int64_t blocks_ = 64;
  std::int64_t size_ = 32;
  std::int64_t seed_ = 1;
  sparselu::block_matrix input_;
  sparselu::block_matrix matrix_;
  bool ran_ = false;
};

}  // namespace

std::unique_ptr<app> make_sparselu() { return std::make_unique<sparselu_app>(); }

}  // namespace skua::apps
