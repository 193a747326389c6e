// SPDX-License-Identifier: MIT
#include "cli/text/option_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <span>

#include "skua/parts/base/error.hpp"
#include "skua/parts/base/nearest_name.hpp"
#include "skua/parts/topology/layout.hpp"
#include "skua/policy/balance/balancers.hpp"
#include "skua/policy/combined/named_answers.hpp"
#include "skua/policy/registry.hpp"

namespace skua::cli {

std::string joined(std::vector<std::string_view> const& names) { return fmt::format("{}", fmt::join(names, ", ")); }

void refuse(std::string_view what, std::string_view value, std::string_view allowed) {
  throw usage_error(fmt::format("{} is '{}'; allowed: {}", what, value, allowed));
}

std::string unknown_name(std::string_view what, std::string_view typed, std::vector<std::string_view> const& names) {
  std::string text = fmt::format("{} is '{}'; allowed: {}", what, typed, joined(names));
  std::string_view const nearest = runtime::nearest_name(typed, names);
  if (!nearest.empty()) text += fmt::format("; did you mean '{}'?", nearest);
  return text;
}

void refuse_name(std::string_view what, std::string_view typed, std::vector<std::string_view> const& names) {
  throw usage_error(unknown_name(what, typed, names));
}

void refuse_together(std::string_view option, std::string_view other, std::string_view why) {
  throw usage_error(fmt::format("{} is given with {}; allowed: one of them, because {}", option, other, why));
}

void refuse_without(std::string_view option, std::string_view other, std::string_view why) {
  throw usage_error(fmt::format("{0} is given without {1}; allowed: only with {1}, because {2}", option, other, why));
}

std::uint32_t read_whole_number(std::string_view option, std::string_view text, std::uint32_t least,
                                std::uint32_t most) {
  std::uint32_t number = 0;
  auto const [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc{} || end != text.data() + text.size() || number < least || number > most)
    refuse(option, text, fmt::format("a whole number from {} to {}", least, most));
  return number;
}

std::optional<double> number_in(std::string_view text) {
  double number = 0;
  auto const [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  bool const is_one = fault == std::errc{} && end == text.data() + text.size() && std::isfinite(number);
  return is_one ? std::optional(number) : std::nullopt;
}

double read_number(std::string_view option, std::string_view text, double least, double most,
                   std::string_view allowed) {
  std::optional<double> const number = number_in(text);
  if (!number || *number < least || *number > most) refuse(option, text, allowed);
  return *number;
}

std::vector<std::string> items_of(std::string_view option, std::string_view list) {
  std::vector<std::string> items;
  for (std::string_view rest = list;;) {
    auto const comma = rest.find(',');
    std::string_view item = rest.substr(0, comma);
    auto const first = item.find_first_not_of(" \t");
    if (first == std::string_view::npos) refuse(option, list, "items with a comma between each two, as in a,b,c");
    item = item.substr(first, item.find_last_not_of(" \t") - first + 1);
    items.emplace_back(item);
    if (comma == std::string_view::npos) return items;
    rest.remove_prefix(comma + 1);
  }
}

std::vector<std::string> names_in(std::string_view option, std::string_view list) {
  return list == "none" ? std::vector<std::string>{} : items_of(option, list);
}

namespace {

using options_of = std::span<policies::known_option const>(std::string_view name);

/// The options of the entry with this name; none if there is no such entry.
template <class Entry>
std::span<policies::known_option const> options_in(std::span<Entry const> entries, std::string_view name) {
  auto const entry = std::ranges::find(entries, name, &Entry::name);
  return entry == entries.end() ? std::span<policies::known_option const>{} : entry->options;
}

/// Whether `item` is one more option of `whole`, which has one.
bool is_option_of(std::string_view whole, std::string_view item, options_of* options) {
  whole = policies::without_prefixes(whole);
  auto const colon = whole.find(':');
  if (colon == std::string_view::npos) return false;
  if (item.find('=') < item.find(':')) return true;
  auto const known = options(whole.substr(0, colon));
  return std::ranges::find(known, item, &policies::known_option::word) != known.end();
}

/// The last answer of a combined policy, without its word.
std::string_view last_answer(std::string_view whole) {
  for (std::size_t at = whole.size(); at > 0; --at) {
    std::string_view const word = policies::answer_of(whole.substr(at - 1));
    if (!word.empty()) return whole.substr(at + word.size());
  }
  return {};
}

/// Whether `item` continues `whole`: as an option, or as an answer that it does not have yet.
bool belongs_to(std::string_view whole, std::string_view item, options_of* options) {
  std::string_view const first = policies::answer_of(whole);
  std::string_view const answer = policies::answer_of(item);
  if (!answer.empty())
    return !first.empty() && answer != first && whole.find(fmt::format(",{}=", answer)) == whole.npos;
  return is_option_of(first.empty() ? whole : last_answer(whole), item, options);
}

/// The items of a list, each with its options.
std::vector<std::string> with_options(std::vector<std::string> items, options_of* options) {
  std::vector<std::string> whole;
  for (std::string& item : items) {
    if (!whole.empty() && belongs_to(whole.back(), item, options)) {
      whole.back() += fmt::format(",{}", item);
    } else {
      whole.push_back(std::move(item));
    }
  }
  return whole;
}

}  // namespace

std::vector<std::string> policies_in(std::string_view option, std::string_view list) {
  std::vector<std::string> policies;
  auto const options = [](std::string_view name) { return options_in(policies::all(), name); };
  for (std::string& name : with_options(names_in(option, list), options)) {
    static_cast<void>(policies::make_policy(name, layout::flat(1), 0));
    add_new(policies, std::move(name), option, list);
  }
  return policies;
}

std::vector<std::string> balancers_in(std::string_view option, std::string_view list) {
  std::vector<std::string> balancers;
  auto const options = [](std::string_view name) { return options_in(policies::balance::all(), name); };
  // "none" is a balancer here.
  for (std::string& name : with_options(items_of(option, list), options)) {
    static_cast<void>(policies::balance::make_balancer(name));
    add_new(balancers, std::move(name), option, list);
  }
  return balancers;
}

}  // namespace skua::cli
