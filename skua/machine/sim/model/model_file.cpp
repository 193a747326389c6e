// SPDX-License-Identifier: MIT
// Reads TOML. No other file includes toml++.
#include "skua/machine/sim/model/model_file.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "skua/machine/sim/model/model_rules.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/base/printable.hpp"
#include "skua/parts/base/toml_depth.hpp"

namespace skua { inline namespace v0 { namespace sim {
namespace {

constexpr std::string_view a_figure =
    "a positive number from 1e-9 to 1e12, or { value = 1.5, assumed = true, low = 1, high = 2, source = \"where it is "
    "from\" }";
constexpr std::string_view a_share =
    "a number from 0 to 1, or { value = 0.5, assumed = true, low = 0, high = 1, source = \"where it is from\" }";

std::string_view what_is_allowed(need when) { return when == need::share ? a_share : a_figure; }

std::uint32_t line_of(toml::node const& what) { return static_cast<std::uint32_t>(what.source().begin.line); }

/// Shortest text that reads back as the same number.
std::string text_of(double number) {
  char digits[32];
  auto const end = std::to_chars(std::begin(digits), std::end(digits), number);
  return std::string(std::begin(digits), end.ptr);
}

/// A list of allowed names, "a, b or c".
std::string one_of(std::vector<std::string_view> const& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
    text += names[i];
  }
  return text;
}

class reader {
 public:
  reader(toml::table const& all, std::string_view origin) : all_(all) { read_.origin = origin; }

  model_file take() {
    check_tables();
    read_.name = *words(all_, "", "name", true);
    read_.about = words(all_, "", "about", false).value_or("");
    topology();
    granularity();
    shared_filling();
    links();
    for (figure_rule const& rule : figure_rules()) figures(rule);
    return std::move(read_);
  }

 private:
  [[noreturn]] void refuse(std::uint32_t line, std::string const& why) const { refuse_model(read_.origin, line, why); }

  static std::vector<std::string_view> keys_of(std::string_view table) {
    if (table.empty())
      return {"name",          "about",        "topology", "granularity", "core", "kinds",  "first_level_cache",
              "private_cache", "shared_cache", "transfer", "memory",      "link", "prices", "idle"};
    if (table == "topology") return {"words", "distances"};
    if (table == "granularity") return {"line_bytes", "block_bytes", "page_bytes"};
    std::vector<std::string_view> keys;
    for (figure_rule const& rule : figure_rules()) {
      if (rule.table == table) keys.push_back(rule.name);
    }
    if (table == "shared_cache") keys.push_back("filling");
    if (table == "link") keys.push_back("between");
    return keys;
  }

  void check_keys(toml::table const& in, std::string_view name) const {
    auto const allowed = keys_of(name);
    for (auto const& [key, what] : in) {
      if (std::ranges::find(allowed, key.str()) != allowed.end()) continue;
      std::string const where = name.empty() ? "at the top level" : "in [" + std::string{name} + "]";
      refuse(static_cast<std::uint32_t>(key.source().begin.line),
             "there is no key " + std::string{key.str()} + " " + where + "; allowed: " + one_of(allowed));
    }
  }

  void check_tables() const {
    check_keys(all_, "");
    for (std::string_view const name : keys_of("")) {
      toml::node const* const what = all_.get(name);
      if (what == nullptr || name == "name" || name == "about") continue;
      if (!what->is_table())
        refuse(line_of(*what), std::string{name} + " must be a table, [" + std::string{name} + "]");
      check_keys(*what->as_table(), name);
    }
  }

  /// nullptr: the file has no such table.
  [[nodiscard]] toml::table const* table(std::string_view name) const {
    toml::node const* const what = all_.get(name);
    return what == nullptr ? nullptr : what->as_table();
  }

  /// The line that errors name when an entry of a table is missing.
  [[nodiscard]] std::uint32_t line_of_table(std::string_view name) const {
    toml::table const* const in = table(name);
    return in == nullptr ? 1 : line_of(*in);
  }

  [[noreturn]] void refuse_missing(std::string_view table_name, std::string_view key, std::string_view allowed) const {
    std::string const where = table_name.empty() ? "" : " in [" + std::string{table_name} + "]";
    refuse(line_of_table(table_name), std::string{key} + " is missing" + where + "; allowed: " + std::string{allowed});
  }

  std::optional<std::string> words(toml::table const& in, std::string_view name, std::string_view key, bool needed) {
    toml::node const* const what = in.get(key);
    if (what == nullptr) {
      if (needed) refuse_missing(name, key, "words in quotes");
      return {};
    }
    auto const* const text = what->as_string();
    if (text == nullptr || text->get().empty() || text->get().find_first_of("\n\r") != std::string::npos)
      refuse(line_of(*what), std::string{key} + " must be words in quotes, on one line");
    return text->get();
  }

