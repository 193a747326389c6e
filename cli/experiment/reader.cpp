// SPDX-License-Identifier: MIT
// Reads the file of an experiment, checks every name in it, and reports a mistake with its line.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "cli/experiment/definition.hpp"
#include "cli/experiment/toml_page.hpp"
#include "cli/simulate/program.hpp"
#include "cli/text/app_arguments.hpp"
#include "cli/text/option_values.hpp"
#include "skua/machine/sim/model/machine_models.hpp"
#include "skua/machine/sim/model/model_rules.hpp"
#include "skua/machine/sim/model/page_homes.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/policy/registry.hpp"

namespace skua::cli {
namespace {

/// Of a panel, but for its name.
constexpr std::array<std::string_view, 10> panel_keys{
    "app",     "options", "quick", "quick_name", "placement", "cache_scale", "leaf_ns_per_byte", "in_place_ns_per_byte",
    "task_ns", "figures"};

class reader {
 public:
  reader(toml_page top, std::string_view name, std::string_view origin, std::optional<std::string> const& machine)
      : top_(std::move(top)), other_machine_(machine) {
    made_.name = name;
    made_.origin = origin;
  }

  experiment take() {
    std::vector<std::string_view> keys;
    for (char const* const key :
         {"title", "where", "claim", "quantity", "fact", "chart", "machine", "seats", "serial_placement", "workers",
          "at_workers", "x", "seeds", "panel", "series", "expect", "stated"})
      keys.emplace_back(key);
    keys.insert(keys.end(), panel_keys.begin(), panel_keys.end());  // of all panels, or of the only one
    top_.allow(keys);
    heading();
    machine();
    axis();
    for (toml_page const& p : top_.pages("panel")) panel(p);
    if (made_.panels.empty()) panel(top_);
    for (toml_page const& s : top_.pages("series")) series(s);
    if (made_.series.empty()) top_.refuse("", "[[series]] is missing; allowed: at least one, with name and policy");
    try_apps();
    for (toml_page const& e : top_.pages("expect")) expect(e);
    for (toml_page const& s : top_.pages("stated")) stated(s);
    return std::move(made_);
  }

 private:
  /// Adds the line of `key` to a usage_error of `attempt`.
  template <class F>
  static auto at_line(toml_page const& in, std::string_view key, F&& attempt) {
    try {
      return attempt();
    } catch (usage_error const& fault) {
      in.refuse(key, fault.what());
    }
  }

  static std::size_t choice(toml_page const& in, std::string_view key, std::vector<std::string_view> const& names) {
    std::string const chosen = in.text_or(key, names.front());
    auto const at = std::ranges::find(names, chosen);
    if (at == names.end()) in.refuse(key, unknown_name(key, chosen, names));
    return static_cast<std::size_t>(at - names.begin());
  }

  quantity quantity_in(toml_page const& in, std::string_view key, quantity otherwise) const {
    if (!in.has(key)) return otherwise;
    auto const found = static_cast<quantity>(choice(in, key, quantity_names()));
    if (found == quantity::fact && made_.fact.empty())
      in.refuse(key, "the fact is missing; allowed: fact = \"KEY\" at the top, a number that the app reports");
    return found;
  }

  void heading() {
    made_.title = top_.text("title");
    made_.where = top_.text("where");
    made_.claim = top_.text("claim");
    made_.fact = top_.text_or("fact", "");
    made_.shown = quantity_in(top_, "quantity", quantity::speed_up);
    made_.chart = static_cast<chart_kind>(choice(top_, "chart", {"lines", "bars", "breakdown"}));
    made_.seeds = whole(top_, "seeds", 1, 100, 1);
  }

  static std::uint32_t whole(toml_page const& in, std::string_view key, std::uint32_t least, std::uint32_t most,
                             std::uint32_t otherwise) {
    double const value = in.number(key, least, most, otherwise);
    auto const number = static_cast<std::uint32_t>(value);
    if (static_cast<double>(number) != value)
      in.refuse(key, fmt::format("{} is {}; allowed: a whole number", key, value));
    return number;
  }

