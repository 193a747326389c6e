// SPDX-License-Identifier: MIT
#include "cli/text/short_name.hpp"

#include <cctype>
#include <vector>

#include "skua/parts/base/type_text.hpp"

namespace skua::cli {
namespace {

/// "x.cpp:12" of Clang's `(lambda at /some/path/x.cpp:12:3)`, or nothing.
std::string place_of_lambda(std::string_view type) {
  constexpr std::string_view opening = "(lambda at ";
  auto const at = type.rfind(opening);
  if (at == std::string_view::npos) return "";
  std::string_view place = type.substr(at + opening.size());
  place = place.substr(0, place.find(')'));
  if (auto const column = place.rfind(':'); column != std::string_view::npos) place = place.substr(0, column);
  if (auto const folder = place.rfind('/'); folder != std::string_view::npos) place = place.substr(folder + 1);
  return "lambda at " + std::string(place);
}

/// What stands between the "::" that are in no bracket, without what is in square brackets.
std::vector<std::string> components(std::string_view type) {
  std::vector<std::string> all(1);
  int depth = 0, square = 0;
  for (std::size_t i = 0; i < type.size(); ++i) {
    char const c = type[i];
    if (c == '[') ++square;
    if (square == 0) {
      bool const is_arrow = c == '>' && i > 0 && type[i - 1] == '-';
      if (c == '<' || c == '(' || c == '{') ++depth;
      if ((c == '>' && !is_arrow) || c == ')' || c == '}') --depth;
      if (depth == 0 && c == ':' && type.substr(i, 2) == "::") {
        all.emplace_back();
        ++i;
      } else {
        all.back() += c;
      }
    }
    if (c == ']') --square;
  }
  return all;
}

/// "sort" of `void sort<int*>(int*, int*) const`: the word before the first bracket.
std::string function_in(std::string const& component) {
  std::string_view head = std::string_view(component).substr(0, component.find_first_of("<({"));
  while (!head.empty() && head.back() == ' ') head.remove_suffix(1);
  if (auto const space = head.rfind(' '); space != std::string_view::npos) head = head.substr(space + 1);
  while (!head.empty() && (head.front() == '*' || head.front() == '&')) head.remove_prefix(1);
  return std::string(head);
}

}  // namespace

std::string short_name(std::string_view compilers) {
  if (compilers.empty()) return "(no name)";
  std::string_view const type = runtime::type_in(compilers);
  std::vector<std::string> const all = components(type);
  for (auto c = all.rbegin(); c != all.rend(); ++c) {
    std::string const name = function_in(*c);
    if (name.empty() || name == "operator") continue;  // a lambda, an anonymous namespace, the operator of a functor
    bool const is_word = std::isalpha(static_cast<unsigned char>(name.front())) != 0 || name.front() == '_';
    if (is_word) return name;
  }
  std::string const place = place_of_lambda(type);
  return place.empty() ? std::string(compilers) : place;
}

}  // namespace skua::cli