  void topology() {
    toml::table const* const in = table("topology");
    constexpr std::string_view example = "\"package:4 numa:1 l3:1 core:16 pu:1\"";
    if (in == nullptr || in->get("words") == nullptr) refuse_missing("topology", "words", example);
    read_.words = *words(*in, "topology", "words", true);
    read_.words_line = line_of(*in->get("words"));
    toml::node const* const rows = in->get("distances");
    if (rows == nullptr) return;
    read_.distances_line = line_of(*rows);
    if (!rows->is_array()) refuse(line_of(*rows), "distances must be a list of rows, [[10, 20], [20, 10]]");
    for (toml::node const& row : *rows->as_array()) distance_row(row);
  }

  void distance_row(toml::node const& row) {
    if (!row.is_array()) refuse(line_of(row), "a row of distances must be a list, as in [[10, 20], [20, 10]]");
    for (toml::node const& what : *row.as_array()) {
      auto const* const number = what.as_integer();
      if (number == nullptr || number->get() < 10 || number->get() > 255)
        refuse(line_of(what),
               "a distance is a whole number from 10 (the same node) to 255, as in the firmware's table");
      read_.distances.push_back(static_cast<std::uint64_t>(number->get()));
    }
  }

  std::uint64_t power_of_two(toml::table const& in, std::string_view key, std::uint64_t least, std::uint64_t most) {
    toml::node const* const what = in.get(key);
    std::string const allowed =
        "a power of two from " + std::to_string(least) + " to " + std::to_string(most) + ", a plain number";
    if (what == nullptr) refuse_missing("granularity", key, allowed);
    auto const* const number = what->as_integer();
    auto const value = number == nullptr || number->get() < 0 ? 0 : static_cast<std::uint64_t>(number->get());
    if (!std::has_single_bit(value) || value < least || value > most)
      refuse(line_of(*what), "granularity." + std::string{key} + " must be " + allowed);
    return value;
  }

  void granularity() {
    toml::table const* const in = table("granularity");
    if (in == nullptr) refuse_missing("granularity", "the table [granularity]", one_of(keys_of("granularity")));
    read_.granularity_line = line_of(*in);
    read_.line_bytes = power_of_two(*in, "line_bytes", 32, 256);
    read_.block_bytes = power_of_two(*in, "block_bytes", 256, 16384);
    read_.page_bytes = power_of_two(*in, "page_bytes", 4096, std::uint64_t{2} << 20);
    if (read_.block_bytes > 64 * read_.line_bytes || read_.block_bytes < read_.line_bytes)
      refuse(line_of(*in->get("block_bytes")), "a block must have from 1 to 64 lines");
    if (read_.block_bytes > read_.page_bytes)
      refuse(line_of(*in->get("block_bytes")), "a block must not be larger than a page");
  }

  void shared_filling() {
    toml::table const* const in = table("shared_cache");
    toml::node const* const what = in == nullptr ? nullptr : in->get("filling");
    constexpr std::string_view allowed = "\"victim\" or \"inclusive\"";
    if (what == nullptr) refuse_missing("shared_cache", "filling", allowed);
    auto const* const word = what->as_string();
    if (word == nullptr || (word->get() != "victim" && word->get() != "inclusive"))
      refuse(line_of(*what), "shared_cache.filling must be " + std::string{allowed});
    read_.shared_filling = word->get() == "victim" ? filling::victim : filling::inclusive;
  }

  void links() {
    toml::table const* const in = table("link");
    toml::node const* const what = in == nullptr ? nullptr : in->get("between");
    if (what == nullptr) return;
    read_.links_line = line_of(*what);
    constexpr std::string_view allowed =
        "link.between must be \"all\", \"ring\", or pairs of NUMA nodes, [[0, 1], [1, 2], [2, 0]]";
    if (auto const* const word = what->as_string()) {
      if (word->get() != "all" && word->get() != "ring") refuse(line_of(*what), std::string{allowed});
      read_.links = word->get() == "all" ? wiring::all : wiring::ring;
      return;
    }
    if (!what->is_array()) refuse(line_of(*what), std::string{allowed});
    read_.links = wiring::pairs;
    for (toml::node const& each : *what->as_array()) {
      auto const* const ends = each.as_array();
      if (ends == nullptr || ends->size() != 2) refuse(line_of(each), std::string{allowed});
      read_.linked.emplace_back(end_of_link((*ends)[0], allowed), end_of_link((*ends)[1], allowed));
    }
  }

