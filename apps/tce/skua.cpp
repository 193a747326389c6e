// SPDX-License-Identifier: MIT
// The app tce.
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>

#include "apps/checks.hpp"
#include "apps/iterated_apps.hpp"
#include "apps/program_app.hpp"
#include "apps/tce/over_ranks.hpp"
#include "apps/tce/problem.hpp"

namespace skua::apps {
namespace {

class tce_app final : public program_app<tce_app>, public ranks_program {
 public:
  [[nodiscard]] std::string_view name() const override { return "tce"; }
  [[nodiscard]] std::string_view about() const override {
    return "block-sparse tensor contraction of coupled-cluster programs (retentive stealing, HPDC 2012)";
  }
  [[nodiscard]] std::vector<option> options() override {
    return {
        {"--scale", &scale_, one_of(tce::shape_names),
         "small; reduced: the paper's tasks with tiles of 4, 0.9 GB; or paper, with --count-only"},
        {"--hints", &hints_, one_of(hint_words), "none, or work: each task's flops"},
        {"--seed", &seed_, between(0, 1'000'000'000'000), "of the tensors"},
        {"--iterations", &iterations_, between(1, 10'000), "contractions one after the other"},
        {"--count-only", &count_only_, "count tasks, products and flops without multiplying"},
    };
  }
  void prepare() override {
    std::size_t const scale = check();
    work_hints_ = meaning_of<bool>(hints_, hint_words);
    constexpr std::size_t largest = 1;
    if (!count_only_ && scale > largest) {
      throw usage_error("tce: --scale paper takes 570 GB; allowed: --scale reduced, or --count-only");
    }
    tensors_.reset();
    on_ = std::make_unique<tce::contraction>(tce::shapes[scale]);
    if (count_only_) return;
    if (!gemm_) gemm_.emplace();
    try {
      tensors_ = std::make_unique<tce::tensors>(*on_, seed());
    } catch (std::bad_alloc const&) {
      throw resource_error("tce: no memory for the tensors; --scale small may fit");
    }
  }
  void reset() override {
    ran_ = false;
    c_x_.reset();
    if (tensors_ != nullptr) tensors_->clear_c();
  }

  template <fork_join Here>
  void program(Here& here, std::uint32_t) {
    if (count_only_) {
      here.leaf(flops{0}, [&] { ran_ = on_->products() > 0; });
    } else {
      for (std::int64_t i = 0; i < iterations_; ++i) {
        if (i > 0) here.leaf(flops{0}, [&] { tensors_->clear_c(); });
        tce::program(here, *on_, *gemm_, *tensors_, work_hints_);
      }
      ran_ = true;
    }
  }

  void run_on_ranks(communicator& world, ranks_plan const& plan) override {
    if (count_only_) {
      ran_ = on_->products() > 0;
      return;
    }
    tce::over_ranks(world, *on_, *gemm_, *tensors_, static_cast<unsigned>(iterations_), plan);
    c_x_ = tensors_->c_times_random(seed_of_check());
    world.sum(*c_x_);
    ran_ = true;
  }
  [[nodiscard]] ranks_load load() override { return tce::load_of(tce::contraction(tce::shapes[check()])); }

  [[nodiscard]] std::string wrong() override {
    if (!ran_) return "tce: no run yet";
    if (count_only_) return {};
    return tensors_->wrong(seed_of_check(), c_x_ ? *c_x_ : tensors_->c_times_random(seed_of_check()));
  }
  [[nodiscard]] json_value facts() const override {
    return {{"scale", scale_},
            {"tiles", on_->all_tiles()},
            {"tasks", on_->tasks().size()},
            {"products", on_->products()},
            {"flops", on_->flops()}};
  }

 private:
  /// Which scale.
  [[nodiscard]] std::size_t check() {
    require_allowed(name(), options());
    return meaning_of<std::size_t>(scale_, tce::shape_names);
  }
  [[nodiscard]] std::uint64_t seed_of_check() const noexcept { return seed() + 1; }
  [[nodiscard]] std::uint64_t seed() const noexcept { return static_cast<std::uint64_t>(seed_); }

  std::string scale_ = "small";
  std::string hints_ = "none";
  std::int64_t seed_ = 1;
  std::int64_t iterations_ = 1;
  bool count_only_ = false;
  bool work_hints_ = false;
  bool ran_ = false;
  std::optional<tce::gemm> gemm_;  ///< loads a library that starts threads: only where it is needed
  std::unique_ptr<tce::contraction> on_;
  std::unique_ptr<tce::tensors> tensors_;
  std::optional<std::vector<double>> c_x_;  ///< of the sum of the ranks' C
};

}  // namespace

std::unique_ptr<app> make_tce() { return std::make_unique<tce_app>(); }

}  // namespace skua::apps
