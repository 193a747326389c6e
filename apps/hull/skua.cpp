// SPDX-License-Identifier: MIT
// The app hull.
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/hull/points_file.hpp"
#include "apps/hull/problem.hpp"
#include "apps/program_app.hpp"
#include "skua/parts/base/whole_file.hpp"

namespace skua::apps {
namespace {

class hull_app final : public program_app<hull_app> {
 public:
  hull_app()
      : program_app("hull",
                    "convex hull of points in a disc, on a circle or from a file by quickhull (PBBS; NUMA-WS 2018)") {
    has_no_effect({"--points", "--n", "--seed"}, "--input", "the file has its own points");
  }

  template <fork_join Here>
  void program(Here& here, std::uint32_t places) {
    hull::program(here, problem_, {.first = 0, .count = places});
  }
  void openmp_run(unsigned workers) { hull::with_openmp(workers, problem_); }
  void tbb_run(tbb_workers& threads, unsigned workers) { hull::with_tbb(threads, workers, problem_); }
  [[nodiscard]] std::vector<owned_array> owned(std::uint32_t places) override {
    return problem_.owned({.first = 0, .count = places});
  }

 private:
  void build() override {
    written_ = false;
    require_writable("--output", output_);
    are_facts({"--points", "--n", "--seed"}, file_.empty());
    read_ = {};
    grid_ = {};
    if (!file_.empty()) {
      read_ = read_for("--input", [&] { return hull::read_points_file(file_.text()); });
      grid_ = hull::on_grid(read_.points);
    }
    problem_ = hull::problem(file_.empty() ? hull::make_points(where_, n_, seed_) : grid_.points, leaf_);
  }
  [[nodiscard]] std::string too_large() const override {
    return file_.empty() ? std::to_string(n_) + " points (48 bytes each); a smaller --n may fit"
                         : "the points of --input (96 bytes each)";
  }
  void restore() override { problem_.reset(); }
  /// Also writes --output, once: only a verified hull is worth keeping.
  [[nodiscard]] std::string check() override {
    std::string found = problem_.wrong();
    if (found.empty() && !output_.empty() && !std::exchange(written_, true)) {
      if (file_.empty()) make_generated_points_writable();
      runtime::write_whole_file(output_.text(), hull::text_of_hull(problem_.answer(), grid_.points, read_.points));
    }
    return found;
  }
  /// Their coordinates are parts of the radius.
  void make_generated_points_writable() {
    grid_.points = hull::make_points(where_, n_, seed_);
    read_.points.clear();
    for (auto const& [x, y] : grid_.points) {
      read_.points.push_back({static_cast<double>(x) / hull::radius, static_cast<double>(y) / hull::radius});
    }
  }
  void add_facts(json_value& all) const override {
    if (!file_.empty()) {
      all["n"] = read_.points.size();
      all["format"] = read_.format;
      all["exact"] = grid_.exact;
      all["grid_unit"] = grid_.unit;
    }
    all["vertices"] = problem_.vertices();
  }

  text_option file_{*this, "--input", "",
                    "points to take: lines X Y, also as gzip, or a .npy of shape (n, 2); without it, random ones"};
  text_option output_{*this, "--output", "",
                      "write the verified hull to this file: a line INDEX X Y for each vertex, counter-clockwise"};
  choice_option<hull::shape> where_{
      *this, "--points", "in", {"in", "on"}, "where the points are: in a disc, or on its circle"};
  number_option<std::size_t> n_{*this, "--n", 4'000'000, between(1, hull::most_points),
                                "number of points, 1 to 2^28; 48 bytes each"};
  number_option<std::size_t> leaf_{*this, "--leaf", 10'000, between(16, hull::most_points), "most points of a leaf"};
  seed_option seed_{*this, "seed of the points", std::numeric_limits<std::int64_t>::max()};
  hull::points_file read_;
  hull::points_on_grid grid_;  ///< of the file's points
  bool written_ = false;
  hull::problem problem_;
};

}  // namespace

std::unique_ptr<app> make_hull() { return std::make_unique<hull_app>(); }

}  // namespace skua::apps
