// SPDX-License-Identifier: MIT
// What a command accepts: its options, its arguments and its subcommands. It is a thin front of the parser CLI11, whose
// header would cost every subcommand seconds of compilation.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/text/modes.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace skua::cli {

/// One option or argument, while its command lives.
class command_option {
 public:
  command_option(CLI::Option& of, std::shared_ptr<command_modes> modes) noexcept : of_(&of), modes_(std::move(modes)) {}

  /// What --help calls its value.
  command_option& type_name(std::string const& name);
  command_option& required();
  /// --help shows what the variable holds now.
  command_option& shows_default();
  /// The value may be missing; then it is this one.
  command_option& or_without_value(std::string const& value);
  /// It may be given several times, with a value each.
  command_option& repeatable();
  /// NaN is not between.
  command_option& between(double least, double most);
  /// An empty value counts as a missing one.
  command_option& refuses_empty();
  /// It is refused in this mode of its command, or without it (modes.hpp).
  command_option& never_with(std::string mode, std::string why);
  command_option& only_with(std::string mode, std::string why);

  [[nodiscard]] bool is_given() const;
  [[nodiscard]] std::string name() const;

 private:
  CLI::Option* of_;
  std::shared_ptr<command_modes> modes_;
};

/// A command or subcommand. Copies speak of the same one; the root owns it. Names are "--long", "-s,--long", or "WORD"
/// for an argument; a variable gets the value and must outlive the parsing.
class parser {
 public:
  explicit parser(CLI::App& of) : of_(&of), modes_(std::make_shared<command_modes>()) {}

  [[nodiscard]] parser add_subcommand(std::string const& name, std::string const& about) const;
  /// The same command; --help lists what is added through this copy under a heading of its own.
  [[nodiscard]] parser in_group(std::string heading) const;
  /// The same command; what is added through this copy, but the options that it `honours`, is refused in this mode, or
  /// without it (modes.hpp).
  [[nodiscard]] parser never_with(std::string mode, std::string why, std::vector<std::string> honours = {}) const;
  [[nodiscard]] parser only_with(std::string mode, std::string why) const;
  /// A mode that several options choose, or a value of one.
  void mode(std::string name, std::function<std::string()> asked_by) const {
    modes_->add(std::move(name), std::move(asked_by));
  }
  /// Throws usage_error if an option was given that has no effect in the modes that are on. For after the parsing.
  void check_modes() const { modes_->check(); }

  /// T: std::string, double, a std::optional of either, or std::vector<std::string>. `kind` is what --help calls the value; an
  /// empty number, FILE, DIR or FOLDER counts as a missing value.
  template <class T>
  command_option add_option(std::string const& name, T& value, std::string const& kind, std::string const& about) const;
  /// A value that `take` answers with false counts as missing.
  command_option add_option_function(std::string const& name, std::function<bool(std::string const&)> const& take,
                                     std::string const& kind, std::string const& about) const;

  /// "--on,!--off": the second name sets it to false.
  command_option add_flag(std::string const& name, bool& value, std::string const& about) const;
  /// "--name{word}": a flag without a value means this word.
  command_option add_flag(std::string const& name, std::optional<std::string>& value, std::string const& about) const;
  /// `take` learns how often the flag was given, negative for a name that sets it to false.
  command_option add_flag_function(std::string const& name, std::function<void(std::int64_t)> const& take,
                                   std::string const& about) const;

  /// Whether the command line named it.
  [[nodiscard]] bool is_parsed() const;
  [[nodiscard]] std::string name() const;
  /// For the files of this folder, which know CLI11.
  [[nodiscard]] CLI::App& of() const noexcept { return *of_; }

 protected:
  [[nodiscard]] command_option grouped(CLI::Option& made) const;

  CLI::App* of_;
  std::string group_ = {};  ///< empty: the parser's own
  struct rule_of_many {
    mode_rule rule;
    std::vector<std::string> honours;
  };
  std::vector<rule_of_many> rules_ = {};
  std::shared_ptr<command_modes> modes_;
};

/// What a parser says in place of running a subcommand: help, or what is wrong.
struct parser_says {
  std::string text;
  bool is_fault = false;
};

/// The command on top. Its subcommands live as long as it does, and --help is laid out as usage.hpp says.
class root_parser final : public parser {
 public:
  explicit root_parser(std::string const& about = "", std::string const& name = "");
  root_parser(root_parser const&) = delete;
  root_parser& operator=(root_parser const&) = delete;
  ~root_parser();

  /// --version prints this line.
  void set_version(std::string const& line) const;
  void require_subcommand() const;

  /// Nothing: a subcommand can run.
  [[nodiscard]] std::optional<parser_says> parse(int argc, char const* const* argv) const;
  /// A line without the name of the command.
  [[nodiscard]] std::optional<parser_says> parse(std::string const& line) const;

 private:
  explicit root_parser(std::unique_ptr<CLI::App> owned);
  [[nodiscard]] std::optional<parser_says> answer_of(std::function<void()> const& parse) const;

  std::unique_ptr<CLI::App> owned_;
};

}  // namespace skua::cli
