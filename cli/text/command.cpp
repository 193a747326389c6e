// SPDX-License-Identifier: MIT
#include "cli/text/command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <type_traits>
#include <utility>

#include "cli/text/option_values.hpp"
#include "cli/text/usage.hpp"

namespace skua::cli {

command_option& command_option::type_name(std::string const& name) {
  of_->type_name(name);
  return *this;
}

command_option& command_option::required() {
  of_->required();
  return *this;
}

command_option& command_option::shows_default() {
  of_->capture_default_str();
  return *this;
}

command_option& command_option::or_without_value(std::string const& value) {
  of_->expected(0, 1)->default_str(value);
  return *this;
}

command_option& command_option::repeatable() {
  of_->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  return *this;
}

command_option& command_option::between(double least, double most) {
  // usage_message makes a sentence of the parser's error: what follows " = " is what was typed.
  of_->check(
      [=](std::string const& text) {
        std::optional<double> const number = number_in(text);
        bool const is_allowed = number && *number >= least && *number <= most;
        return is_allowed ? std::string() : fmt::format("value = {}{}{} to {}", text, before_allowed, least, most);
      },
      "");
  return *this;
}

command_option& command_option::refuses_empty() {
  // usage_message makes a sentence of the parser's error.
  of_->check([](std::string const& value) { return std::string(value.empty() ? "empty" : ""); }, "");
  return *this;
}

command_option& command_option::never_with(std::string mode, std::string why) {
  modes_->add(*of_, {std::move(mode), mode_rule::when::on, std::move(why)});
  return *this;
}

command_option& command_option::only_with(std::string mode, std::string why) {
  modes_->add(*of_, {std::move(mode), mode_rule::when::off, std::move(why)});
  return *this;
}

bool command_option::is_given() const { return of_->count() > 0; }
std::string command_option::name() const { return of_->get_name(); }

command_option parser::grouped(CLI::Option& made) const {
  if (!group_.empty()) made.group(group_);
  modes_->note(made);
  for (auto const& [rule, honours] : rules_) {
    bool const counts = std::ranges::any_of(honours, [&](std::string const& name) { return made.check_name(name); });
    if (!counts) modes_->add(made, rule);
  }
  return command_option(made, modes_);
}

parser parser::add_subcommand(std::string const& name, std::string const& about) const {
  parser const made(*of_->add_subcommand(name, about));
  explain_plainly(made.of(), "APP");
  return made;
}

parser parser::in_group(std::string heading) const {
  parser same = *this;
  same.group_ = std::move(heading);
  return same;
}

parser parser::never_with(std::string mode, std::string why, std::vector<std::string> honours) const {
  parser same = *this;
  same.rules_.push_back({{std::move(mode), mode_rule::when::on, std::move(why)}, std::move(honours)});
  return same;
}

parser parser::only_with(std::string mode, std::string why) const {
  parser same = *this;
  same.rules_.push_back({{std::move(mode), mode_rule::when::off, std::move(why)}, {}});
  return same;
}

template <class T>
command_option parser::add_option(std::string const& name, T& value, std::string const& kind,
                                  std::string const& about) const {
  command_option made = grouped(*of_->add_option(name, value, about));
  made.type_name(kind);
  bool const is_number = std::is_same_v<T, double> || std::is_same_v<T, std::optional<double>>;  // "" would be 0
  bool const is_path = kind.starts_with("FILE") || kind == "DIR" || kind == "FOLDER";
  return is_number || is_path ? made.refuses_empty() : made;
}

using option_text = std::string const;
template command_option parser::add_option(option_text&, std::string&, option_text&, option_text&) const;
template command_option parser::add_option(option_text&, std::optional<std::string>&, option_text&, option_text&) const;
template command_option parser::add_option(option_text&, std::vector<std::string>&, option_text&, option_text&) const;
template command_option parser::add_option(option_text&, double&, option_text&, option_text&) const;
template command_option parser::add_option(option_text&, std::optional<double>&, option_text&, option_text&) const;

command_option parser::add_option_function(std::string const& name, std::function<bool(std::string const&)> const& take,
                                           std::string const& kind, std::string const& about) const {
  // usage_message makes a sentence of this error, too.
  auto const checked = [take, name](std::string const& value) {
    if (!take(value)) throw CLI::ValidationError(name, "refused");
  };
  return grouped(*of_->add_option_function<std::string>(name, checked, about)).type_name(kind);
}

command_option parser::add_flag(std::string const& name, bool& value, std::string const& about) const {
  return grouped(*of_->add_flag(name, value, about));
}

command_option parser::add_flag(std::string const& name, std::optional<std::string>& value,
                                std::string const& about) const {
  return grouped(*of_->add_flag(name, value, about));
}

command_option parser::add_flag_function(std::string const& name, std::function<void(std::int64_t)> const& take,
                                         std::string const& about) const {
  return grouped(*of_->add_flag_function(name, take, about));
}

bool parser::is_parsed() const { return of_->parsed(); }
std::string parser::name() const { return of_->get_name(); }

root_parser::root_parser(std::string const& about, std::string const& name)
    : root_parser(std::make_unique<CLI::App>(about, name)) {}

root_parser::root_parser(std::unique_ptr<CLI::App> owned) : parser(*owned), owned_(std::move(owned)) {
  explain_plainly(*owned_, "SUBCOMMAND");
}

root_parser::~root_parser() = default;

void root_parser::set_version(std::string const& line) const {
  of_->set_version_flag("--version", line, "print the version and exit");
}

void root_parser::require_subcommand() const { of_->require_subcommand(1); }

std::optional<parser_says> root_parser::answer_of(std::function<void()> const& parse) const {
  try {
    parse();
  } catch (CLI::CallForHelp const&) {
    return parser_says{of_->help()};
  } catch (CLI::CallForVersion const& asked) {
    return parser_says{std::string(asked.what()) + "\n"};
  } catch (CLI::ParseError const& fault) {
    return parser_says{.text = usage_message(*of_, fault), .is_fault = true};
  }
  return std::nullopt;
}

std::optional<parser_says> root_parser::parse(int argc, char const* const* argv) const {
  return answer_of([&] { of_->parse(argc, argv); });
}

std::optional<parser_says> root_parser::parse(std::string const& line) const {
  return answer_of([&] { of_->parse(line, false); });
}

}  // namespace skua::cli
