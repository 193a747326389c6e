// SPDX-License-Identifier: MIT
#include "cli/measure/choices.hpp"

#include <fmt/format.h>

#include "cli/text/short_name.hpp"

namespace skua::cli {
namespace {

cell since(policies::call_choice const& c) {
  if (c.is_of_earlier_run()) return {c.since_call, "an earlier run"};
  if (c.since_group == 1) return {c.since_call, fmt::format("call {}", c.since_call)};
  return {c.since_call, fmt::format("call {}, group {}", c.since_call, c.since_group)};
}

json last_ratios(policies::call_choice const& c) {
  json all = json::object();
  for (policies::call_choice::trials_of const& t : c.others) {
    if (t.ratio > 0) all[t.scheduler] = t.ratio;
  }
  return all;
}

cell trials(policies::call_choice const& c) {
  std::string const each = trials_text(c);
  return {c.trials(), each.empty() ? "none" : each};
}

}  // namespace

report choices_report(std::span<policies::call_choice const> all) {
  report rows;
  for (policies::call_choice const& c : all) {
    if (c.calls == c.earlier_calls) continue;
    rows.add_named({
        {"call", "call", {c.call, short_name(c.call)}, false},
        {"scheduler", "scheduler", cell::of(c.scheduler), false},
        {"evidence", "why", {policies::evidence_words[static_cast<std::size_t>(c.why)], reason_of(c)}, false},
        {"time_over_last_choice", "", cell::of(c.gain)},
        {"since_call", "since", since(c), false},
        {"since_group", "", cell::of(c.since_group)},
        {"from_earlier_run", "", cell::of(c.is_of_earlier_run())},
        {"calls", "calls", cell::of(c.calls)},
        {"calls_s", "all of them", cell::seconds(c.calls_ns * 1e-9)},
        {"groups", "groups", cell::of(c.groups)},
        {"changes", "", cell::of(c.changes)},
        {"trials_lost_s", "lost by trials", cell::seconds(c.lost_ns * 1e-9)},
        {"trials", "trials", trials(c), false},
        {"trial_over_best", "", cell::of(last_ratios(c))},
    });
  }
  return rows;
}

std::string choices_text(report const& rows) {
  if (rows.rows().empty()) return {};
  return "  what auto chose\n" + rows.text("    ");
}

}  // namespace skua::cli
