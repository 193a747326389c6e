// SPDX-License-Identifier: MIT
// Sensitivities as text, as JSON and as CSV. All say "simulated" and name the machine model.
#include <fmt/format.h>

#include <algorithm>

#include "cli/experiment/results.hpp"
#include "cli/experiment/sensitivity.hpp"
#include "cli/simulate/results.hpp"

namespace skua::cli {
namespace {

/// "fails at low", "holds at high", "fails at both"; empty if the verdict stays.
std::string change_of_verdict(sensitivity const& s, effect const& e) {
  bool const as_stated = meets(*s.of, s.value);
  bool const low = meets(*s.of, e.at_low) != as_stated;
  bool const high = meets(*s.of, e.at_high) != as_stated;
  if (!low && !high) return "";
  return fmt::format("{} at {}", as_stated ? "fails" : "holds", low && high ? "both" : low ? "low" : "high");
}

std::string table_of(sensitivity const& s, double threshold) {
  table t({{"figure"},
           {"low", true},
           {"stated", true},
           {"high", true},
           {"here at low", true},
           {"at high", true},
           {"change", true},
           {"verdict"}});
  std::size_t others = 0;
  for (effect const& e : s.effects) {
    if (s.change(e) < threshold && !s.changes_verdict(e)) {
      ++others;
      continue;
    }
    t.add({e.figure.key, fmt::format("{:.4g}", e.figure.low), fmt::format("{:.4g}", e.figure.value),
           fmt::format("{:.4g}", e.figure.high), fmt::format("{:.3g}", e.at_low), fmt::format("{:.3g}", e.at_high),
           in_percent(s.change(e), 0), change_of_verdict(s, e)});
  }
  std::string const rest =
      others == 0 ? ""
                  : fmt::format("  {} by less than {}\n",
                                others == 1 ? "1 figure changes it" : fmt::format("{} figures change it", others),
                                in_percent(threshold, 0));
  return (others < s.effects.size() ? t.text("  ") : "") + rest;
}

json bound_of(std::optional<double> b) { return b ? json(*b) : json(); }

report rows_of(sensitivities const& all) {
  std::vector<report::column> columns;
  for (char const* const key :
       {"experiment", "model", "simulated", "panel", "says", "at_least", "at_most", "value", "holds_as_stated",
        "figure", "low", "stated_value", "high", "value_at_low", "value_at_high", "change_share", "changes_verdict"})
    columns.push_back({key, ""});
  report made(std::move(columns));
  for (sensitivity const& s : all.all) {
    for (effect const& e : s.effects) {
      made.add({cell::of(all.of->name), cell::of(all.machine), cell::of(true), cell::of(s.panel), cell::of(s.of->says),
                cell::of(bound_of(s.of->at_least)), cell::of(bound_of(s.of->at_most)), cell::of(s.value),
                cell::of(meets(*s.of, s.value)), cell::of(e.figure.key), cell::of(e.figure.low),
                cell::of(e.figure.value), cell::of(e.figure.high), cell::of(e.at_low), cell::of(e.at_high),
                cell::of(s.change(e)), cell::of(s.changes_verdict(e))});
    }
  }
  return made;
}

json claim_of(sensitivity const& s) {
  json all{{"says", s.of->says},
           {"panel", s.panel},
           {"at_least", bound_of(s.of->at_least)},
           {"at_most", bound_of(s.of->at_most)},
           {"value", s.value},
           {"holds_as_stated", meets(*s.of, s.value)},
           {"stated", s.of->stated},
           {"figures", json::array()}};
  for (effect const& e : s.effects) {
    all["figures"].push_back({{"figure", e.figure.key},
                              {"low", e.figure.low},
                              {"stated_value", e.figure.value},
                              {"high", e.figure.high},
                              {"source", e.figure.source},
                              {"value_at_low", e.at_low},
                              {"value_at_high", e.at_high},
                              {"change_share", s.change(e)},
                              {"changes_verdict", s.changes_verdict(e)}});
  }
  return all;
}

}  // namespace

std::string text_of(sensitivities const& all) {
  experiment const& e = *all.of;
  std::string text = fmt::format(
      "{}: {}\n  {}\n  one-at-a-time sensitivity, simulated on the machine model {}: each figure alone at the low and "
      "at\n"
      "  the high end of its range, all others as stated\n",
      e.name, e.title, e.where, all.machine);
  if (all.done < all.planned)
    text += fmt::format("  interrupted after {} of {} simulated points\n", all.done, all.planned);
  for (sensitivity const& s : all.all) {
    text += fmt::format("\n{}{}: {:.3g} ({}), {} as stated\n", s.panel == e.title ? "" : s.panel + ": ", s.of->says,
                        s.value, bounds_of(*s.of), meets(*s.of, s.value) ? "holds" : "fails");
    text += table_of(s, all.threshold);
  }
  return text;
}

json to_json(sensitivities const& all, sim::machine_model const& machine) {
  json made = document_of("experiment --vary", *all.of, all.done, all.planned);
  made["threshold_share"] = all.threshold;
  made.update(to_json(machine));
  made["claims"] = json::array();
  for (sensitivity const& s : all.all) made["claims"].push_back(claim_of(s));
  return made;
}

std::string csv_of(sensitivities const& all) { return rows_of(all).csv(); }

}  // namespace skua::cli
