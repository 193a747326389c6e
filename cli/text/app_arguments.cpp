// SPDX-License-Identifier: MIT
#include "cli/text/app_arguments.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "apps/parse_options.hpp"
#include "cli/text/option_values.hpp"
#include "cli/text/usage.hpp"
#include "skua/parts/base/error.hpp"

namespace skua::cli {
namespace {

/// Decimal digits, which a T can hold. The parser itself would read 010 as 8, and a number that is too large as the
/// largest.
template <class T>
bool is_whole_number(std::string_view text) {
  T number{};
  auto const [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string_view const digits = text.substr(text.starts_with('-') ? 1 : 0);
  return fault == std::errc{} && end == text.data() + text.size() && (digits.size() == 1 || !digits.starts_with('0'));
}

/// Whether the parser may convert `text` to a value of this kind.
bool can_be_read(std::string_view kind, std::string const& text) {
  if (kind == "INT") return is_whole_number<std::int64_t>(text);
  if (kind == "UINT") return is_whole_number<std::uint64_t>(text);
  if (kind != "FLOAT") return true;
  errno = 0;
  char* end = nullptr;
  bool const is_infinite = std::isinf(std::strtod(text.c_str(), &end));
  return end == text.c_str() + text.size() && !(is_infinite && errno == ERANGE);
}

/// The parser takes an empty value for 0, and a number outside the type's range for the nearest one inside.
void check_values(CLI::App& command) {
  for (CLI::Option* const option : command.get_options()) {
    if (option == command.get_help_ptr() || option->get_items_expected_max() == 0) continue;
    std::string const kind = option->get_type_name();
    // usage_message makes a sentence of the parser's error: what follows " = " is what was typed.
    option->check(
        [kind](std::string const& text) {
          if (text.empty()) return std::string("empty");
          return can_be_read(kind, text) ? std::string() : "value = " + text;
        },
        "");
  }
}

bool is_given(CLI::App const& command, std::string_view option) {
  CLI::Option const* const found = command.get_option_no_throw(std::string(option));
  return found != nullptr && found->count() > 0;
}

/// The peer that alone reads an option which counts in these ways; empty: there is none, or more runners do.
std::string_view only_reader(apps::ways counts_in) {
  using apps::ways;
  if ((counts_in & ~ways::openmp_twin) == ways::none) return "openmp";
  return counts_in == ways::tbb ? "tbb" : "";
}

void refuse_unused_of(CLI::App const& command, std::span<apps::option const> rows, apps::ways in_use,
                      std::string_view typed, std::string_view peer_option) {
  using apps::ways;
  for (apps::option const& o : rows) {
    std::string_view const name = apps::first_name(o);
    if (!is_given(command, name)) continue;
    ways unused = ways::none;
    for (apps::without_effect const& where : o.unused) {
      if (!where.beside.empty() && is_given(command, where.beside)) refuse_together(name, where.beside, where.why);
      unused = unused | where.in;
    }
    if ((in_use & ~unused) != ways::none) continue;
    auto const why = std::ranges::find_if(o.unused, [&](auto const& w) { return (w.in & in_use) != ways::none; });
    std::string_view const reader = only_reader(~unused);
    if (!peer_option.empty() && !reader.empty())
      refuse_without(name, fmt::format("{} {}", peer_option, reader), why->why);
    refuse_together(name, typed, why->why);
  }
}

}  // namespace

app_arguments::app_arguments(parser command) {
  command.of().require_subcommand(1);
  for (apps::entry const& e : apps::all()) {
    auto app = e.make();
    CLI::App* const of_app = command.of().add_subcommand(std::string(e.name), std::string(app->about()));
    of_app->group("Apps")->fallthrough();
    of_app->get_help_ptr()->description("print this help and exit");
    of_app->footer(fmt::format("The options of `skua {0} --help` are allowed here as well.", command.name()));
    apps::declare(*of_app, app->options());
    check_values(*of_app);
    choices_.push_back({parser(*of_app), std::move(app)});
  }
}

app_arguments::choice const& app_arguments::chosen_one() const {
  for (choice const& c : choices_) {
    if (c.command.is_parsed()) return c;
  }
  throw usage_error("app is missing");  // not reached: the parser requires one
}

apps::app& app_arguments::chosen() const { return *chosen_one().app; }

json app_arguments::given() const {
  json all = json::object();
  CLI::App const& of_app = chosen_one().command.of();
  for (CLI::Option const* option : of_app.get_options()) {
    if (option->count() == 0 || option == of_app.get_help_ptr()) continue;
    all[option->get_lnames().empty() ? option->get_name() : option->get_lnames().front()] =
        option->results().empty() ? std::string("true") : option->results().front();
  }
  return all;
}

void app_arguments::refuse_unused(apps::ways in_use, std::string_view typed, std::string_view peer_option) const {
  refuse_unused_of(chosen_one().command.of(), chosen().options(), in_use, typed, peer_option);
}

std::vector<std::string_view> apps_that(bool (*holds)(apps::app&)) {
  std::vector<std::string_view> names;
  for (apps::entry const& e : apps::all()) {
    if (holds(*e.make())) names.push_back(e.name);
  }
  return names;
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
  apps::declare(command, app->options());
  check_values(command);
  for (CLI::Option* const o : command.get_options()) o->take_last();
  try {
    command.parse(options, false);
  } catch (CLI::ParseError const& fault) {
    throw usage_error(fmt::format("{} {}: {}", name, options, usage_message(command, fault)));
  }
  refuse_unused_of(command, app->options(), apps::ways::simulation, "a simulation", {});
  return app;
}

}  // namespace skua::cli
