// SPDX-License-Identifier: MIT
#include "apps/option.hpp"

#include <algorithm>
#include <stdexcept>

#include "apps/checks.hpp"
#include "apps/parameter.hpp"

namespace skua::apps {
namespace {

/// `what` names the option in the message.
struct is_within {
  std::string what;

  void operator()(whole_limits by, std::int64_t value) const { require_between(what, value, by.least, by.most); }
  void operator()(whole_limits by, double value) const {
    require_between(what, value, static_cast<double>(by.least), static_cast<double>(by.most));
  }
  void operator()(real_limits by, double value) const { require_between(what, value, by.least, by.most); }
  void operator()(word_limits by, std::string const& value) const { require_one_of(what, by.words, value); }
  template <class Limits, class T>
  void operator()(Limits by, std::optional<T> const& value) const {
    if (value) (*this)(by, *value);
  }
  template <class Limits, class T>
  void operator()(Limits, T const&) const {
    throw std::logic_error(what + ": the limits are of another type than the value");
  }
};

}  // namespace

std::string_view first_name(option const& of) { return of.names.substr(0, of.names.find(',')); }

void option_table::add_to(std::initializer_list<std::string_view> options, without_effect where) {
  for (std::string_view const name : options) {
    auto const row = std::ranges::find(rows_, name, first_name);
    if (row == rows_.end()) throw std::logic_error("there is no option " + std::string(name));
    row->unused.push_back(where);
  }
}

void option_table::has_no_effect(std::initializer_list<std::string_view> options, ways in, std::string_view why) {
  add_to(options, {.in = in, .why = why});
}

void option_table::has_no_effect(std::initializer_list<std::string_view> options, std::string_view beside,
                                 std::string_view why) {
  add_to(options, {.beside = beside, .why = why});
}

void option_table::are_facts(std::initializer_list<std::string_view> options, bool yes) {
  for (option& row : rows_) {
    if (std::ranges::find(options, first_name(row)) != options.end()) row.is_fact = yes;
  }
}

void require_allowed(std::string_view app, std::span<option const> options) {
  for (option const& o : options) {
    if (std::holds_alternative<no_limits>(o.limits)) continue;
    is_within const check{std::string(app) + ": " + std::string(first_name(o))};
    std::visit([&](auto limits, auto const* value) { check(limits, *value); }, o.limits, o.value);
  }
}

}  // namespace skua::apps
