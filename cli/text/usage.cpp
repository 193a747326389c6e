// SPDX-License-Identifier: MIT
#include "cli/text/usage.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <ranges>
#include <string_view>
#include <vector>

#include "cli/text/option_values.hpp"
#include "skua/parts/base/nearest_name.hpp"

namespace skua::cli {
namespace {

class plain_formatter final : public CLI::Formatter {
 public:
  std::string make_option_name(CLI::Option const* option, bool is_positional) const override {
    if (is_positional) return option->get_name(true);
    std::string names;
    for (std::string const& s : option->get_snames()) names += fmt::format("{}-{}", names.empty() ? "" : ", ", s);
    for (std::string const& l : option->get_lnames()) names += fmt::format("{}--{}", names.empty() ? "" : ", ", l);
    return names;
  }
  std::string make_option_opts(CLI::Option const* option) const override {
    std::string const kind = option->get_type_name();
    std::string text = kind.empty() ? "" : fmt::format(" {}", get_label(kind));
    if (!option->get_default_str().empty()) text += fmt::format(" [{}]", option->get_default_str());
    return text;
  }
};

/// The root, the subcommand and the app, as far as the parser recognised them.
using parsed_commands = std::vector<CLI::App const*>;

parsed_commands commands_parsed_below(CLI::App const& root) {
  parsed_commands path{&root};
  for (auto next = root.get_subcommands(); !next.empty(); next = path.back()->get_subcommands())
    path.push_back(next.front());
  return path;
}

/// "skua run fib"
std::string as_typed(parsed_commands const& path) {
  std::string text = "skua";
  for (std::size_t i = 1; i < path.size(); ++i) text += fmt::format(" {}", path[i]->get_name());
  return text;
}

std::vector<std::string> option_names(parsed_commands const& path) {
  std::vector<std::string> names;
  for (CLI::App const* const command : path) {
    for (CLI::Option const* const o : command->get_options()) {
      for (std::string const& name : o->get_lnames()) names.push_back(fmt::format("--{}", name));
    }
  }
  return names;
}

std::vector<std::string> names_below(CLI::App const& command) {
  std::vector<std::string> names;
  for (CLI::App const* const sub : command.get_subcommands([](CLI::App const*) { return true; }))
    names.push_back(sub->get_name());
  return names;
}

std::vector<std::string_view> views(std::vector<std::string> const& names) { return {names.begin(), names.end()}; }

/// What the next argument after these commands names.
std::string_view kind_below(parsed_commands const& path) { return path.size() == 1 ? "subcommand" : "app"; }

bool has_option(CLI::App const& command, std::string const& name) {
  return std::ranges::any_of(command.get_options(), [&](CLI::Option const* o) { return o->check_name(name); });
}

/// An app's option that stands before the app's name: where it may stand. Empty: it is another mistake.
std::string about_early_option(std::string const& typed, parsed_commands const& path) {
  std::string const name = typed.substr(0, typed.find('='));
  if (path.size() == 3 && has_option(*path.back(), name)) {
    return fmt::format("option is '{}' before '{}'; allowed: behind it, {} {}", name, path.back()->get_name(),
                       as_typed(path), name);
  }
  if (path.size() != 2) return {};
  for (CLI::App const* const app : path.back()->get_subcommands([](CLI::App const*) { return true; })) {
    if (!has_option(*app, name)) continue;
    return fmt::format("option is '{}', and the app is missing; allowed: behind an app that has it, {} {} {}", name,
                       as_typed(path), app->get_name(), name);
  }
  return {};
}

std::string about_unknown_option(std::string const& typed, parsed_commands const& path) {
  if (std::string early = about_early_option(typed, path); !early.empty()) return early;
  auto const names = option_names(path);
  std::string_view const nearest = runtime::nearest_name(typed.substr(0, typed.find('=')), views(names));
  std::string const text = fmt::format("option is '{}'; allowed: see {} --help", typed, as_typed(path));
  return nearest.empty() ? text : fmt::format("{}; did you mean '{}'?", text, nearest);
}

std::string about_argument(std::string const& typed, parsed_commands const& path) {
  auto const below = names_below(*path.back());
  if (!below.empty()) return unknown_name(kind_below(path), typed, views(below));
  return fmt::format("argument is '{}'; allowed: options only, see {} --help", typed, as_typed(path));
}

/// The app's before the subcommand's of the same name, as the parser takes them.
CLI::Option const* option_named(std::string const& name, parsed_commands const& path) {
  for (CLI::App const* const command : path | std::views::reverse) {
    for (CLI::Option const* const o : command->get_options()) {
      if (o->check_name(name)) return o;
    }
  }
  return nullptr;
}

std::string allowed_by(CLI::Option const& option) {
  std::string const kind = option.get_type_name();
  char const* const text = kind == "INT"     ? "a whole number"
                           : kind == "UINT"  ? "a whole number, at least 0"
                           : kind == "FLOAT" ? "a number"
                                             : "a value";
  return fmt::format("{} ({})", text, option.get_description());
}

/// The parser's message names the option and, after " = ", what was typed; a message of another form is passed on.
std::string about_value(std::string const& message, parsed_commands const& path) {
  auto const begin = message.find("--");
  if (begin == std::string::npos) return message;
  auto const end = message.find_first_of(" :", begin);
  std::string const name = message.substr(begin, end - begin);
  CLI::Option const* const option = option_named(name, path);
  if (option == nullptr) return message;
  if (auto const at = message.find(" = ", begin); at != std::string::npos) {
    std::string const typed = message.substr(at + 3);
    auto const range = typed.rfind(before_allowed);
    if (range == std::string::npos) return fmt::format("{} is '{}'; allowed: {}", name, typed, allowed_by(*option));
    return fmt::format("{} is '{}'; allowed: {}, {}", name, typed.substr(0, range), option->get_type_name(),
                       typed.substr(range + before_allowed.size()));
  }
  if (option->results().size() > 1)
    return fmt::format("{} is given {} times; allowed: once", name, option->results().size());
  return fmt::format("{} is missing its value; allowed: {}", name, allowed_by(*option));
}

}  // namespace

void explain_plainly(CLI::App& command, std::string const& below) {
  auto const formatter = std::make_shared<plain_formatter>();
  formatter->column_width(32);
  formatter->label("SUBCOMMAND", below);
  formatter->label("OPTIONS", "options");
  formatter->label("TEXT", "WORD");
  formatter->label("INT", "N");
  formatter->label("UINT", "N");
  formatter->label("FLOAT", "X");
  command.formatter(formatter);
  command.get_help_ptr()->description("print this help and exit");
}

std::string usage_message(CLI::App const& root, CLI::ParseError const& fault) {
  parsed_commands const path = commands_parsed_below(root);
  auto const extras = root.remaining(true);
  auto const option =
      std::ranges::find_if(extras, [](std::string const& e) { return e.size() > 1 && e.starts_with('-'); });
  std::string message;
  if (option != extras.end()) {
    message = about_unknown_option(*option, path);
  } else if (!extras.empty()) {
    message = about_argument(extras.front(), path);
  } else if (auto const below = names_below(*path.back()); !below.empty() && fault.get_name() == "RequiredError") {
    message = fmt::format("{} is missing; allowed: {}", kind_below(path), joined(views(below)));
  } else {
    message = about_value(fault.what(), path);
  }
  return path.size() == 1 ? message : fmt::format("{}: {}", as_typed(path).substr(5), message);
}

}  // namespace skua::cli
