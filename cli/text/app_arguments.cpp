// SPDX-License-Identifier: MIT
#include "cli/text/app_arguments.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>

#include "cli/text/option_values.hpp"
#include "cli/text/usage.hpp"
#include "skua/parts/base/error.hpp"

namespace skua::cli {

app_arguments::app_arguments(CLI::App& command) {
  command.require_subcommand(1);
  for (apps::entry const& e : apps::all()) {
    auto app = e.make();
    CLI::App* const of_app = command.add_subcommand(std::string(e.name), std::string(app->about()));
    of_app->group("Apps")->fallthrough();
    of_app->get_help_ptr()->description("print this help and exit");
    of_app->footer(fmt::format("The options of `skua {0} --help` are allowed here as well.", command.get_name()));
    app->options(*of_app);
    choices_.push_back({of_app, std::move(app)});
  }
}

app_arguments::choice const& app_arguments::chosen_one() const {
  for (choice const& c : choices_) {
    if (c.command->parsed()) return c;
  }
  throw usage_error("app is missing");  // not reached: the parser requires one
}

apps::app& app_arguments::chosen() const { return *chosen_one().app; }

json app_arguments::given() const {
  json all = json::object();
  for (CLI::Option const* option : chosen_one().command->get_options()) {
    if (option->count() == 0 || option == chosen_one().command->get_help_ptr()) continue;
    all[option->get_lnames().empty() ? option->get_name() : option->get_lnames().front()] =
        option->results().empty() ? std::string("true") : option->results().front();
  }
  return all;
}

std::unique_ptr<apps::app> make_app(std::string const& name, std::string const& options) {
  auto const at = std::ranges::find(apps::all(), name, &apps::entry::name);
  if (at == apps::all().end()) {
    std::vector<std::string_view> names;
    for (apps::entry const& e : apps::all()) names.push_back(e.name);
    refuse_name("app", name, names);
  }
  auto app = at->make();
  CLI::App command("", name);
  app->options(command);
  for (CLI::Option* const o : command.get_options()) o->take_last();
  try {
    command.parse(options, false);
  } catch (CLI::ParseError const& fault) {
    throw usage_error(fmt::format("{} {}: {}", name, options, usage_message(command, fault)));
  }
  return app;
}

}  // namespace skua::cli
