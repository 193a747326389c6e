// SPDX-License-Identifier: MIT
// A value of JSON: the apps' facts about their last run, and the content of the command's reports. It behaves like
// nlohmann::ordered_json as far as it goes, and reads and writes the same text, because that library does both. But
// this header is small: a hundred files include it, and each would take seconds to compile with that library's own.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace skua::apps {

class json_value;

/// A text, but for std::string, which can be moved.
template <class T>
concept json_text = std::convertible_to<T const&, std::string_view> && !std::same_as<T, std::string> &&
                    !std::same_as<T, std::nullptr_t>;

/// What iterates like a list of values.
template <class T>
concept json_range =
    !std::same_as<T, json_value> && !std::same_as<T, std::string> && !json_text<T> && requires(T const& all) {
      { *all.begin() } -> std::convertible_to<json_value>;
      all.end();
    };

/// null, a boolean, a number, a text, an array, or an object whose keys stay in the order in which they came.
class json_value {
 public:
  class element;

  json_value() noexcept {}
  json_value(std::string text);
  /// A list of pairs that begin with a text is an object, any other list an array.
  json_value(std::initializer_list<element> list);
  template <class T>
    requires std::same_as<T, std::nullptr_t>
  json_value(T) noexcept {}
  template <class T>
    requires std::is_arithmetic_v<T>
  json_value(T number) noexcept {
    if constexpr (std::same_as<T, bool>) {
      kind_ = kind::boolean;
      holds_.boolean = number;
    } else if constexpr (std::is_floating_point_v<T>) {
      kind_ = kind::real;
      holds_.real = static_cast<double>(number);
    } else if constexpr (std::is_signed_v<T>) {
      kind_ = kind::integer;
      holds_.integer = number;
    } else {
      kind_ = kind::natural;
      holds_.natural = number;
    }
  }
  template <json_text T>
  json_value(T const& text) : json_value(copied(text)) {}
  template <json_range T>
  json_value(T const& all) : json_value(array()) {
    for (auto const& one : all) push_back(one);
  }
  json_value(json_value&& from) noexcept : kind_(from.kind_), holds_(from.holds_) { from.kind_ = kind::null; }
  json_value(json_value const& from);
  json_value& operator=(json_value&& from) noexcept;
  json_value& operator=(json_value const& from);
  ~json_value() {
    if (is_elsewhere()) release();
  }

  [[nodiscard]] static json_value array();
  [[nodiscard]] static json_value array(std::initializer_list<element> list);
  [[nodiscard]] static json_value object();
  /// No value at all: the result of parsing a text that is not JSON.
  [[nodiscard]] static json_value discarded() noexcept;

  [[nodiscard]] bool is_null() const noexcept { return kind_ == kind::null; }
  [[nodiscard]] bool is_boolean() const noexcept { return kind_ == kind::boolean; }
  /// A number without a fraction, with or without a sign.
  [[nodiscard]] bool is_number_integer() const noexcept { return kind_ == kind::integer || kind_ == kind::natural; }
  [[nodiscard]] bool is_number_unsigned() const noexcept { return kind_ == kind::natural; }
  [[nodiscard]] bool is_number_float() const noexcept { return kind_ == kind::real; }
  [[nodiscard]] bool is_number() const noexcept { return is_number_integer() || is_number_float(); }
  [[nodiscard]] bool is_string() const noexcept { return kind_ == kind::text; }
  [[nodiscard]] bool is_array() const noexcept { return kind_ == kind::array; }
  [[nodiscard]] bool is_object() const noexcept { return kind_ == kind::object; }
  [[nodiscard]] bool is_discarded() const noexcept { return kind_ == kind::discarded; }

  /// A text, a boolean, or a number, which is converted. Throws std::logic_error if this is another kind of value.
  template <class T>
  [[nodiscard]] T get() const {
    if constexpr (std::same_as<T, std::string>) {
      return text();
    } else if constexpr (std::same_as<T, bool>) {
      return boolean();
    } else {
      static_assert(std::is_arithmetic_v<T>);
      if (kind_ == kind::integer) return static_cast<T>(holds_.integer);
      if (kind_ == kind::natural) return static_cast<T>(holds_.natural);
      return static_cast<T>(real());
    }
  }

