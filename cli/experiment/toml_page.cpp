// SPDX-License-Identifier: MIT
#include "cli/experiment/toml_page.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "cli/text/option_values.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/base/printable.hpp"
#include "skua/parts/base/toml_depth.hpp"

namespace skua::cli {
namespace {

std::uint32_t line_of(toml::node const& what) { return static_cast<std::uint32_t>(what.source().begin.line); }

/// `origin` and `key` are for messages.
double number_of(toml::node const& what, std::string_view origin, std::string_view key) {
  double value = std::nan("");
  if (auto const* const whole = what.as_integer()) value = static_cast<double>(whole->get());
  if (auto const* const real = what.as_floating_point()) value = real->get();
  if (!std::isfinite(value))
    refuse_line(origin, line_of(what), fmt::format("{} is not a number; allowed: a number", key));
  return value;
}

toml::table parsed(std::string_view text, std::string_view origin) {
  try {
    return toml::parse(text);
  } catch (toml::parse_error const& fault) {
    refuse_line(origin, static_cast<std::uint32_t>(fault.source().begin.line),
                fmt::format("this is not TOML: {}", fault.description()));
  }
}

}  // namespace

struct toml_page::content {
  std::shared_ptr<toml::table const> all;
  toml::table const& here;
};

void refuse_line(std::string_view origin, std::uint32_t line, std::string const& why) {
  throw usage_error(runtime::printable(fmt::format("{}:{}: {}", origin, line, why)));
}

toml_page::toml_page(std::shared_ptr<content const> in, std::string_view origin, std::string where)
    : in_(std::move(in)), origin_(origin), where_(std::move(where)) {}

toml_page toml_page::read(std::string_view text, std::string_view origin) {
  if (std::uint32_t const line = runtime::line_of_deep_key(text); line > 0)
    refuse_line(origin, line, fmt::format("a key has more than {} parts", runtime::most_key_parts));
  auto const all = std::make_shared<toml::table const>(parsed(text, origin));
  return {std::make_shared<content const>(all, *all), origin, ""};
}

bool toml_page::has(std::string_view key) const { return in_->here.get(key) != nullptr; }

void toml_page::allow(std::vector<std::string_view> const& keys) const {
  for (auto const& [key, what] : in_->here) {
    if (std::ranges::find(keys, key.str()) != keys.end()) continue;
    refuse_line(origin_, static_cast<std::uint32_t>(key.source().begin.line),
                unknown_name("key" + (where_.empty() ? "" : " in " + where_), key.str(), keys));
  }
}

std::uint32_t toml_page::line(std::string_view key) const {
  toml::node const* const what = key.empty() ? nullptr : in_->here.get(key);
  return std::max(1U, line_of(what == nullptr ? static_cast<toml::node const&>(in_->here) : *what));
}

void toml_page::refuse(std::string_view key, std::string const& why) const { refuse_line(origin_, line(key), why); }

void toml_page::refuse_kind(std::string_view key, std::string_view allowed) const {
  refuse(key, fmt::format("{} is {}; allowed: {}", key, has(key) ? "of the wrong type" : "missing", allowed));
}

std::string toml_page::text(std::string_view key) const {
  toml::node const* const what = in_->here.get(key);
  std::string const place = where_.empty() ? "" : " in " + where_;
  if (what == nullptr) refuse("", fmt::format("{} is missing{}; allowed: text in quotes", key, place));
  auto const* const quoted = what->as_string();
  if (quoted == nullptr || quoted->get().empty()) refuse_kind(key, "text in quotes");
  std::string line = quoted->get();
  std::ranges::replace(line, '\n', ' ');
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

std::string toml_page::text_or(std::string_view key, std::string_view otherwise) const {
  return has(key) ? text(key) : std::string{otherwise};
}

std::vector<std::string> toml_page::list(std::string_view key) const {
  toml::node const* const what = in_->here.get(key);
  if (what == nullptr) return {};
  if (what->is_string()) return {text(key)};
  std::vector<std::string> all;
  if (what->is_array()) {
    for (toml::node const& item : *what->as_array()) {
      if (!item.is_string()) refuse_kind(key, "text in quotes, or a list of such texts");
      all.push_back(item.as_string()->get());
    }
  }
  if (all.empty()) refuse_kind(key, "text in quotes, or a list of such texts");
  return all;
}

std::vector<double> toml_page::numbers(std::string_view key) const {
  toml::node const* const what = in_->here.get(key);
  if (what == nullptr || !what->is_array() || what->as_array()->empty())
    refuse_kind(key, "a list of numbers, as in [1, 2, 4]");
  std::vector<double> all;
  for (toml::node const& item : *what->as_array()) all.push_back(number_of(item, origin_, key));
  if (std::ranges::adjacent_find(all, std::greater_equal{}) != all.end())
    refuse(key, fmt::format("{} is not in order; allowed: ascending numbers", key));
  return all;
}

std::optional<double> toml_page::number(std::string_view key) const {
  toml::node const* const what = in_->here.get(key);
  if (what == nullptr) return {};
  return number_of(*what, origin_, key);
}

double toml_page::number(std::string_view key, double least, double most, double otherwise) const {
  double const value = number(key).value_or(otherwise);
  if (!(value >= least && value <= most))
    refuse(key, fmt::format("{} is {}; allowed: {} to {}", key, value, least, most));
  return value;
}

bool toml_page::flag(std::string_view key) const {
  toml::node const* const what = in_->here.get(key);
  if (what == nullptr) return false;
  if (!what->is_boolean()) refuse_kind(key, "true or false");
  return what->as_boolean()->get();
}

std::vector<toml_page> toml_page::pages(std::string_view key) const {
  toml::node const* const what = in_->here.get(key);
  if (what == nullptr) return {};
  if (!what->is_array_of_tables()) refuse_kind(key, fmt::format("tables, each with the heading [[{}]]", key));
  std::vector<toml_page> all;
  for (toml::node const& item : *what->as_array())
    all.push_back({std::make_shared<content const>(in_->all, *item.as_table()), origin_, fmt::format("[[{}]]", key)});
  return all;
}

std::optional<toml_page> toml_page::page(std::string_view key) const {
  toml::node const* const what = in_->here.get(key);
  if (what == nullptr) return {};
  if (!what->is_table()) refuse_kind(key, fmt::format("a table, {0} = {{ ... }} or [{0}]", key));
  return toml_page{std::make_shared<content const>(in_->all, *what->as_table()), origin_, fmt::format("[{}]", key)};
}

std::vector<std::string> toml_page::keys() const {
  std::vector<std::string> all;
  for (auto const& [key, what] : in_->here) all.emplace_back(key.str());
  return all;
}

}  // namespace skua::cli
