// SPDX-License-Identifier: MIT
#include "cli/text/modes.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <stdexcept>
#include <utility>

#include "cli/text/option_values.hpp"

namespace skua::cli {
namespace {

/// The name that was typed, as far as the parser tells: of a flag that was switched off, the name that does so.
std::string typed_name(CLI::Option const& o) {
  bool const is_off = !o.get_fnames().empty() && !o.results().empty() && o.results().front() == "false";
  return is_off ? fmt::format("--{}", o.get_fnames().front()) : o.get_name();
}

}  // namespace

void command_modes::add(std::string name, std::function<std::string()> asked_by) {
  modes_[std::move(name)] = std::move(asked_by);
}

void command_modes::add(CLI::Option const& option, mode_rule rule) { rules_.push_back({&option, std::move(rule)}); }

void command_modes::note(CLI::Option const& option) { options_.push_back(&option); }

std::string command_modes::asked_by(std::string const& mode) const {
  if (auto const said = modes_.find(mode); said != modes_.end()) return said->second();
  auto const option = std::ranges::find_if(options_, [&](CLI::Option const* o) { return o->check_name(mode); });
  if (option == options_.end()) throw std::logic_error(fmt::format("there is no mode {}", mode));
  return (*option)->count() > 0 ? mode : "";
}

void command_modes::check() const {
  for (auto const& [of, rule] : rules_) {
    std::string const other = asked_by(rule.mode);
    if (of->count() == 0 || other.empty() != (rule.refused_when == mode_rule::when::off)) continue;
    if (other.empty()) refuse_without(typed_name(*of), rule.mode, rule.why);
    refuse_together(typed_name(*of), other, rule.why);
  }
}

}  // namespace skua::cli