  /// Of an array or an object; null has none.
  [[nodiscard]] std::size_t size() const noexcept;
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  /// The items of an array, or the values of an object.
  [[nodiscard]] json_value* begin() noexcept;
  [[nodiscard]] json_value* end() noexcept { return begin() + size(); }
  [[nodiscard]] json_value const* begin() const noexcept;
  [[nodiscard]] json_value const* end() const noexcept { return begin() + size(); }
  /// Throw std::out_of_range if there is no such item, and std::logic_error if this is neither array nor object.
  [[nodiscard]] json_value& at(std::size_t index);
  [[nodiscard]] json_value const& at(std::size_t index) const;
  [[nodiscard]] json_value& at(std::string_view key);
  [[nodiscard]] json_value const& at(std::string_view key) const;
  [[nodiscard]] json_value& operator[](std::size_t index) { return at(index); }
  [[nodiscard]] json_value const& operator[](std::size_t index) const { return at(index); }
  /// Adds null under this key if the object lacks it, or makes null an object.
  json_value& operator[](std::string_view key);
  [[nodiscard]] json_value const& operator[](std::string_view key) const { return at(key); }
  [[nodiscard]] json_value& front() { return at(0); }
  [[nodiscard]] json_value const& front() const { return at(0); }
  [[nodiscard]] json_value& back() { return at(size() - 1); }
  [[nodiscard]] json_value const& back() const { return at(size() - 1); }
  /// The value under this key; end(): there is none.
  [[nodiscard]] json_value const* find(std::string_view key) const noexcept;
  [[nodiscard]] bool contains(std::string_view key) const noexcept { return find(key) != end(); }
  template <class T>
  [[nodiscard]] T value(std::string_view key, T otherwise) const {
    json_value const* const found = find(key);
    return found != end() ? found->get<T>() : otherwise;
  }
  [[nodiscard]] std::string value(std::string_view key, char const* otherwise) const {
    return value(key, std::string(otherwise));
  }

  /// Makes null an array.
  void push_back(json_value one);
  template <class... Args>
  json_value& emplace_back(Args&&... args) {
    push_back(json_value(std::forward<Args>(args)...));
    return back();
  }
  /// Takes the keys and values of another object.
  void update(json_value const& other);

  /// The keys and values of an object: for (auto const& [key, value] : object.items()).
  class members;
  [[nodiscard]] members items() const noexcept;
  /// The same with the keys of all objects in alphabetical order.
  [[nodiscard]] json_value sorted() const;

  /// On one line, or on lines of which each level is indented by so much. Throws if a text is no UTF-8.
  [[nodiscard]] std::string dump(int indent = -1) const;
  /// On one line; U+FFFD replaces invalid UTF-8.
  [[nodiscard]] std::string dump_repaired() const;
  /// Discarded if the text is no JSON.
  [[nodiscard]] static json_value parse(std::string_view text);

  /// Numbers are equal if their values are. A discarded value equals nothing.
  friend bool operator==(json_value const& a, json_value const& b);
  /// For messages of tests.
  friend std::ostream& operator<<(std::ostream& to, json_value const& value);

 private:
  enum class kind : std::uint8_t { null, boolean, integer, natural, real, text, array, object, discarded };
  /// `keys` are those of an object, in the order of its `items`.
  struct content;
  union anything {
    bool boolean;
    std::int64_t integer;
    std::uint64_t natural;
    double real;
    std::string* text;
    content* all;
  };

  static std::string copied(std::string_view text);
  [[nodiscard]] bool is_elsewhere() const noexcept {
    return kind_ == kind::text || kind_ == kind::array || kind_ == kind::object;
  }
  [[nodiscard]] bool has_items() const noexcept { return kind_ == kind::array || kind_ == kind::object; }
  void release() noexcept;
  [[nodiscard]] std::string const& text() const;
  [[nodiscard]] bool boolean() const;
  [[nodiscard]] double real() const;
  void become(kind wanted);
  void add(std::string key, json_value value);

  kind kind_ = kind::null;
  anything holds_{.natural = 0};
};

/// An item of a list in braces. It exists because std::initializer_list copies what it holds, and this can be moved.
class json_value::element {
 public:
  element() noexcept {}
  element(json_value&& value) noexcept : value_(std::move(value)) {}
  element(json_value const& value) : value_(value) {}
  element(std::initializer_list<element> list) : value_(list) {}
  template <class T>
    requires(!std::same_as<std::remove_cvref_t<T>, json_value> && !std::same_as<std::remove_cvref_t<T>, element> &&
             std::constructible_from<json_value, T>)
  element(T&& value) : value_(std::forward<T>(value)) {}

 private:
  friend class json_value;
  mutable json_value value_;
};

class json_value::members {
 public:
  struct member {
    std::string const& key;
    json_value const& value;
  };
  struct iterator {
    std::string const* key;
    json_value const* value;
    member operator*() const noexcept { return {*key, *value}; }
    iterator& operator++() noexcept {
      ++key;
      ++value;
      return *this;
    }
    bool operator==(iterator const& other) const noexcept { return value == other.value; }
  };

  [[nodiscard]] iterator begin() const noexcept { return {keys_, values_}; }
  [[nodiscard]] iterator end() const noexcept { return {keys_ + count_, values_ + count_}; }

 private:
  friend class json_value;
  members(std::string const* keys, json_value const* values, std::size_t count)
      : keys_(keys), values_(values), count_(count) {}
  std::string const* keys_;
  json_value const* values_;
  std::size_t count_;
};

}  // namespace skua::apps
