// SPDX-License-Identifier: MIT
// The app sph.
#include <algorithm>
#include <array>
#include <new>
#include <optional>
#include <variant>

#include "apps/checks.hpp"
#include "apps/program_app.hpp"
#include "apps/sph/map.hpp"
#include "apps/sph/problem.hpp"

namespace skua::apps {
namespace {

constexpr std::int64_t most_steps = 1'000'000;
constexpr std::int64_t most_per_leaf = 4096;
/// About 9 and 12 million particles.
constexpr std::int64_t largest_scale_2d = 64;
constexpr std::int64_t largest_scale_3d = 4;
/// Particles times steps of a run of about 0.7 s on one core. A particle has 14
/// neighbours in two dimensions, 39 in three.
constexpr std::size_t default_visits_2d = 2'000'000;
constexpr std::size_t default_visits_3d = 800'000;
/// In the order of sph::work_hints.
constexpr std::array<std::string_view, 3> hints_words{"none", "given", "measured"};

class sph_app final : public program_app<sph_app>, public openmp_twin, public tbb_twin, public mapped {
 public:
  [[nodiscard]] std::string_view name() const override { return "sph"; }
  [[nodiscard]] std::string_view about() const override {
    return "a dam break by smoothed particle hydrodynamics over a quadtree or octree (ADWS 2019)";
  }
  [[nodiscard]] std::vector<option> options() override {
    std::vector<option> all{
        {"--dim", &dimensions_, between(2, 3), "2 or 3"},
        {"--scale", &scale_,
         "particles are 0.55 m / 30 / scale apart (default: 4 in 2D, 35888 particles; 1 in 3D, 182364)"},
        {"--steps", &steps_, between(1, most_steps), "time steps (default: about 0.7 s on one core)"},
        {"--leaf", &leaf_, between(1, most_per_leaf), "most particles of a leaf"},
        {"--hints", &hints_word_, one_of(hints_words),
         "work hint of a task: given (its particles), measured (in the last step) or none"},
        {"--output", &output_, "write a picture of the last verified water to this file (.pgm or .png)"},
    };
    twins_.add_to(all);
    return all;
  }

  void prepare() override {
    require_allowed(name(), options());
    bool const flat = dimensions_ == 2;
    std::int64_t const scale = scale_.value_or(flat ? 4 : 1);
    require_between(flat ? "sph: --scale with --dim 2" : "sph: --scale with --dim 3", scale, 1,
                    flat ? largest_scale_2d : largest_scale_3d);
    hints_ = meaning_of<sph::work_hints>(hints_word_, hints_words);
    twins_.as_asked();
    if (!output_.empty()) require_picture_name("sph: --output", output_);
    try {
      if (flat) {
        problem_ = made<2>(static_cast<int>(scale), default_visits_2d);
      } else {
        problem_ = made<3>(static_cast<int>(scale), default_visits_3d);
      }
    } catch (std::bad_alloc const&) {
      throw resource_error("sph: no memory for --scale " + std::to_string(scale) + "; a smaller one may fit");
    }
    ran_ = false;
    written_ = false;
  }
  void reset() override {
    std::visit([](auto& p) { p.reset(); }, problem_);
    ran_ = false;
  }

  [[nodiscard]] loop_styles* styles() override { return &twins_; }
  task_map run_mapped(pool& workers) override {
    ran_ = true;
    return std::visit([&](auto& p) { return recorded(workers, p, hints_); }, problem_);
  }
  void run_openmp(unsigned workers) override {
    std::visit([&](auto& p) { sph::with_openmp(workers, p, twins_.openmp()); }, problem_);
    ran_ = true;
  }
  void run_tbb(unsigned workers) override {
    std::visit([&](auto& p) { sph::with_tbb(tbb_workers_, workers, p, twins_.tbb()); }, problem_);
    ran_ = true;
  }

  /// Also writes --output, once: only verified water is worth keeping.
  [[nodiscard]] std::string wrong() override {
    if (!ran_) return "sph: no run yet";
    std::string found = std::visit([](auto const& p) { return p.wrong(); }, problem_);
    if (found.empty() && !output_.empty() && !written_) {
      write_picture(output_, std::visit([](auto const& p) { return sph::picture_of(p); }, problem_));
      written_ = true;
    }
    return found;
  }
  [[nodiscard]] json_value facts() const override {
    return std::visit([this](auto const& p) { return facts_of(p); }, problem_);
  }

  template <fork_join Here>
  void program(Here& here, std::uint32_t) {
    std::visit([&](auto& p) { sph::program(here, p, hints_); }, problem_);
    ran_ = true;
  }

 private:
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
    return sph::problem<D>(tank, steps_ ? static_cast<std::size_t>(*steps_) : few, static_cast<std::size_t>(leaf_));
  }
  /// interaction_s, of the last run, is what the paper measures: densities and forces without moving and sorting.
  template <std::size_t D>
  [[nodiscard]] json_value facts_of(sph::problem<D> const& p) const {
    json_value all{
        {"dimensions", D},        {"particles", p.size()},
        {"water", p.water()},     {"leaves", p.now().tree.leaves().size()},
        {"steps", p.steps()},     {"simulated_s", static_cast<double>(p.steps() - 1) * p.now().water.time_step()},
        {"energy_j", p.energy()}, {"interaction_s", std::chrono::duration<double>(p.interaction_time()).count()}};
    all["hints"] = hints_word_;
    twins_.add_to(all);
    return all;
  }

  std::int64_t dimensions_ = 2;
  std::optional<std::int64_t> scale_;
  std::optional<std::int64_t> steps_;
  std::int64_t leaf_ = 64;
  std::string hints_word_ = "given";
  sph::work_hints hints_ = sph::work_hints::given;
  std::string output_;
  loop_styles twins_{"dynamic"};

  std::variant<sph::problem<2>, sph::problem<3>> problem_;
  bool ran_ = false;
  bool written_ = false;
  tbb_workers tbb_workers_;
};

}  // namespace

std::unique_ptr<app> make_sph() { return std::make_unique<sph_app>(); }

}  // namespace skua::apps
