// SPDX-License-Identifier: MIT
#include "cli/experiment/verdict.hpp"

#include <algorithm>
#include <limits>

namespace skua::cli {

std::string_view name_of(standing s) noexcept {
  switch (s) {
    case standing::holds: return "holds";
    case standing::at_stated_only: return "at the stated values only";
    case standing::fails: break;
  }
  return "does not hold";
}

bool meets(expectation const& e, double value) noexcept {
  return (!e.at_least || value >= *e.at_least) && (!e.at_most || value <= *e.at_most);
}

standing verdict::stands() const noexcept {
  if (!meets(*of, value)) return standing::fails;
  return meets(*of, low) && meets(*of, high) ? standing::holds : standing::at_stated_only;
}

std::vector<point_at> points_of(experiment const& what, expectation const& e, std::size_t panel,
                                figure_setting const& figures) {
  std::vector<point_at> all;
  auto const add = [&](std::string const& series, double x) {
    auto const at = std::ranges::find(what.series, series, &experiment_series::name);
    all.push_back({panel, static_cast<std::size_t>(at - what.series.begin()), x, figures});
  };
  if (e.rising) {
    for (double const x : what.x.values) add(e.of.series, x);
    return all;
  }
  add(e.of.series, e.of.x);
  if (e.over) add(e.over->series, e.over->x);
  return all;
}

double value_of(expectation const& e, std::vector<measured_point const*> const& points) {
  std::vector<double> values;
  for (measured_point const* const p : points) values.push_back(value_of(*p, e.what));
  if (!e.rising) return values.size() == 1 ? values[0] : quotient(values[0], values[1]);
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (values[i - 1] > 0) least = std::min(least, values[i] / values[i - 1]);
  }
  return least;
}

std::vector<expectation const*> expected_of(experiment const& what, std::size_t panel) {
  std::vector<expectation const*> all;
  for (expectation const& e : what.expected) {
    if (e.panel.empty() || e.panel == what.panels[panel].name) all.push_back(&e);
  }
  return all;
}

std::vector<verdict> verdicts_of(experiment_study& study, std::size_t panel) {
  std::string const& name = study.what().panels[panel].name;
  std::vector<verdict> all;
  for (expectation const* const e : expected_of(study.what(), panel)) {
    auto const value_with = [&](sim::bound figures) {
      std::vector<measured_point const*> points;
      for (point_at const& p : points_of(study.what(), *e, panel, {.all = figures})) points.push_back(&study.at(p));
      return value_of(*e, points);
    };
    verdict v{.of = e, .panel = name, .value = value_with(sim::bound::stated)};
    v.low = value_with(sim::bound::low);
    v.high = value_with(sim::bound::high);
    all.push_back(v);
  }
  return all;
}

}  // namespace skua::cli
