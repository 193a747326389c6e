// SPDX-License-Identifier: MIT
#include "cli/complaint.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <vector>

#include "cli/names.hpp"
#include "skua/policy/nearest_name.hpp"

namespace skua::cli {
namespace {

/// root, the verb, the app: as far as they were recognised.
std::vector<CLI::App const*> path_to_last(CLI::App const& root) {
  std::vector<CLI::App const*> path{&root};
  for (auto next = root.get_subcommands(); !next.empty(); next = path.back()->get_subcommands())
    path.push_back(next.front());
  return path;
}

std::string as_typed(std::vector<CLI::App const*> const& path) {
  std::string words = "skua";
  for (std::size_t i = 1; i < path.size(); ++i) words += fmt::format(" {}", path[i]->get_name());
  return words;
}

std::vector<std::string> option_names(std::vector<CLI::App const*> const& path) {
  std::vector<std::string> names;
  for (CLI::App const* const words : path) {
    for (CLI::Option const* const o : words->get_options()) {
      for (std::string const& name : o->get_lnames()) names.push_back(fmt::format("--{}", name));
    }
  }
  return names;
}

std::vector<std::string> words_below(CLI::App const& words) {
  std::vector<std::string> names;
  for (CLI::App const* const sub : words.get_subcommands([](CLI::App const*) { return true; }))
    names.push_back(sub->get_name());
  return names;
}

std::vector<std::string_view> views(std::vector<std::string> const& names) { return {names.begin(), names.end()}; }

std::string about_unknown_option(std::string const& typed, std::vector<CLI::App const*> const& path) {
  auto const known = option_names(path);
  std::string_view const nearest = nearest_name(typed.substr(0, typed.find('=')), views(known));
  std::string const help = fmt::format("see {} --help", as_typed(path));
  if (nearest.empty()) return fmt::format("unknown option '{}'; {}", typed, help);
  return fmt::format("unknown option '{}' (did you mean '{}'?); {}", typed, nearest, help);
}

/// What stands where a verb or an app is expected, or nothing is.
std::string about_word(std::string const& typed, std::vector<CLI::App const*> const& path) {
  auto const below = words_below(*path.back());
  if (!below.empty()) return unknown(path.size() == 1 ? "verb" : "app", typed, views(below));
  return fmt::format("'{}' is one word too many; see {} --help", typed, as_typed(path));
}

CLI::Option const* option_named(std::string const& name, std::vector<CLI::App const*> const& path) {
  for (CLI::App const* const words : path) {
    for (CLI::Option const* const o : words->get_options()) {
      if (o->check_name(name)) return o;
    }
  }
  return nullptr;
}

std::string allowed_by(CLI::Option const& option) {
  std::string const kind = option.get_type_name();
  char const* const words = kind == "INT"     ? "a whole number"
                            : kind == "UINT"  ? "a whole number, at least 0"
                            : kind == "FLOAT" ? "a number"
                                              : "a value";
  return fmt::format("{} ({})", words, option.get_description());
}

/// The parser's own words name the option and, after `separator`, what was typed; or they are all that is known.
std::string about_value(std::string const& said, std::vector<CLI::App const*> const& path) {
  auto const begin = said.find("--");
  if (begin == std::string::npos) return said;
  auto const end = said.find_first_of(" :", begin);
  std::string const name = said.substr(begin, end - begin);
  CLI::Option const* const option = option_named(name, path);
  if (option == nullptr) return said;
  if (auto const typed = said.find(" = ", begin); typed != std::string::npos) {
    return fmt::format("{}=\"{}\": allowed is {}", name, said.substr(typed + 3), allowed_by(*option));
  }
  if (option->results().size() > 1)
    return fmt::format("{} is given {} times; once is enough", name, option->results().size());
  return fmt::format("{}: its value is missing; allowed is {}", name, allowed_by(*option));
}

}  // namespace

std::string complaint_of(CLI::App const& root, CLI::ParseError const& fault) {
  auto const path = path_to_last(root);
  auto const extras = root.remaining(true);
  auto const option =
      std::ranges::find_if(extras, [](std::string const& word) { return word.size() > 1 && word.starts_with('-'); });
  std::string said;
  if (option != extras.end()) {
    said = about_unknown_option(*option, path);
  } else if (!extras.empty()) {
    said = about_word(extras.front(), path);
  } else if (auto const below = words_below(*path.back()); !below.empty() && fault.get_name() == "RequiredError") {
    said = fmt::format("{} is missing; known: {}", path.size() == 1 ? "the verb" : "the app", joined(views(below)));
  } else {
    said = about_value(fault.what(), path);
  }
  return path.size() == 1 ? said : fmt::format("{}: {}", as_typed(path).substr(5), said);
}

}  // namespace skua::cli
