// SPDX-License-Identifier: MIT
#include "apps/hartree_fock/molecules/text_lines.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <istream>

#include "skua/parts/base/error.hpp"

namespace skua::apps::hartree_fock::molecules {
namespace {

constexpr std::string_view between_words = " \t\r\f\v";

}  // namespace

std::string in_quotes(std::string_view raw) {
  constexpr std::size_t most = 40;
  std::string text = "'";
  for (char const c : raw.substr(0, most)) {
    auto const byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f && byte != '\\') {
      text += c;
    } else {
      std::array<char, 5> escaped{};
      std::snprintf(escaped.data(), escaped.size(), "\\x%02x", byte);
      text += escaped.data();
    }
  }
  return text + (raw.size() > most ? "...'" : "'");
}

bool read_number(std::string_view word, double& into) {
  std::string text(word.starts_with('+') ? word.substr(1) : word);
  std::ranges::replace_if(text, [](char c) { return c == 'D' || c == 'd'; }, 'e');
  auto const [end, failed] = std::from_chars(text.data(), text.data() + text.size(), into);
  return !text.empty() && failed == std::errc{} && end == text.data() + text.size() && std::isfinite(into);
}

bool text_lines::next() {
  if (!std::getline(in_, line_)) {
    if (in_.bad()) throw usage_error(name_ + ": cannot be read to its end");
    rest_ = {};
    return false;
  }
  ++number_;
  rest_ = line_;
  return true;
}

std::string_view text_lines::word() {
  auto const begin = rest_.find_first_not_of(between_words);
  if (begin == std::string_view::npos) return rest_ = {};
  rest_.remove_prefix(begin);
  std::string_view const found = rest_.substr(0, rest_.find_first_of(between_words));
  rest_.remove_prefix(found.size());
  return found;
}

bool text_lines::at_end_of_line() const noexcept {
  return rest_.find_first_not_of(between_words) == std::string_view::npos;
}

double text_lines::number(std::string_view what, double most) {
  std::string_view const found = word();
  double value = 0;
  if (!read_number(found, value) || std::abs(value) > most) {
    std::array<char, 32> limit{};
    std::snprintf(limit.data(), limit.size(), "%g", most);
    refuse(std::string(what) + " is " + in_quotes(found) + "; allowed: numbers up to " + limit.data());
  }
  return value;
}

std::uint64_t text_lines::natural(std::string_view what, std::uint64_t least, std::uint64_t most) {
  std::string_view const found = word();
  std::uint64_t value = 0;
  auto const [end, failed] = std::from_chars(found.data(), found.data() + found.size(), value);
  if (failed != std::errc{} || end != found.data() + found.size() || value < least || value > most) {
    refuse(std::string(what) + " is " + in_quotes(found) + "; allowed: " + std::to_string(least) + " to " +
           std::to_string(most));
  }
  return value;
}

void text_lines::require_end_of_line() {
  if (std::string_view const more = word(); !more.empty()) refuse(in_quotes(more) + " is too much in its line");
}

void text_lines::refuse(std::string const& why) const {
  throw usage_error(name_ + ":" + std::to_string(number_) + ": " + why);
}

}  // namespace skua::apps::hartree_fock::molecules
