// SPDX-License-Identifier: MIT
#include "apps/app_core.hpp"

#include <algorithm>
#include <new>
#include <optional>
#include <variant>

#include "skua/parts/base/error.hpp"
#include "skua/parts/base/printable.hpp"
#include "skua/parts/base/whole_file.hpp"

namespace skua::apps {
namespace {

json_value fact_of(std::string const& text) { return text.empty() ? json_value() : json_value(text); }
template <class T>
json_value fact_of(T const& value) {
  return value;
}
template <class T>
json_value fact_of(std::optional<T> const& value) {
  return value ? fact_of(*value) : json_value();
}

/// "--leaf-rows,--rows" is leaf_rows.
std::string key_of(std::string_view names) {
  std::string key(names.substr(2, names.find(',') - 2));
  std::ranges::replace(key, '-', '_');
  return key;
}

}  // namespace

void app_core::prepare() {
  ran_ = false;
  require_allowed(name_, rows());
  try {
    build();
  } catch (std::bad_alloc const&) {
    throw resource_error(std::string(name_) + ": no memory for " + too_large());
  }
}

std::string app_core::wrong() { return ran_ ? check() : std::string(name_) + ": no run yet"; }

json_value app_core::facts() const {
  json_value all = json_value::object();
  for (option const& o : rows()) {
    if (!o.is_fact) continue;
    json_value fact = std::visit([](auto const* value) { return fact_of(*value); }, o.value);
    if (!fact.is_null()) all[key_of(o.names)] = std::move(fact);
  }
  add_facts(all);
  return all;
}

void app_core::require_writable(std::string_view option, std::string const& file) const {
  if (file.empty()) return;
  if (auto const fault = runtime::fault_of_writing(file); fault) {
    throw usage_error(std::string(name_) + ": " + std::string(option) + " " + runtime::printable(file) +
                      " cannot be written: " + fault.in_words());
  }
}

}  // namespace skua::apps
