// SPDX-License-Identifier: MIT
#include "apps/parse_options.hpp"

#include <CLI/CLI.hpp>

#include "skua/parts/base/error.hpp"

namespace skua::apps {
namespace {

/// Adds one option with its value. Help shows the default of a value that has one.
struct adder {
  CLI::App& to;
  std::string names;
  std::string help;

  void operator()(bool* value) { to.add_flag(names, *value, help); }
  template <class T>
  void operator()(std::optional<T>* value) {
    to.add_option(names, *value, help);
  }
  template <class T>
  void operator()(T* value) {
    to.add_option(names, *value, help)->capture_default_str();
  }
};

}  // namespace

void declare(CLI::App& command, std::span<option const> options) {
  for (option const& o : options) std::visit(adder{command, std::string(o.names), std::string(o.help)}, o.value);
}

void parse_options(std::string const& line, std::span<option const> options) {
  CLI::App command;
  command.set_help_flag();
  declare(command, options);
  try {
    command.parse(line, false);
  } catch (CLI::ParseError const& fault) {
    throw usage_error(fault.what());
  }
}

}  // namespace skua::apps
