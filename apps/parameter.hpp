// SPDX-License-Identifier: MIT
// Options as members of an app. The line that declares one gives its name, its default, what is allowed and what help
// says; parsing, usage, validity checks and the app's facts follow from it. A member reads as the type that the app uses.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "apps/option.hpp"

namespace skua::apps {

/// The options of an app, in the order in which its members are declared.
class option_table {
 public:
  option_table(option_table const&) = delete;
  option_table& operator=(option_table const&) = delete;

  void add(option row) { rows_.push_back(row); }
  [[nodiscard]] std::vector<option> const& rows() const noexcept { return rows_; }

  /// The options with these first names count for nothing in these ways to run the app, or beside another option. For the
  /// body of a constructor: then all options are there.
  void has_no_effect(std::initializer_list<std::string_view> options, ways in, std::string_view why);
  void has_no_effect(std::initializer_list<std::string_view> options, std::string_view beside, std::string_view why);

  /// Whether an app says these options of a run: not if the input makes them meaningless.
  void are_facts(std::initializer_list<std::string_view> options, bool yes);

 protected:
  option_table() = default;
  ~option_table() = default;

 private:
  void add_to(std::initializer_list<std::string_view> options, without_effect where);

  std::vector<option> rows_;
};

/// A whole number is held as it is parsed, so that a negative one is refused by its limits and not by its type.
template <class T>
using held_as = std::conditional_t<std::integral<T>, std::int64_t, T>;

template <class T, class Held = held_as<T>>
class number_option {
 public:
  number_option(option_table& of, std::string_view names, Held otherwise, option_limits within, std::string_view help)
      : held_(otherwise) {
    of.add({names, &held_, within, help});
  }
  operator T() const noexcept { return static_cast<T>(held_); }

 private:
  Held held_;
};

/// --seed, 1 by default.
class seed_option : public number_option<std::uint64_t> {
 public:
  seed_option(option_table& of, std::string_view help, std::int64_t most = 1'000'000'000'000)
      : number_option(of, "--seed", 1, between(0, most), help) {}
};

/// A number or a text that need not be given.
template <class T>
class maybe_option {
 public:
  maybe_option(option_table& of, std::string_view names, option_limits within, std::string_view help) {
    of.add({names, &held_, within, help});
  }
  maybe_option(option_table& of, std::string_view names, std::string_view help)
      : maybe_option(of, names, no_limits{}, help) {}
  explicit operator bool() const noexcept { return held_.has_value(); }
  [[nodiscard]] T operator*() const { return static_cast<T>(*held_); }
  [[nodiscard]] T value_or(T otherwise) const { return held_ ? **this : std::move(otherwise); }

 private:
  std::optional<held_as<T>> held_;
};

class flag_option {
 public:
  flag_option(option_table& of, std::string_view names, std::string_view help) { of.add({names, &is_set_, help}); }
  operator bool() const noexcept { return is_set_; }

 private:
  bool is_set_ = false;
};

class text_option : public std::string {
 public:
  text_option(option_table& of, std::string_view names, std::string otherwise, std::string_view help)
      : std::string(std::move(otherwise)) {
    of.add({names, static_cast<std::string*>(this), help});
  }
  /// For functions that take only what is a std::string itself.
  [[nodiscard]] std::string const& text() const noexcept { return *this; }
};

/// One of some words. It reads as the enumerator at the word's position.
template <class Meaning>
class choice_option {
 public:
  choice_option(option_table& of, std::string_view names, std::string_view otherwise,
                std::span<std::string_view const> words, std::string_view help, bool is_fact = true)
      : word_(otherwise), words_(words.begin(), words.end()) {
    of.add({names, &word_, one_of(words_), help, is_fact});
  }
  choice_option(option_table& of, std::string_view names, std::string_view otherwise,
                std::initializer_list<std::string_view> words, std::string_view help)
      : choice_option(of, names, otherwise, std::span(words), help) {}

  operator Meaning() const { return meaning_of<Meaning>(word_, words_); }
  [[nodiscard]] std::string const& word() const noexcept { return word_; }
  [[nodiscard]] std::span<std::string_view const> words() const noexcept { return words_; }

 private:
  std::string word_;
  std::vector<std::string_view> const words_;
};

}  // namespace skua::apps
