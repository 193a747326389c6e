// SPDX-License-Identifier: MIT
// The app hull.
#include <array>
#include <limits>
#include <new>

#include "apps/checks.hpp"
#include "apps/hull/problem.hpp"
#include "apps/program_app.hpp"

namespace skua::apps {
namespace {

constexpr std::int64_t most_points = std::int64_t{1} << 28;
constexpr std::int64_t least_leaf = 16;
constexpr std::array<std::string_view, 2> shapes{"in", "on"};  // as hull::shape

class hull_app final : public program_app<hull_app>, public openmp_twin, public tbb_twin {
 public:
  [[nodiscard]] std::string_view name() const override { return "hull"; }
  [[nodiscard]] std::string_view about() const override {
    return "convex hull of points in a disc or on a circle by quickhull (PBBS; NUMA-WS 2018)";
  }
  [[nodiscard]] std::vector<option> options() override {
    return {
        {"--points", &points_, one_of(shapes), "where the points are: in a disc, or on its circle"},
        {"--n", &n_, between(1, most_points), "number of points, 1 to 2^28; 48 bytes each"},
        {"--leaf", &leaf_, between(least_leaf, most_points), "most points of a leaf"},
        {"--seed", &seed_, between(0, std::numeric_limits<std::int64_t>::max()), "seed of the points"},
    };
  }

  void prepare() override {
    require_allowed(name(), options());
    auto const where = meaning_of<hull::shape>(points_, shapes);
    try {
      problem_ =
          hull::problem(hull::make_points(where, static_cast<std::size_t>(n_), static_cast<std::uint64_t>(seed_)),
                        static_cast<std::size_t>(leaf_));
    } catch (std::bad_alloc const&) {
      throw resource_error("hull: no memory for " + std::to_string(n_) +
                           " points (48 bytes each); a smaller --n may fit");
    }
  }
  void reset() override { problem_.reset(); }
  [[nodiscard]] std::vector<owned_array> owned(std::uint32_t places) override {
    return problem_.owned({.first = 0, .count = places});
  }

  void run_openmp(unsigned workers) override { hull::with_openmp(workers, problem_); }
  void run_tbb(unsigned workers) override { hull::with_tbb(tbb_workers_, workers, problem_); }

  [[nodiscard]] std::string wrong() override { return problem_.wrong(); }
  [[nodiscard]] json_value facts() const override {
    return {{"points", points_}, {"n", n_}, {"leaf", leaf_}, {"seed", seed_}, {"vertices", problem_.vertices()}};
  }

  template <fork_join Here>
  void program(Here& here, std::uint32_t places) {
    hull::program(here, problem_, {.first = 0, .count = places});
  }

 private:
  std::string points_ = "in";
  std::int64_t n_ = 4'000'000;
  std::int64_t leaf_ = 10'000;
  std::int64_t seed_ = 1;
  hull::problem problem_;
  tbb_workers tbb_workers_;
};

}  // namespace

std::unique_ptr<app> make_hull() { return std::make_unique<hull_app>(); }

}  // namespace skua::apps
