// SPDX-License-Identifier: MIT
#include "apps/json_value.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <ostream>
#include <stdexcept>

namespace skua::apps {
namespace {

using library_value = nlohmann::ordered_json;

library_value of_library(json_value const& from) {
  if (from.is_discarded()) return library_value::value_t::discarded;
  if (from.is_boolean()) return from.get<bool>();
  if (from.is_number_unsigned()) return from.get<std::uint64_t>();
  if (from.is_number_integer()) return from.get<std::int64_t>();
  if (from.is_number_float()) return from.get<double>();
  if (from.is_string()) return from.get<std::string>();
  if (from.is_array()) {
    library_value::array_t all;
    all.reserve(from.size());
    for (json_value const& one : from) all.push_back(of_library(one));
    return all;
  }
  if (from.is_object()) {
    library_value::object_t all;
    all.reserve(from.size());
    // Not emplace(), which searches for the key: here the keys differ.
    for (auto const& [key, value] : from.items()) all.emplace_back(key, of_library(value));
    return all;
  }
  return nullptr;
}

json_value from_library(library_value const& from) {
  using kind = library_value::value_t;
  switch (from.type()) {
    case kind::null: return nullptr;
    case kind::boolean: return from.get<bool>();
    case kind::number_integer: return from.get<std::int64_t>();
    case kind::number_unsigned: return from.get<std::uint64_t>();
    case kind::number_float: return from.get<double>();
    case kind::string: return from.get<std::string>();
    case kind::array: {
      json_value all = json_value::array();
      for (library_value const& one : from) all.push_back(from_library(one));
      return all;
    }
    case kind::object: {
      json_value all = json_value::object();
      for (auto const& [key, value] : from.items()) all[key] = from_library(value);
      return all;
    }
    case kind::binary:
    case kind::discarded: break;
  }
  return json_value::discarded();
}

[[noreturn]] void refuse_kind(char const* wanted) {
  throw std::logic_error(std::string("a JSON value was taken for ") + wanted + ", but has another type");
}

[[noreturn]] void refuse_item(std::string const& wanted) {
  throw std::out_of_range("a JSON value has no item " + wanted);
}

}  // namespace

struct json_value::content {
  std::vector<json_value> items;
  std::vector<std::string> keys;
};

json_value::json_value(std::string text) : kind_(kind::text), holds_{.text = new std::string(std::move(text))} {}

json_value::json_value(std::initializer_list<element> list) {
  bool const is_object = std::ranges::all_of(list, [](element const& e) {
    return e.value_.is_array() && e.value_.size() == 2 && e.value_.front().is_string();
  });
  become(is_object ? kind::object : kind::array);
  holds_.all->items.reserve(list.size());
  for (element const& e : list) {
    if (!is_object) {
      holds_.all->items.push_back(std::move(e.value_));
    } else if (std::string& key = *e.value_.front().holds_.text; !contains(key)) {
      add(std::move(key), std::move(e.value_.back()));
    }
  }
}

json_value::json_value(json_value const& from) : kind_(from.kind_), holds_(from.holds_) {
  if (kind_ == kind::text) holds_.text = new std::string(*from.holds_.text);
  if (has_items()) holds_.all = new content(*from.holds_.all);
}

json_value& json_value::operator=(json_value&& from) noexcept {
  json_value taken(std::move(from));  // first: `from` may lie inside this one
  std::swap(kind_, taken.kind_);
  std::swap(holds_, taken.holds_);
  return *this;
}

json_value& json_value::operator=(json_value const& from) { return *this = json_value(from); }

void json_value::release() noexcept {
  if (kind_ == kind::text) {
    delete holds_.text;
  } else {
    delete holds_.all;
  }
}

std::string json_value::copied(std::string_view text) { return std::string(text); }

json_value json_value::array() {
  json_value made;
  made.become(kind::array);
  return made;
}

json_value json_value::array(std::initializer_list<element> list) {
  json_value made = array();
  made.holds_.all->items.reserve(list.size());
  for (element const& e : list) made.holds_.all->items.push_back(std::move(e.value_));
  return made;
}

json_value json_value::object() {
  json_value made;
  made.become(kind::object);
  return made;
}

json_value json_value::discarded() noexcept {
  json_value made;
  made.kind_ = kind::discarded;
  return made;
}

/// Null becomes an empty array or object; another kind must be the wanted one.
void json_value::become(kind wanted) {
  if (kind_ == kind::null) {
    holds_.all = new content;
    kind_ = wanted;
  }
  if (kind_ != wanted) refuse_kind(wanted == kind::array ? "an array" : "an object");
}

/// Adds a member to an object that lacks the key.
void json_value::add(std::string key, json_value value) {
  holds_.all->keys.push_back(std::move(key));
  holds_.all->items.push_back(std::move(value));
}

std::string const& json_value::text() const {
  if (kind_ != kind::text) refuse_kind("a text");
  return *holds_.text;
}

bool json_value::boolean() const {
  if (kind_ != kind::boolean) refuse_kind("true or false");
  return holds_.boolean;
}

double json_value::real() const {
  if (kind_ != kind::real) refuse_kind("a number");
  return holds_.real;
}

std::size_t json_value::size() const noexcept { return has_items() ? holds_.all->items.size() : 0; }

json_value* json_value::begin() noexcept { return has_items() ? holds_.all->items.data() : nullptr; }

json_value const* json_value::begin() const noexcept { return has_items() ? holds_.all->items.data() : nullptr; }

json_value const& json_value::at(std::size_t index) const {
  if (index >= size()) refuse_item(std::to_string(index));
  return begin()[index];
}

json_value& json_value::at(std::size_t index) {
  if (index >= size()) refuse_item(std::to_string(index));
  return begin()[index];
}

json_value const& json_value::at(std::string_view key) const {
  json_value const* const found = find(key);
  if (found == end()) refuse_item(std::string(key));
  return *found;
}

json_value& json_value::at(std::string_view key) { return begin()[&std::as_const(*this).at(key) - begin()]; }

json_value const* json_value::find(std::string_view key) const noexcept {
  if (kind_ != kind::object) return end();
  auto const& keys = holds_.all->keys;
  return begin() + (std::ranges::find(keys, key) - keys.begin());
}

json_value& json_value::operator[](std::string_view key) {
  become(kind::object);
  auto const at = static_cast<std::size_t>(std::as_const(*this).find(key) - begin());
  if (at == size()) add(std::string(key), nullptr);
  return holds_.all->items[at];
}

void json_value::push_back(json_value one) {
  become(kind::array);
  holds_.all->items.push_back(std::move(one));
}

void json_value::update(json_value const& other) {
  if (!other.is_object()) refuse_kind("an object");
  for (auto const& [key, value] : other.items()) (*this)[key] = value;
}

json_value::members json_value::items() const noexcept {
  if (kind_ != kind::object) return {nullptr, nullptr, 0};
  return {holds_.all->keys.data(), begin(), size()};
}

json_value json_value::sorted() const {
  if (!has_items()) return *this;
  std::vector<std::size_t> order(size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  json_value made;
  made.become(kind_);
  if (kind_ == kind::object) std::ranges::sort(order, {}, [&](std::size_t i) { return holds_.all->keys[i]; });
  for (std::size_t const i : order) {
    if (kind_ == kind::object) made.holds_.all->keys.push_back(holds_.all->keys[i]);
    made.holds_.all->items.push_back(holds_.all->items[i].sorted());
  }
  return made;
}

std::string json_value::dump(int indent) const { return of_library(*this).dump(indent); }

std::string json_value::dump_repaired() const {
  return of_library(*this).dump(-1, ' ', false, library_value::error_handler_t::replace);
}

json_value json_value::parse(std::string_view text) { return from_library(library_value::parse(text, nullptr, false)); }

bool operator==(json_value const& a, json_value const& b) {
  using kind = json_value::kind;
  if (a.is_number() && b.is_number()) {
    if (a.kind_ == kind::real || b.kind_ == kind::real) return a.get<double>() == b.get<double>();
    // A number without a sign that does not fit equals the negative one with the same bits, as in that library.
    return a.get<std::int64_t>() == b.get<std::int64_t>();
  }
  if (a.kind_ != b.kind_ || a.is_discarded()) return false;
  if (a.kind_ == kind::boolean) return a.holds_.boolean == b.holds_.boolean;
  if (a.kind_ == kind::text) return *a.holds_.text == *b.holds_.text;
  return !a.has_items() || (a.holds_.all->keys == b.holds_.all->keys && a.holds_.all->items == b.holds_.all->items);
}

std::ostream& operator<<(std::ostream& to, json_value const& value) { return to << value.dump_repaired(); }

}  // namespace skua::apps
