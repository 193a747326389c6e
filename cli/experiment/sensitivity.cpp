// SPDX-License-Identifier: MIT
#include "cli/experiment/sensitivity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "cli/text/interrupt.hpp"
#include "cli/text/option_values.hpp"
#include "skua/machine/sim/model/model_rules.hpp"
#include "skua/parts/base/error.hpp"

namespace skua::cli {
namespace {

std::pair<double, double> range_in(std::string_view option, std::string_view text) {
  auto const colon = std::min(text.find(':'), text.size());
  auto const low = number_in(text.substr(0, colon));
  auto const high = number_in(text.substr(std::min(colon + 1, text.size())));
  if (!low || !high || *low >= *high) refuse(option, text, "LOW:HIGH, two numbers, the smaller one first");
  return {*low, *high};
}

/// Throws usage_error unless some model may have it: "link.latency_ns[0]" is a figure of a list.
void need_figure(std::string_view key) {
  std::string_view const name = key.substr(0, key.find('['));
  std::vector<std::string> names;
  for (sim::figure_rule const& r : sim::figure_rules()) names.push_back(fmt::format("{}.{}", r.table, r.name));
  if (std::ranges::find(names, name) == names.end()) refuse_name("figure", key, {names.begin(), names.end()});
}

/// The figure as the panel has it; an optional one may be missing from every file.
sim::figure figure_named(experiment_study const& study, std::size_t panel, std::string const& key) {
  std::vector<sim::figure> const all = study.figures_of(panel);
  if (auto const at = std::ranges::find(all, key, &sim::figure::key); at != all.end()) return *at;
  sim::machine_numbers const numbers = study.numbers_of(panel, {});
  for (sim::figure_rule const& r : sim::figure_rules()) {
    if (r.one == nullptr || key != fmt::format("{}.{}", r.table, r.name)) continue;
    return {.key = key, .value = numbers.*r.one, .low = numbers.*r.one, .high = numbers.*r.one};
  }
  throw usage_error(fmt::format("{} has no figure {}", study.machine().origin(), key));
}

std::vector<sim::figure> figures_to_vary(experiment_study const& study, std::size_t panel, variation const& how) {
  std::vector<sim::figure> all;
  if (how.figures.empty()) {
    for (sim::figure const& f : study.figures_of(panel)) {
      if (f.assumed && f.low < f.high) all.push_back(f);
    }
    return all;
  }
  for (varied_figure const& wanted : how.figures) {
    sim::figure f = figure_named(study, panel, wanted.key);
    if (wanted.range) std::tie(f.low, f.high) = *wanted.range;
    if (!(f.low < f.high))
      throw usage_error(
          fmt::format("figure {} has no range in {}; allowed: {}=LOW:HIGH", f.key, study.machine().origin(), f.key));
    for (double const end : {f.low, f.high})
      static_cast<void>(study.numbers_of(panel, {.varied = f.key, .value = end}));  // refuses what it cannot be
    all.push_back(std::move(f));
  }
  return all;
}

figure_setting with(sim::figure const& f, sim::bound end) { return {.varied = f.key, .value = f.at(end)}; }

/// The points of a panel, each once. A study keeps the recordings of one x only, so points of an x are together; then
/// those of a figure, so that a Ctrl-C leaves complete figures.
std::vector<point_at> plan_of(experiment_study const& study, std::size_t panel,
                              std::vector<sim::figure> const& figures) {
  experiment const& what = study.what();
  std::vector<point_at> stated;
  for (expectation const* const e : expected_of(what, panel))
    std::ranges::copy(points_of(what, *e, panel, {}), std::back_inserter(stated));
  std::ranges::sort(stated, {}, [](point_at const& p) { return std::pair{p.x, p.series}; });
  stated.erase(std::unique(stated.begin(), stated.end()), stated.end());
  std::vector<figure_setting> settings{{}};
  for (sim::figure const& f : figures) {
    for (sim::bound const end : {sim::bound::low, sim::bound::high}) settings.push_back(with(f, end));
  }
  std::vector<point_at> all;
  for (auto first = stated.begin(); first != stated.end();) {
    bool const together = what.x.option.empty();
    auto const last =
        together ? stated.end()
                 : std::ranges::find_if(first, stated.end(), [&](point_at const& p) { return p.x != first->x; });
    for (figure_setting const& setting : settings) {
      for (auto p = first; p != last; ++p) all.push_back({p->panel, p->series, p->x, setting});
    }
    first = last;
  }
  return all;
}

std::optional<sensitivity> sensitivity_of(experiment_study const& study, expectation const& e, std::size_t panel,
                                          std::vector<sim::figure> const& figures) {
  std::optional<double> const value = value_if_known(study, e, panel, {});
  if (!value) return {};
  sensitivity made{.of = &e, .panel = study.what().panels[panel].name, .value = *value, .effects = {}};
  for (sim::figure const& f : figures) {
    std::optional<double> const low = value_if_known(study, e, panel, with(f, sim::bound::low));
    std::optional<double> const high = value_if_known(study, e, panel, with(f, sim::bound::high));
    if (low && high) made.effects.push_back({f, *low, *high});
  }
  std::ranges::sort(made.effects, {}, [&](effect const& x) { return std::pair{-made.change(x), x.figure.key}; });
  return made;
}

}  // namespace

std::vector<varied_figure> varied_figures_in(std::string_view option, std::string_view list) {
  std::vector<varied_figure> all;
  if (list.empty()) return all;
  for (std::string const& item : items_of(option, list)) {
    auto const equals = item.find('=');
    varied_figure made{.key = item.substr(0, equals)};
    need_figure(made.key);
    if (equals != std::string::npos) made.range = range_in(option, std::string_view(item).substr(equals + 1));
    if (std::ranges::find(all, made.key, &varied_figure::key) != all.end()) refuse(option, list, "each figure once");
    all.push_back(std::move(made));
  }
  return all;
}

double sensitivity::change(effect const& e) const noexcept {
  double const most = std::max(std::abs(e.at_low - value), std::abs(e.at_high - value));
  return quotient(most, std::abs(value));
}

bool sensitivity::changes_verdict(effect const& e) const noexcept {
  bool const as_stated = meets(*of, value);
  return meets(*of, e.at_low) != as_stated || meets(*of, e.at_high) != as_stated;
}

sensitivities sensitivities_of(experiment_study& study, variation const& how,
                               std::function<void(std::size_t, std::size_t)> const& before_run) {
  experiment const& what = study.what();
  sensitivities made{.of = &what, .machine = study.machine().name(), .threshold = how.threshold, .all = {}};
  std::vector<std::vector<sim::figure>> figures;
  std::vector<point_at> plan;
  for (std::size_t panel = 0; panel < what.panels.size(); ++panel) {
    figures.push_back(figures_to_vary(study, panel, how));
    std::ranges::copy(plan_of(study, panel, figures.back()), std::back_inserter(plan));
  }
  made.planned = plan.size();
  try {
    for (point_at const& p : plan) {
      stop_if_interrupted();
      before_run(made.done, made.planned);
      static_cast<void>(study.at(p));
      ++made.done;
      keep_after_interrupts();
    }
  } catch (interruption const&) {
    // Complete points are kept.
  }
  for (std::size_t panel = 0; panel < what.panels.size(); ++panel) {
    for (expectation const* const e : expected_of(what, panel)) {
      if (auto found = sensitivity_of(study, *e, panel, figures[panel])) made.all.push_back(std::move(*found));
    }
  }
  return made;
}

}  // namespace skua::cli
