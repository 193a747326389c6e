// SPDX-License-Identifier: MIT
#include "cli/help.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>

namespace skua::cli {
namespace {

class plain_formatter final : public CLI::Formatter {
 public:
  std::string make_option_name(CLI::Option const* option, bool) const override {
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

}  // namespace

void explain_plainly(CLI::App& words, std::string const& below) {
  auto const formatter = std::make_shared<plain_formatter>();
  formatter->column_width(32);
  formatter->label("SUBCOMMAND", below);
  formatter->label("OPTIONS", "options");
  formatter->label("TEXT", "WORD");
  formatter->label("INT", "N");
  formatter->label("UINT", "N");
  formatter->label("FLOAT", "X");
  words.formatter(formatter);
  words.get_help_ptr()->description("print this and exit");
}

}  // namespace skua::cli