  void machine() {
    made_.machine = top_.text("machine");
    auto const own = at_line(top_, "machine", [&] { return sim::machine_model::load(made_.machine); });
    most_workers_ = static_cast<std::uint32_t>(own.tree().pus().size());
    if (other_machine_) {
      made_.machine = *other_machine_;
      most_workers_ = static_cast<std::uint32_t>(sim::machine_model::load(made_.machine).tree().pus().size());
    }
    made_.seats =
        choice(top_, "seats", {"compact", "scatter"}) == 0 ? runtime::spread::compact : runtime::spread::scatter;
    made_.serial_placement = top_.text_or("serial_placement", "first-touch");
    placement(top_, "serial_placement", made_.serial_placement);
  }

  static void placement(toml_page const& in, std::string_view key, std::string const& text) {
    at_line(in, key, [&] { return sim::page_placement::read(key, text); });
  }

  void axis() {
    made_.workers = most_workers_;
    if (std::optional<toml_page> const x = top_.page("x")) {
      x->allow({"option", "label", "values", "log"});
      made_.x = {.option = x->text("option"),
                 .label = x->text("label"),
                 .values = x->numbers("values"),
                 .is_log = x->flag("log")};
      made_.workers = whole(top_, "at_workers", 1, most_workers_, most_workers_);
      if (top_.has("workers")) top_.refuse("workers", "workers is given with x; allowed: at_workers, a single number");
      return;
    }
    made_.x = {.values = top_.numbers("workers"), .is_log = false};
    for (double const w : made_.x.values) {
      if (w < 1 || w > most_workers_ || w != static_cast<std::uint32_t>(w))
        top_.refuse("workers",
                    fmt::format("a number of workers is {}; allowed: a whole number from 1 to {}", w, most_workers_));
    }
  }

  static experiment_run run_in(toml_page const& in) {
    experiment_run run{.app = in.text_or("app", ""),
                       .options = in.text_or("options", ""),
                       .quick = in.text_or("quick", ""),
                       .placements = in.list("placement"),
                       .line = in.line(in.has("options") ? "options"
                                       : in.has("app")   ? "app"
                                                         : "")};
    for (std::string const& p : run.placements) placement(in, "placement", p);
    return run;
  }