  [[nodiscard]] std::uint32_t end_of_link(toml::node const& what, std::string_view allowed) const {
    auto const* const number = what.as_integer();
    if (number == nullptr || number->get() < 0 || number->get() > 0xffff) refuse(line_of(what), std::string{allowed});
    return static_cast<std::uint32_t>(number->get());
  }

  /// A number as TOML has it, whole or not.
  [[nodiscard]] double number(toml::node const& what, std::string const& key, need when) const {
    double value = 0;
    if (auto const* const whole = what.as_integer()) {
      value = static_cast<double>(whole->get());
    } else if (auto const* const real = what.as_floating_point()) {
      value = real->get();
    } else {
      refuse(line_of(what), key + " is not a number; allowed: " + std::string{what_is_allowed(when)});
    }
    if (!allows(when, value))
      refuse(line_of(what), key + " is " + text_of(value) + "; allowed: " + std::string{what_is_allowed(when)});
    return value;
  }

  [[nodiscard]] figure one_figure(toml::node const& what, std::string const& key, need when) const {
    figure read{.key = key, .line = line_of(what)};
    toml::table const* const in = what.as_table();
    if (in == nullptr) {
      read.value = read.low = read.high = number(what, key, when);
      return read;
    }
    std::vector<std::string_view> const allowed = {"value", "assumed", "low", "high", "source"};
    for (auto const& [name, inside] : *in) {
      if (std::ranges::find(allowed, name.str()) == allowed.end())
        refuse(line_of(inside), key + ": there is no key " + std::string{name.str()} + "; allowed: " + one_of(allowed));
    }
    if (in->get("value") == nullptr)
      refuse(read.line, key + ": value is missing; allowed: " + std::string{what_is_allowed(when)});
    read.value = number(*in->get("value"), key + ".value", when);
    range(*in, read, when);
    if (toml::node const* const source = in->get("source")) {
      if (!source->is_string()) refuse(line_of(*source), key + ".source must be words in quotes");
      read.source = source->as_string()->get();
    }
    return read;
  }

  void range(toml::table const& in, figure& read, need when) const {
    if (toml::node const* const assumed = in.get("assumed")) {
      if (!assumed->is_boolean()) refuse(line_of(*assumed), read.key + ".assumed must be true or false");
      read.assumed = assumed->as_boolean()->get();
    }
    toml::node const* const low = in.get("low");
    toml::node const* const high = in.get("high");
    if ((low == nullptr) != (high == nullptr) || (low == nullptr && read.assumed))
      refuse(read.line, read.key + ": low and high are given together, and only with assumed = true");
    read.low = low == nullptr ? read.value : number(*low, read.key + ".low", when);
    read.high = high == nullptr ? read.value : number(*high, read.key + ".high", when);
    if (read.low > read.value || read.value > read.high)
      refuse(read.line, read.key + ": low " + text_of(read.low) + ", value " + text_of(read.value) + ", high " +
                            text_of(read.high) + "; allowed: low <= value <= high");
  }

  void figures(figure_rule const& rule) {
    std::string const key = std::string{rule.table} + "." + std::string{rule.name};
    toml::table const* const in = table(rule.table);
    toml::node const* const what = in == nullptr ? nullptr : in->get(rule.name);
    if (what == nullptr) {
      bool const needed = rule.need == need::always || (rule.need == need::together && in != nullptr);
      if (needed) refuse_missing(rule.table, rule.name, a_figure);
      return;
    }
    if (!is_list(rule.need)) {
      read_.figures.push_back(one_figure(*what, key, rule.need));
      return;
    }
    if (!what->is_array())
      refuse(line_of(*what),
             key + (rule.need == need::by_kind ? " must be a list, one figure for each kind of core but the fastest"
                                               : " must be a list, one figure for each distance, the nearest first"));
    std::size_t at = 0;
    for (toml::node const& each : *what->as_array())
      read_.figures.push_back(one_figure(each, key + "[" + std::to_string(at++) + "]", rule.need));
  }

  toml::table const& all_;
  model_file read_;
};

}  // namespace

void refuse_model(std::string_view origin, std::uint32_t line, std::string const& why) {
  throw usage_error(runtime::printable(std::string{origin} + ":" + std::to_string(line) + ": " + why));
}

model_file read_model(std::string_view text, std::string_view origin) {
  if (std::uint32_t const line = runtime::line_of_deep_key(text); line > 0)
    refuse_model(origin, line, "a key has more than " + std::to_string(runtime::most_key_parts) + " parts");
  toml::table all;
  try {
    all = toml::parse(text);
  } catch (toml::parse_error const& fault) {
    refuse_model(origin, static_cast<std::uint32_t>(fault.source().begin.line),
                 "this is not TOML: " + std::string{fault.description()});
  }
  return reader(all, origin).take();
}

}}}  // namespace skua::v0::sim
