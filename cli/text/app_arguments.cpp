// SPDX-License-Identifier: MIT
#include "cli/app_words.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "skua/parts/base/error.hpp"

namespace skua::cli {

app_words::app_words(CLI::App& verb) {
  verb.require_subcommand(1);
  for (apps::entry const& e : apps::all()) {
    auto app = e.make();
    CLI::App* const words = verb.add_subcommand(std::string(e.name), std::string(app->about()));
    words->group("Apps")->fallthrough();
    words->get_help_ptr()->description("print this and exit");
    words->footer(fmt::format("The options of `skua {0} --help` may stand here, too.", verb.get_name()));
    app->options(*words);
    choices_.push_back({words, std::move(app)});
  }
}

app_words::choice const& app_words::chosen_one() const {
  for (choice const& c : choices_) {
    if (c.words->parsed()) return c;
  }
  throw usage_error("no app named");  // not reached: the parser asks for one
}

apps::app& app_words::chosen() const { return *chosen_one().app; }

json app_words::given() const {
  json all = json::object();
  for (CLI::Option const* option : chosen_one().words->get_options()) {
    if (option->count() == 0 || option == chosen_one().words->get_help_ptr()) continue;
    all[option->get_lnames().empty() ? option->get_name() : option->get_lnames().front()] =
        option->results().empty() ? std::string("true") : option->results().front();
  }
  return all;
}

}  // namespace skua::cli
