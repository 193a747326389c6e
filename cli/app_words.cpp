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

apps::app& app_words::chosen() const {
  for (choice const& c : choices_) {
    if (c.words->parsed()) return *c.app;
  }
  throw usage_error("no app named");  // not reached: the parser asks for one
}

}  // namespace skua::cli
