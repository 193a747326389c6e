// SPDX-License-Identifier: MIT
// The app sph.
#include <algorithm>
#include <chrono>
#include <variant>

#include "apps/loop_styles.hpp"
#include "apps/program_app.hpp"
#include "apps/sph/map.hpp"
#include "apps/sph/problem.hpp"

namespace skua::apps {
namespace {

/// About 9 and 12 million particles.
constexpr std::int64_t largest_scale_2d = 64;
constexpr std::int64_t largest_scale_3d = 4;
/// Particles times steps of a run of about 0.7 s on one core. A particle has 14
/// neighbours in two dimensions, 39 in three.
constexpr std::size_t default_visits_2d = 2'000'000;
constexpr std::size_t default_visits_3d = 800'000;

class sph_app final : public program_app<sph_app>, public mapped {
 public:
  sph_app()
      : program_app("sph", "a dam break by smoothed particle hydrodynamics over a quadtree or octree (ADWS 2019)") {
    has_no_effect({"--hints"}, ways::peers, "only Skua's policies read hints");
  }

  template <fork_join Here>
  void program(Here& here) {
    std::visit([&](auto& p) { sph::program(here, p, hints_); }, problem_);
  }
  void openmp_run(unsigned workers) {
    std::visit([&](auto& p) { sph::with_openmp(workers, p, twins_.openmp()); }, problem_);
  }
  void tbb_run(tbb_workers& threads, unsigned workers) {
    std::visit([&](auto& p) { sph::with_tbb(threads, workers, p, twins_.tbb()); }, problem_);
  }
  task_map run_mapped(pool& workers) override {
    has_run();
    return std::visit([&](auto& p) { return recorded(workers, p, hints_); }, problem_);
  }
  [[nodiscard]] loop_styles* styles() override { return &twins_; }

 private:
  void build() override {
    bool const flat = dimensions_ == 2;
    std::int64_t const scale = scale_.value_or(flat ? 4 : 1);
    require_between(flat ? "sph: --scale with --dim 2" : "sph: --scale with --dim 3", scale, 1,
                    flat ? largest_scale_2d : largest_scale_3d);
    twins_.as_asked();
    if (!output_.empty()) require_picture_name("sph: --output", output_.text());
    if (flat) {
      problem_ = made<2>(static_cast<int>(scale), default_visits_2d);
    } else {
      problem_ = made<3>(static_cast<int>(scale), default_visits_3d);
    }
    written_ = false;
  }
  [[nodiscard]] std::string too_large() const override {
    return "--scale " + std::to_string(scale_.value_or(dimensions_ == 2 ? 4 : 1)) + "; a smaller one may fit";
  }
  void restore() override {
    std::visit([](auto& p) { p.reset(); }, problem_);
  }
  /// Also writes --output, once: only verified water is worth keeping.
  [[nodiscard]] std::string check() override {
    std::string found = std::visit([](auto const& p) { return p.wrong(); }, problem_);
    if (found.empty() && !output_.empty() && !written_) {
      write_picture(output_.text(), std::visit([](auto const& p) { return sph::picture_of(p); }, problem_));
      written_ = true;
    }
    return found;
  }
  void add_facts(json_value& all) const override {
    std::visit([&](auto const& p) { add_facts_of(p, all); }, problem_);
    twins_.add_to(all);
  }
  /// interaction_s, of the last run, is what the paper measures: densities and forces without moving and sorting.
  template <std::size_t D>
  static void add_facts_of(sph::problem<D> const& p, json_value& all) {
    all["dimensions"] = D;
    all["particles"] = p.size();
    all["water"] = p.water();
    all["leaves"] = p.now().tree.leaves().size();
    all["steps"] = p.steps();
    all["simulated_s"] = static_cast<double>(p.steps() - 1) * p.now().water.time_step();
    all["energy_j"] = p.energy();
    all["interaction_s"] = std::chrono::duration<double>(p.interaction_time()).count();
  }
  template <std::size_t D>
  static task_map recorded(pool& workers, sph::problem<D>& p, sph::work_hints hints) {
    sph::surveyor<D> seen(p, workers.num_workers());
    leaf_record record(workers);
    workers.run([&](auto& here) { sph::program(here, p, hints, [&] { seen.note(record.take()); }); });
    return seen.map();
  }
  template <std::size_t D>
  [[nodiscard]] sph::problem<D> made(int scale, std::size_t visits) const {
    sph::tank<D> const tank = sph::dam_break<D>(scale);
    std::size_t const few = std::max<std::size_t>(1, visits / sph::fill(tank).at.size());
    return sph::problem<D>(tank, steps_.value_or(few), leaf_);
  }

  number_option<int> dimensions_{*this, "--dim", 2, between(2, 3), "2 or 3"};
  maybe_option<std::int64_t> scale_{
      *this, "--scale", "particles are 0.55 m / 30 / scale apart (default: 4 in 2D, 35888 particles; 1 in 3D, 182364)"};
  maybe_option<std::size_t> steps_{*this, "--steps", between(1, 1'000'000),
                                   "time steps (default: about 0.7 s on one core)"};
  number_option<std::size_t> leaf_{*this, "--leaf", 64, between(1, 4096), "most particles of a leaf"};
  choice_option<sph::work_hints> hints_{
      *this,
      "--hints",
      "given",
      {"none", "given", "measured"},
      "work hint of a task: given (its particles), measured (in the last step) or none"};
  text_option output_{*this, "--output", "", "write a picture of the last verified water to this file (.pgm or .png)"};
  loop_styles twins_{*this, "dynamic"};

  std::variant<sph::problem<2>, sph::problem<3>> problem_;
  bool written_ = false;
};

}  // namespace

std::unique_ptr<app> make_sph() { return std::make_unique<sph_app>(); }

}  // namespace skua::apps
