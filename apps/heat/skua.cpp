// SPDX-License-Identifier: MIT
// The app heat.
#include <cstdio>
#include <limits>

#include "apps/heat/map.hpp"
#include "apps/heat/problem.hpp"
#include "apps/loop_styles.hpp"
#include "apps/placed_array.hpp"
#include "apps/program_app.hpp"

namespace skua::apps {
namespace {

class heat_app final : public program_app<heat_app>, public mapped {
 public:
  heat_app()
      : program_app("heat",
                    "heat transfer on a plate, 5-point Jacobi, divided in four at every iteration (ADWS 2019)") {
    has_no_effect({"--alpha", "--alpha-kind"}, ways::peers, "only Skua's policies read hints");
    has_no_effect({"--leaf-rows"}, ways::openmp_static, "a static schedule has a band per thread");
    has_no_effect({"--leaf-columns"}, ways::openmp_static | ways::openmp_dynamic | ways::tbb, "only tasks cut rows");
  }

  template <fork_join Here>
  void program(Here& here, std::uint32_t places) {
    heat::program(here, problem_, end_, guess_, {.first = 0, .count = places});
  }
  void openmp_run(unsigned workers) { heat::with_openmp(workers, problem_, end_, twins_.openmp()); }
  void tbb_run(tbb_workers& threads, unsigned workers) {
    heat::with_tbb(threads, workers, problem_, end_, twins_.tbb());
  }
  task_map run_mapped(pool& workers) override {
    place_data(workers);
    heat::surveyor seen(problem_, end_, workers.num_workers());
    leaf_record record(workers);
    workers.run([&](auto& here) {
      heat::program(here, problem_, end_, guess_, {.first = 0, .count = workers.layout().places()},
                    [&](std::size_t i) { seen.note(i, record.take()); });
    });
    has_run();
    return seen.map();
  }
  [[nodiscard]] loop_styles* styles() override { return &twins_; }
  [[nodiscard]] std::vector<owned_array> owned(std::uint32_t places) override {
    return problem_.owned(end_, {.first = 0, .count = places});
  }

 private:
  static constexpr std::int64_t most_side = 32768;

  void build() override {
    if (alpha_kind_.word() == "random" && alpha_ == 0)
      throw usage_error(
          "heat: --alpha-kind is random; allowed: with --alpha above 0, because hints without an error have no kind");
    guess_ = {alpha_, alpha_kind_, seed_};
    twins_.as_asked();
    end_ = {.rows = leaf_rows_, .columns = leaf_columns_, .sweep = heat::sweeps().back().function};
    problem_ = heat::problem(initial(), iterations_);
    written_ = false;
  }
  [[nodiscard]] heat::field initial() {
    if (!output_.empty()) require_picture_name("heat: --output", output_.text());
    if (input_.empty()) return heat::landscape(n_.value_or(640), n_.value_or(640), seed_);
    if (n_) throw usage_error("heat: --n is given with --input; allowed: one of them, because the picture has a size");
    return read_for("--input", [&] { return heat::field_of(read_picture(input_.text())); });
  }
  void restore() override { problem_.reset(); }
  /// Also writes --output, once: only a verified field is worth keeping.
  [[nodiscard]] std::string check() override {
    std::string found = problem_.wrong();
    if (found.empty() && !output_.empty() && !written_) {
      write_picture(output_.text(), heat::picture_of(problem_.answer()));
      written_ = true;
    }
    return found;
  }
  void add_facts(json_value& all) const override {
    char sum[17];
    std::snprintf(sum, sizeof sum, "%016llx", static_cast<unsigned long long>(heat::checksum(problem_.answer())));
    all["rows"] = problem_.rows();
    all["columns"] = problem_.columns();
    all["cells"] = problem_.rows() * problem_.columns();
    all["kernel"] = heat::sweeps().back().name;
    all["checksum"] = sum;
    twins_.add_to(all);
  }

  maybe_option<std::size_t> n_{*this, "--n", between(1, most_side),
                               "rows and columns of a generated plate (default: 640, unless --input is given)"};
  text_option input_{*this, "--input", "", "start from this picture (PGM or PNG): white is hot"};
  text_option output_{*this, "--output", "", "write the last verified field to this file (.pgm or .png)"};
  number_option<std::size_t> iterations_{*this, "--iterations", 2000, between(1, 1'000'000'000),
                                         "number of iterations"};
  number_option<std::size_t> leaf_rows_{*this, "--leaf-rows", 64, between(1, most_side), "most rows of a leaf"};
  number_option<std::size_t> leaf_columns_{*this, "--leaf-columns,--leaf-cols", 4096,
                                           between(heat::column_group, most_side), "most columns of a leaf"};
  number_option<double> alpha_{*this, "--alpha", 0, between(0.0, 1.0), "error of the work hints, 0 (none) to 1"};
  choice_option<heat::error_kind> alpha_kind_{
      *this,
      "--alpha-kind",
      "deterministic",
      {"deterministic", "random"},
      "deterministic (1-A : 1-A/2 : 1+A/2 : 1+A) or random (1-A to 1+A, drawn per task and iteration)"};
  seed_option seed_{*this, "seed of the generated plate and of random errors",
                    std::numeric_limits<std::int64_t>::max()};
  loop_styles twins_{*this};

  heat::cutoff end_;
  heat::estimate guess_;
  heat::problem problem_;
  bool written_ = false;
};

}  // namespace

std::unique_ptr<app> make_heat() { return std::make_unique<heat_app>(); }

}  // namespace skua::apps
