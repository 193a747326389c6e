// SPDX-License-Identifier: MIT
// The app tce.
#include <optional>
#include <vector>

#include "apps/program_app.hpp"
#include "apps/tce/over_ranks.hpp"
#include "apps/tce/problem.hpp"

namespace skua::apps {
namespace {

class tce_app final : public program_app<tce_app>, public ranks_program {
 public:
  tce_app()
      : program_app("tce",
                    "block-sparse tensor contraction of coupled-cluster programs (retentive stealing, HPDC 2012)") {
    has_no_effect({"--hints"}, ways::serial, "only Skua's policies read hints");
    has_no_effect({"--hints"}, ways::ranks, "collections have no hints");
    has_no_effect({"--hints", "--count-only"}, ways::simulated_ranks,
                  "simulated ranks have the times of the tasks alone");
    has_no_effect({"--iterations", "--hints"}, "--count-only", "nothing is multiplied then");
  }

  template <fork_join Here>
  void program(Here& here) {
    if (count_only_) return here.leaf(flops{0}, [&] { static_cast<void>(on_->products()); });
    for (unsigned i = 0; i < iterations_; ++i) {
      if (i > 0) here.leaf(flops{0}, [&] { tensors_->clear_c(); });
      tce::program(here, *on_, *gemm_, *tensors_, work_hints_);
    }
  }
  void expect_ranks(communicator& world, ranks_plan const& plan) override {
    // What a dead rank has accumulated to others cannot be told from what they have of live ones.
    shared_by_ = plan.on_loss == lost_tasks::fail ? &world : nullptr;
  }
  void run_on_ranks(communicator& world, ranks_plan const& plan) override {
    if (shared_) {
      shared_->count_anew();
      tce::over_ranks(world, *on_, *gemm_, *shared_, iterations_, plan);
      remote_bytes_ = shared_->remote_bytes();
      c_x_ = shared_->c_times_random(seed_of_check());
    } else if (!count_only_) {
      tce::over_ranks_with_copies(world, *on_, *gemm_, *tensors_, iterations_, plan);
      c_x_ = tensors_->c_times_random(seed_of_check());
      world.sum(*c_x_);
    }
    has_run();
  }
  [[nodiscard]] std::optional<std::uint64_t> remote_bytes() const override { return remote_bytes_; }
  [[nodiscard]] ranks_load load() override {
    require_allowed(name(), rows());
    return tce::load_of(tce::contraction(tce::shapes[scale_]));
  }

 private:
  void build() override {
    constexpr std::size_t largest = 1;
    if (!count_only_ && scale_ > largest) {
      throw usage_error("tce: --scale paper takes 570 GB; allowed: --scale reduced, or --count-only");
    }
    tensors_.reset();
    shared_.reset();
    on_.emplace(tce::shapes[scale_]);
    if (count_only_) return;
    if (!gemm_) gemm_.emplace();
    if (shared_by_ == nullptr) {
      tensors_.emplace(*on_, seed_);
    } else {
      shared_.emplace(*shared_by_, *on_, seed_);
      a_b_x_ = shared_->a_b_times_random(seed_of_check());
    }
  }
  [[nodiscard]] std::string too_large() const override { return "the tensors; --scale small may fit"; }
  void restore() override {
    c_x_.reset();
    remote_bytes_.reset();
    if (tensors_) tensors_->clear_c();
  }
  [[nodiscard]] std::string check() override {
    if (count_only_) return on_->products() > 0 ? "" : "tce: no products";
    if (shared_) return c_x_ ? tce::difference(*on_, *c_x_, a_b_x_) : "tce: no C";
    return tensors_->wrong(seed_of_check(), c_x_ ? *c_x_ : tensors_->c_times_random(seed_of_check()));
  }
  void add_facts(json_value& all) const override {
    all["tiles"] = on_->all_tiles();
    all["tasks"] = on_->tasks().size();
    all["products"] = on_->products();
    all["flops"] = on_->flops();
  }
  [[nodiscard]] std::uint64_t seed_of_check() const noexcept { return seed_ + 1; }

  choice_option<std::size_t> scale_{
      *this, "--scale", "small", tce::shape_names,
      "small; reduced: the paper's tasks with tiles of 4, 0.9 GB; or paper, with --count-only"};
  choice_option<bool> work_hints_{*this, "--hints", "none", hint_words, "none, or work: each task says its flops"};
  seed_option seed_{*this, "of the tensors"};
  number_option<unsigned> iterations_{*this, "--iterations", 1, between(1, 10'000), "contractions one after the other"};
  flag_option count_only_{*this, "--count-only", "count tasks, products and flops, and multiply nothing"};
  std::optional<tce::gemm> gemm_;  ///< loads a library that starts threads: only where it is needed
  std::optional<tce::contraction> on_;
  std::optional<tce::tensors> tensors_;
  communicator* shared_by_ = nullptr;               ///< whose ranks share the tensors; null: this process has them
  std::optional<tce::distributed_tensors> shared_;  ///< instead of tensors_
  std::vector<double> a_b_x_;                       ///< of these: by which C is checked
  std::optional<std::vector<double>> c_x_;          ///< of the C of all ranks
  std::optional<std::uint64_t> remote_bytes_;
};

}  // namespace

std::unique_ptr<app> make_tce() { return std::make_unique<tce_app>(); }

}  // namespace skua::apps
