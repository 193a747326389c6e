// SPDX-License-Identifier: MIT
#include "cli/text/command_line.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <vector>

#include "skua/parts/base/unknown_variables.hpp"
#include "skua/parts/trace/this_process.hpp"

namespace skua::cli {
namespace {

bool is_plain(char c) noexcept {
  return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9') ||
         std::string_view("-_=+:,./%@^").find(c) != std::string_view::npos;
}

bool changes_measurements(std::string const& variable) {
  if (variable.starts_with("SKUA_")) {
    std::array<char const*, 2> const alone{variable.c_str(), nullptr};
    return runtime::about_unknown_variables(alone.data()).empty();
  }
  constexpr std::array<std::string_view, 3> prefixes{"OMP_", "GOMP_", "KMP_"};
  return std::ranges::any_of(prefixes, [&](std::string_view prefix) { return variable.starts_with(prefix); });
}

}  // namespace

std::string quoted_for_shell(std::string_view word) {
  if (!word.empty() && std::ranges::all_of(word, is_plain)) return std::string{word};
  std::string safe = "'";
  for (char const c : word) safe += c == '\'' ? std::string{"'\\''"} : std::string{c};
  return safe + "'";
}

std::string quoted_variable_for_shell(std::string_view variable) {
  std::size_t const value = variable.find('=') + 1;
  std::string const name(variable.substr(0, value));
  return value < variable.size() ? name + quoted_for_shell(variable.substr(value)) : name;
}

std::string command_line(std::span<std::string const> arguments, std::span<std::string const> variables) {
  std::vector<std::string> chosen;
  std::ranges::copy_if(variables, std::back_inserter(chosen), changes_measurements);
  std::ranges::sort(chosen);
  std::string all;
  for (std::string const& variable : chosen) {
    all += quoted_variable_for_shell(variable) + " ";
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    std::string_view const word = arguments[i];
    all += (i == 0 ? "" : " ") + quoted_for_shell(i == 0 ? word.substr(word.rfind('/') + 1) : word);
  }
  return all;
}

std::string own_command_line() {
  std::vector<std::string> const arguments = trace::arguments();
  std::vector<std::string> variables;
  for (char const* const* v = ::environ; v != nullptr && *v != nullptr; ++v) variables.emplace_back(*v);
  return arguments.empty() ? "" : command_line(arguments, variables);
}

}  // namespace skua::cli
