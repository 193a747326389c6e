// SPDX-License-Identifier: MIT
#include "apps/hartree_fock/molecules/fortran_number.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <string>

namespace skua::apps::hartree_fock::molecules {

bool read_number(std::string_view word, double& into) {
  std::string text(word.starts_with('+') && !word.starts_with("+-") ? word.substr(1) : word);
  std::ranges::replace_if(text, [](char c) { return c == 'D' || c == 'd'; }, 'e');
  auto const [end, failed] = std::from_chars(text.data(), text.data() + text.size(), into);
  return !text.empty() && failed == std::errc{} && end == text.data() + text.size() && std::isfinite(into);
}

double next_number(text_reader& in, std::string_view what, double most) {
  std::string_view const found = in.word();
  double value = 0;
  if (!read_number(found, value) || std::abs(value) > most) {
    std::array<char, 32> limit{};
    std::snprintf(limit.data(), limit.size(), "%g", most);
    in.refuse(std::string(what) + " is " + shown(found) + "; allowed: numbers up to " + limit.data());
  }
  return value;
}

}  // namespace skua::apps::hartree_fock::molecules
