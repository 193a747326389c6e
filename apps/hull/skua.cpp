// SPDX-License-Identifier: MIT
// The app hull.
#include <limits>

#include "apps/hull/problem.hpp"
#include "apps/program_app.hpp"

namespace skua::apps {
namespace {

class hull_app final : public program_app<hull_app> {
 public:
  hull_app()
      : program_app("hull", "convex hull of points in a disc or on a circle by quickhull (PBBS; NUMA-WS 2018)") {}

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
  static constexpr std::int64_t most_points = std::int64_t{1} << 28;

  void build() override { problem_ = hull::problem(hull::make_points(where_, n_, seed_), leaf_); }
  [[nodiscard]] std::string too_large() const override {
    return std::to_string(n_) + " points (48 bytes each); a smaller --n may fit";
  }
  void restore() override { problem_.reset(); }
  [[nodiscard]] std::string check() override { return problem_.wrong(); }
  void add_facts(json_value& all) const override { all["vertices"] = problem_.vertices(); }

  choice_option<hull::shape> where_{
      *this, "--points", "in", {"in", "on"}, "where the points are: in a disc, or on its circle"};
  number_option<std::size_t> n_{*this, "--n", 4'000'000, between(1, most_points),
                                "number of points, 1 to 2^28; 48 bytes each"};
  number_option<std::size_t> leaf_{*this, "--leaf", 10'000, between(16, most_points), "most points of a leaf"};
  seed_option seed_{*this, "seed of the points", std::numeric_limits<std::int64_t>::max()};
  hull::problem problem_;
};

}  // namespace

std::unique_ptr<app> make_hull() { return std::make_unique<hull_app>(); }

}  // namespace skua::apps
