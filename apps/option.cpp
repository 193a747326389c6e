// SPDX-License-Identifier: MIT
#include "apps/option.hpp"

#include <stdexcept>

#include "apps/checks.hpp"

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

void require_allowed(std::string_view app, std::span<option const> options) {
  for (option const& o : options) {
    if (std::holds_alternative<no_limits>(o.limits)) continue;
    is_within const check{std::string(app) + ": " + std::string(o.names.substr(0, o.names.find(',')))};
    std::visit([&](auto limits, auto const* value) { check(limits, *value); }, o.limits, o.value);
  }
}

}  // namespace skua::apps