  void panel(toml_page const& p) {
    bool const alone = &p == &top_;
    if (!alone) {
      std::vector<std::string_view> keys{"name"};
      keys.insert(keys.end(), panel_keys.begin(), panel_keys.end());
      p.allow(keys);
    }
    experiment_run const common = run_in(top_);
    experiment_run own = run_in(p);
    if (own.app.empty()) own.app = common.app;
    if (own.placements.empty()) own.placements = common.placements;
    if (own.placements.empty()) own.placements = {"first-touch"};
    if (!alone && !common.options.empty()) own.options = common.options + " " + own.options;
    if (own.quick.empty()) own.quick = common.quick;
    experiment_panel made{.name = alone ? made_.title : p.text("name"), .run = std::move(own)};
    made.quick_name = p.text_or("quick_name", top_.text_or("quick_name", made.name));
    made.cache_scale = inherited(p, "cache_scale", 0.001, 1, 1);
    for (toml_page const* const from : {&p, static_cast<toml_page const*>(&top_)}) {
      if (from->has("task_ns") && !made.task_ns) made.task_ns = whole(*from, "task_ns", 1, 1'000'000'000, 1);
    }
    made.leaf_ns_per_byte = inherited(p, "leaf_ns_per_byte", 0, 1e6, 0);
    made.in_place_ns_per_byte = inherited(p, "in_place_ns_per_byte", 0, 1e6, made.leaf_ns_per_byte);
    if (std::optional<toml_page> const given = top_.page("figures")) figures(*given, made);
    if (std::optional<toml_page> const given = p.page("figures"); given && !alone) figures(*given, made);
    if (std::ranges::find(made_.panels, made.name, &experiment_panel::name) != made_.panels.end())
      p.refuse("name", fmt::format("name is '{}'; allowed: a name that no other panel has", made.name));
    made_.panels.push_back(std::move(made));
  }

  double inherited(toml_page const& p, std::string_view key, double least, double most, double otherwise) const {
    return p.number(key, least, most, top_.number(key, least, most, otherwise));
  }

  /// "core.flops_per_ns" = { value = 80, low = 60, high = 100, source = "..." }
  static void figures(toml_page const& in, experiment_panel& to) {
    std::vector<std::string> names;
    std::vector<std::string> shares;
    for (sim::figure_rule const& r : sim::figure_rules()) {
      if (r.one != nullptr) names.push_back(fmt::format("{}.{}", r.table, r.name));
      if (r.need == sim::need::share) shares.push_back(names.back());
    }
    in.allow({names.begin(), names.end()});
    for (std::string const& key : in.keys()) {
      toml_page const f = *in.page(key);
      f.allow({"value", "low", "high", "source"});
      bool const share = std::ranges::find(shares, key) != shares.end();
      double const least = share ? 0 : sim::least_of_any_figure;
      double const most = share ? 1 : sim::most_of_any_figure;
      double const value = f.number("value", least, most, -1);
      sim::figure made{.key = key, .value = value, .assumed = true, .source = f.text("source"), .line = f.line()};
      made.low = f.number("low", least, value, value);
      made.high = f.number("high", value, most, value);
      to.figures.push_back(std::move(made));
    }
  }

  void series(toml_page const& s) {
    s.allow({"name", "policy", "dealing", "app", "options", "quick", "placement"});
    experiment_series made{.name = s.text("name"), .policy = s.text_or("policy", "adws:no-steal"), .run = run_in(s)};
    made.how = choice(s, "dealing", {"by policy", "static"}) == 0 ? dealing::by_policy : dealing::statically;
    if (made.how == dealing::statically) {
      if (s.has("policy")) s.refuse("policy", "policy is given with dealing = \"static\"; allowed: one of them");
      made.policy = "adws:no-steal,equal";  // part i to worker i, also where some workers are slow
    }
    at_line(s, "policy", [&] { return policies::make_policy(made.policy, layout::flat(1), 1); });
    if (made.name.find('@') != std::string::npos)
      s.refuse("name", fmt::format("name is '{}'; allowed: a name without @", made.name));
    if (std::ranges::find(made_.series, made.name, &experiment_series::name) != made_.series.end())
      s.refuse("name", fmt::format("name is '{}'; allowed: a name that no other series has", made.name));
    made_.series.push_back(std::move(made));
  }

  /// Checks that every app exists and has the given options.
  void try_apps() const {
    for (experiment_panel const& p : made_.panels) {
      for (experiment_series const& s : made_.series) {
        for (bool const quick : {false, true}) {
          app_command const command = command_of(made_, p, s, made_.x.values.front(), quick);
          try {
            static_cast<void>(simulation_of(*make_app(command.app, command.options)));
          } catch (usage_error const& fault) {
            refuse_line(made_.origin, s.run.app.empty() ? p.run.line : s.run.line, fault.what());
          }
        }
      }
    }
  }

  void need_panel(toml_page const& in, std::string const& name) const {
    std::vector<std::string_view> names;
    for (experiment_panel const& p : made_.panels) names.push_back(p.name);
    if (std::ranges::find(names, name) == names.end()) in.refuse("panel", unknown_name("panel", name, names));
  }

  void need_series(toml_page const& in, std::string_view key, std::string const& name) const {
    std::vector<std::string_view> names;
    for (experiment_series const& s : made_.series) names.push_back(s.name);
    if (std::ranges::find(names, name) == names.end()) in.refuse(key, unknown_name("series", name, names));
  }

  /// What follows the @: "every", "some" or "most" of the values of x, or one of them.
  static extent extent_of(std::string_view text) {
    auto const at = text.find('@');
    std::string_view const x = at == std::string_view::npos ? "" : text.substr(at + 1);
    return x == "every" ? extent::every : x == "some" ? extent::some : x == "most" ? extent::most : extent::one;
  }

  /// "adws@64"
  experiment_point point(toml_page const& in, std::string_view key) const { return point(in, key, in.text(key)); }
  experiment_point point(toml_page const& in, std::string_view key, std::string const& text) const {
    auto const at = text.find('@');
    experiment_point p{.series = text.substr(0, at)};
    need_series(in, key, p.series);
    if (extent_of(text) != extent::one) return p;
    auto const x = at != std::string::npos ? number_in(std::string_view(text).substr(at + 1)) : std::nullopt;
    p.x = x.value_or(0);
    if (!x || std::ranges::find(made_.x.values, p.x) == made_.x.values.end())
      in.refuse(key, fmt::format("{} is '{}'; allowed: the series, @ and one of the values of x, as in '{}@{}'", key,
                                 text, p.series, made_.x.values.back()));
    return p;
  }

  void expect(toml_page const& e) {
    e.allow({"says", "panel", "quantity", "of", "over", "rising", "falling", "at_least", "at_most", "paper"});
    expectation made{.says = e.text("says"), .what = quantity_in(e, "quantity", made_.shown)};
    if (e.has("panel")) need_panel(e, made.panel = e.text("panel"));
    made.at_least = e.number("at_least");
    made.at_most = e.number("at_most");
    points(e, made);
    if (!made.at_least && !made.at_most)
      e.refuse("", "the bound of [[expect]] is missing; allowed: at_least, at_most or both");
    made.stated = e.text_or("paper", "");
    made_.expected.push_back(std::move(made));
  }

  void points(toml_page const& e, expectation& made) const {
    for (std::string_view const key : {"rising", "falling"}) {
      if (!e.has(key)) continue;
      if (e.has("of") || e.has("over") || (key == "falling" && e.has("rising")))
        e.refuse(key, fmt::format("{} is given with of, over or rising; allowed: {} alone", key, key));
      made.along = key == "rising" ? extent::rising : extent::falling;
      made.of.series = e.text(key);
      need_series(e, key, made.of.series);
      return;
    }
    made.of = point(e, "of");
    made.along = extent_of(e.text("of"));
    if (!e.has("over")) return;
    for (std::string const& each : e.list("over")) {
      if (extent_of(each) != made.along)
        e.refuse("over", "of and over have different x; allowed: both @every, @some or @most, or both a value of x");
      made.over.push_back(point(e, "over", each));
    }
    if ((made.along == extent::every || made.along == extent::some) && made.at_least && made.at_most)
      e.refuse("at_most", "at_most is given with at_least; allowed: one of them with @every and @some");
  }

  void stated(toml_page const& s) {
    s.allow({"panel", "of", "quantity", "value", "note"});
    stated_value made{.panel = s.text_or("panel", made_.panels.front().name), .at = point(s, "of")};
    need_panel(s, made.panel);
    made.of = quantity_in(s, "quantity", made_.shown);
    made.value = s.number("value", 0, 1e15, -1);
    made.note = s.text_or("note", "");
    made_.stated.push_back(std::move(made));
  }

  toml_page top_;
  std::optional<std::string> other_machine_;  ///< none: the file's
  experiment made_;
  std::uint32_t most_workers_ = 1;
};

}  // namespace

experiment parse_experiment(std::string_view text, std::string_view name, std::string_view origin,
                            std::optional<std::string> const& machine) {
  return reader(toml_page::read(text, origin), name, origin, machine).take();
}

}  // namespace skua::cli
