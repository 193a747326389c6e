// SPDX-License-Identifier: MIT
#include "cli/experiment/verdict.hpp"

#include <algorithm>
#include <limits>

namespace skua::cli {
namespace {

class judge {
 public:
  judge(experiment_study& study, std::size_t panel, expectation const& of) : study_(study), panel_(panel), of_(of) {}

  double at(sim::bound figures) {
    if (of_.rising) return least_step(figures);
    double const value = value_at(of_.of, figures);
    if (!of_.over) return value;
    double const over = value_at(*of_.over, figures);
    return over > 0 ? value / over : 0;
  }

 private:
  double value_at(experiment_point const& p, sim::bound figures) {
    auto const series = std::ranges::find(study_.what().series, p.series, &experiment_series::name);
    auto const number = static_cast<std::size_t>(series - study_.what().series.begin());
    return value_of(study_.at({.panel = panel_, .series = number, .x = p.x, .figures = figures}), of_.what);
  }

  double least_step(sim::bound figures) {
    double least = std::numeric_limits<double>::infinity();
    double before = 0;
    for (double const x : study_.what().x.values) {
      double const now = value_at({of_.of.series, x}, figures);
      if (before > 0) least = std::min(least, now / before);
      before = now;
    }
    return least;
  }

  experiment_study& study_;
  std::size_t panel_;
  expectation const& of_;
};

}  // namespace

std::vector<verdict> verdicts_of(experiment_study& study, std::size_t panel) {
  std::string const& name = study.what().panels[panel].name;
  std::vector<verdict> all;
  for (expectation const& e : study.what().expected) {
    if (!e.panel.empty() && e.panel != name) continue;
    judge look(study, panel, e);
    verdict v{.of = &e, .panel = name, .value = look.at(sim::bound::stated)};
    v.low = look.at(sim::bound::low);
    v.high = look.at(sim::bound::high);
    v.holds = (!e.at_least || v.value >= *e.at_least) && (!e.at_most || v.value <= *e.at_most);
    all.push_back(v);
  }
  return all;
}

}  // namespace skua::cli
