// SPDX-License-Identifier: MIT
// The app heat.
#include <array>
#include <cstdio>
#include <limits>
#include <optional>
#include <vector>

#include "apps/checks.hpp"
#include "apps/heat/map.hpp"
#include "apps/heat/problem.hpp"
#include "apps/loop_styles.hpp"
#include "apps/placed_array.hpp"
#include "apps/program_app.hpp"

namespace skua::apps {
namespace {

constexpr std::int64_t most_side = 32768;
constexpr std::int64_t most_iterations = 1'000'000'000;
constexpr std::array<std::string_view, 2> kinds_of_error{"deterministic", "random"};  // as heat::error_kind

class heat_app final : public program_app<heat_app>, public openmp_twin, public tbb_twin, public mapped {
 public:
  [[nodiscard]] std::string_view name() const override { return "heat"; }
  [[nodiscard]] std::string_view about() const override {
    return "heat transfer on a plate, 5-point Jacobi, divided in four at every iteration (ADWS 2019)";
  }
  [[nodiscard]] std::vector<option> options() override {
    std::vector<option> all{
        {"--n", &n_, between(1, most_side),
         "rows and columns of a generated plate (default: 640, unless --input is given)"},
        {"--input", &input_, "start from this picture (PGM or PNG): white is hot"},
        {"--output", &output_, "write the last verified field to this file (.pgm or .png)"},
        {"--iterations", &iterations_, between(1, most_iterations), "number of iterations"},
        {"--leaf-rows", &leaf_rows_, between(1, most_side), "most rows of a leaf"},
        {"--leaf-columns,--leaf-cols", &leaf_columns_, between(heat::column_group, most_side),
         "most columns of a leaf"},
        {"--alpha", &alpha_, between(0.0, 1.0), "error of the work hints, 0 (none) to 1"},
        {"--alpha-kind", &alpha_kind_, one_of(kinds_of_error),
         "deterministic (1-A : 1-A/2 : 1+A/2 : 1+A) or random (1-A to 1+A, drawn per task and iteration)"},
        {"--seed", &seed_, between(0, std::numeric_limits<std::int64_t>::max()),
         "seed of the generated plate and of random errors"},
    };
    twins_.add_to(all);
    return all;
  }

  void prepare() override {
    require_allowed(name(), options());
    guess_ = {alpha_, meaning_of<heat::error_kind>(alpha_kind_, kinds_of_error), static_cast<std::uint64_t>(seed_)};
    twins_.as_asked();
    auto const chosen = heat::sweeps().back();
    kernel_ = chosen.name;
    end_ = {.rows = static_cast<std::size_t>(leaf_rows_),
            .columns = static_cast<std::size_t>(leaf_columns_),
            .sweep = chosen.function};
    problem_ = heat::problem(initial(), static_cast<std::size_t>(iterations_));
    written_ = false;
  }
  void reset() override {
    problem_.reset();
    ran_ = false;
  }

  [[nodiscard]] std::vector<owned_array> owned(std::uint32_t places) override {
    return problem_.owned(end_, {.first = 0, .count = places});
  }

  [[nodiscard]] loop_styles* styles() override { return &twins_; }
  task_map run_mapped(pool& workers) override {
    place_data(workers);
    heat::surveyor seen(problem_, end_, workers.num_workers());
    leaf_record record(workers);
    workers.run([&](auto& here) {
      heat::program(here, problem_, end_, guess_, {.first = 0, .count = workers.layout().places()},
                    [&](std::size_t i) { seen.note(i, record.take()); });
    });
    ran_ = true;
    return seen.map();
  }
  void run_openmp(unsigned workers) override {
    heat::with_openmp(workers, problem_, end_, twins_.openmp());
    ran_ = true;
  }
  void run_tbb(unsigned workers) override {
    heat::with_tbb(tbb_workers_, workers, problem_, end_, twins_.tbb());
    ran_ = true;
  }

  /// Also writes --output, once: only a verified field is worth keeping.
  [[nodiscard]] std::string wrong() override {
    if (!ran_) return "heat: no run yet";
    std::string found = problem_.wrong();
    if (found.empty() && !output_.empty() && !written_) {
      write_picture(output_, heat::picture_of(problem_.answer()));
      written_ = true;
    }
    return found;
  }
  [[nodiscard]] json_value facts() const override {
    char sum[17];
    std::snprintf(sum, sizeof sum, "%016llx", static_cast<unsigned long long>(heat::checksum(problem_.answer())));
    json_value all{{"rows", problem_.rows()},
                   {"columns", problem_.columns()},
                   {"cells", problem_.rows() * problem_.columns()},
                   {"iterations", iterations_},
                   {"leaf_rows", leaf_rows_},
                   {"leaf_columns", leaf_columns_},
                   {"alpha", alpha_},
                   {"alpha_kind", alpha_kind_},
                   {"kernel", kernel_},
                   {"checksum", sum}};
    twins_.add_to(all);
    return all;
  }

  template <fork_join Here>
  void program(Here& here, std::uint32_t places) {
    heat::program(here, problem_, end_, guess_, {.first = 0, .count = places});
    ran_ = true;
  }

 private:
  [[nodiscard]] heat::field initial() const {
    if (!output_.empty()) require_picture_name("heat: --output", output_);
    if (input_.empty()) {
      auto const side = static_cast<std::size_t>(n_.value_or(640));
      return heat::landscape(side, side, static_cast<std::uint64_t>(seed_));
    }
    if (n_) throw usage_error("heat: --n is given with --input; allowed: one of them, because the picture has a size");
    try {
      return heat::field_of(read_picture(input_));
    } catch (usage_error const& refused) {
      throw usage_error("heat: --input " + std::string(refused.what()));
    }
  }

  std::optional<std::int64_t> n_;
  std::string input_;
  std::string output_;
  std::int64_t iterations_ = 2000;
  std::int64_t leaf_rows_ = 64;
  std::int64_t leaf_columns_ = 4096;
  std::int64_t seed_ = 1;
  double alpha_ = 0;
  std::string alpha_kind_ = "deterministic";
  loop_styles twins_;

  std::string_view kernel_;
  heat::cutoff end_;
  heat::estimate guess_;
  heat::problem problem_;
  bool ran_ = false;
  bool written_ = false;
  tbb_workers tbb_workers_;
};

}  // namespace

std::unique_ptr<app> make_heat() { return std::make_unique<heat_app>(); }

}  // namespace skua::apps
