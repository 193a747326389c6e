// SPDX-License-Identifier: MIT
#include "cli/experiment/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>

namespace skua::cli {

std::string_view name_of(standing s) noexcept {
  switch (s) {
    case standing::holds: return "holds";
    case standing::at_stated_only: return "at the stated values only";
    case standing::not_run: return "not run";
    case standing::fails: break;
  }
  return "does not hold";
}

std::string bounds_of(expectation const& e) {
  if (e.at_least && e.at_most) return fmt::format("{:g} to {:g}", *e.at_least, *e.at_most);
  return e.at_least ? fmt::format(">= {:g}", *e.at_least) : fmt::format("<= {:g}", *e.at_most);
}

bool meets(expectation const& e, double value) noexcept {
  return (!e.at_least || value >= *e.at_least) && (!e.at_most || value <= *e.at_most);
}

standing verdict::stands() const noexcept {
  if (value && !meets(*of, *value)) return standing::fails;
  if (!value || !low || !high) return standing::not_run;
  return meets(*of, *low) && meets(*of, *high) ? standing::holds : standing::at_stated_only;
}

std::vector<point_at> points_of(experiment const& what, expectation const& e, std::size_t panel,
                                figure_setting const& figures) {
  std::vector<point_at> all;
  auto const add = [&](std::string const& series, double x) {
    auto const at = std::ranges::find(what.series, series, &experiment_series::name);
    all.push_back({panel, static_cast<std::size_t>(at - what.series.begin()), x, figures});
  };
  auto const add_all = [&](std::optional<double> x) {
    add(e.of.series, x.value_or(e.of.x));
    for (experiment_point const& p : e.over) add(p.series, x.value_or(p.x));
  };
  if (e.along == extent::one) {
    add_all({});
  } else {
    for (double const x : what.x.values) add_all(x);
  }
  return all;
}

namespace {

/// Of neighbours, where there is something to divide by.
std::vector<double> steps_of(std::vector<double> const& y) {
  std::vector<double> all;
  for (std::size_t i = 1; i < y.size(); ++i) {
    if (y[i - 1] > 0) all.push_back(y[i] / y[i - 1]);
  }
  return all;
}

double least_of(std::vector<double> const& values) {
  return values.empty() ? std::numeric_limits<double>::infinity() : std::ranges::min(values);
}
double most_of(std::vector<double> const& values) {
  return values.empty() ? -std::numeric_limits<double>::infinity() : std::ranges::max(values);
}

}  // namespace

double value_of(expectation const& e, std::vector<measured_point const*> const& points) {
  std::vector<double> values;  // one per x
  for (std::size_t at = 0; at < points.size(); at += 1 + e.over.size()) {
    double const y = value_of(*points[at], e.what);
    double below = 0;
    for (std::size_t i = 1; i <= e.over.size(); ++i) below += value_of(*points[at + i], e.what);
    values.push_back(e.over.empty() ? y : quotient(y, below));
  }
  switch (e.along) {
    case extent::rising: return least_of(steps_of(values));
    case extent::falling: return most_of(steps_of(values));
    case extent::every: return e.at_least ? least_of(values) : most_of(values);
    case extent::some: return e.at_least ? most_of(values) : least_of(values);
    case extent::most: {
      auto const middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
      std::ranges::nth_element(values, middle);
      return *middle;
    }
    case extent::one: break;
  }
  return values.front();
}

std::vector<expectation const*> expected_of(experiment const& what, std::size_t panel) {
  std::vector<expectation const*> all;
  for (expectation const& e : what.expected) {
    if (e.panel.empty() || e.panel == what.panels[panel].name) all.push_back(&e);
  }
  return all;
}

std::optional<double> value_if_known(experiment_study const& study, expectation const& e, std::size_t panel,
                                     figure_setting const& setting) {
  std::vector<measured_point const*> points;
  for (point_at const& p : points_of(study.what(), e, panel, setting)) {
    points.push_back(study.find(p));
    if (points.back() == nullptr) return {};
  }
  return value_of(e, points);
}

std::vector<point_at> points_of_verdicts(experiment const& what, std::size_t panel) {
  std::vector<point_at> all;
  for (expectation const* const e : expected_of(what, panel)) {
    for (sim::bound const figures : {sim::bound::stated, sim::bound::low, sim::bound::high})
      std::ranges::copy(points_of(what, *e, panel, {.all = figures}), std::back_inserter(all));
  }
  return all;
}

std::vector<verdict> verdicts_of(experiment_study const& study, std::size_t panel) {
  std::vector<verdict> all;
  for (expectation const* const e : expected_of(study.what(), panel)) {
    auto const value = [&](sim::bound figures) { return value_if_known(study, *e, panel, {.all = figures}); };
    all.push_back({.of = e,
                   .panel = study.what().panels[panel].name,
                   .value = value(sim::bound::stated),
                   .low = value(sim::bound::low),
                   .high = value(sim::bound::high)});
  }
  return all;
}

}  // namespace skua::cli
