// SPDX-License-Identifier: MIT
#include "skua/policy/named_options.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>

#include "skua/parts/base/error.hpp"
#include "skua/parts/base/nearest_name.hpp"

namespace skua { inline namespace v0 { namespace policies {
namespace {

std::string quoted(std::string_view s) { return "'" + std::string(s) + "'"; }

/// "option 'WORD' of KIND 'NAME'"
std::string called(option_owner of, std::string_view word) {
  return "option " + quoted(word) + " of " + std::string(of.kind) + " " + quoted(of.name);
}

/// Reads the whole value as a number between two bounds; throws an error that names the bounds.
template <class Number>
Number read(option_owner of, chosen_option const& o, Number least, Number most, std::string const& allowed) {
  Number n{};
  auto const [end, problem] = std::from_chars(o.value.data(), o.value.data() + o.value.size(), n);
  bool const whole = problem == std::errc{} && end == o.value.data() + o.value.size();
  if (whole && n >= least && n <= most) return n;
  throw usage_error(called(of, o.word) + " is " + quoted(o.value) + "; allowed: " + allowed);
}

/// "1.003", "4": without the zeros that to_string appends.
std::string short_text(double d) {
  std::string text = std::to_string(d);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

/// True if something other than a comma stands before a second option, as in "threshold=4:bias=2".
bool holds_two_options(std::span<known_option const> known, std::string_view item) {
  auto const between = item.find_first_of(":; ");
  if (between == std::string_view::npos) return false;
  std::string_view const second = item.substr(between + 1);
  return std::ranges::find(known, second.substr(0, second.find('=')), &known_option::word) != known.end();
}

/// One item between two commas. Throws usage_error unless it is a known option, written as such.
chosen_option option_from(option_owner of, std::span<known_option const> known, std::string_view item) {
  std::string const where = "option of " + std::string(of.kind) + " " + quoted(of.name);
  std::size_t const equals = item.find('=');
  bool const has_value = equals != std::string_view::npos;
  chosen_option const o{item.substr(0, equals), has_value ? item.substr(equals + 1) : std::string_view{}};
  if (holds_two_options(known, item)) {
    throw usage_error(where + " is " + quoted(item) +
                      "; allowed: options with a comma between each two, as in NAME:OPTION,OPTION=VALUE");
  }
  if (known.empty()) throw usage_error(where + " is " + quoted(item) + "; allowed: none");
  auto const found = std::ranges::find(known, o.word, &known_option::word);
  if (found == known.end()) {
    std::vector<std::string_view> words(known.size());
    std::ranges::transform(known, words.begin(), &known_option::word);
    throw usage_error(unknown_name(where, o.word, words));
  }
  if (found->bare && has_value) {
    throw usage_error(where + " is " + quoted(item) + "; allowed: " + std::string(o.word) + ", without a value");
  }
  return o;
}

}  // namespace

std::string unknown_name(std::string const& what, std::string_view typed, std::vector<std::string_view> const& known) {
  std::string text = what + " is " + quoted(typed) + "; allowed: ";
  for (std::size_t i = 0; i < known.size(); ++i) text += (i == 0 ? "" : ", ") + std::string(known[i]);
  std::string_view const nearest = runtime::nearest_name(typed, known);
  if (!nearest.empty()) text += "; did you mean " + quoted(nearest) + "?";
  return text;
}

std::vector<chosen_option> chosen_options(option_owner of, std::span<known_option const> known, std::string_view text) {
  std::vector<chosen_option> chosen;
  for (bool more = true; more;) {
    std::size_t const comma = text.find(',');
    std::string_view const item = text.substr(0, comma);
    more = comma != std::string_view::npos;
    text.remove_prefix(more ? comma + 1 : text.size());

    chosen_option const o = option_from(of, known, item);
    if (std::ranges::find(chosen, o.word, &chosen_option::word) != chosen.end()) {
      throw usage_error("option of " + std::string(of.kind) + " " + quoted(of.name) + " is " + quoted(item) +
                        " after another " + std::string(o.word) + "; allowed: once");
    }
    chosen.push_back(o);
  }
  return chosen;
}

std::uint32_t whole_number(option_owner of, chosen_option const& o, std::uint32_t least, std::uint32_t most) {
  return read(of, o, least, most, "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
}

double number(option_owner of, chosen_option const& o, double least, double most) {
  return read(of, o, least, most, "a number from " + short_text(least) + " to " + short_text(most));
}

std::size_t word_of(option_owner of, chosen_option const& o, std::span<std::string_view const> words) {
  auto const found = std::ranges::find(words, o.value);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  throw usage_error(unknown_name(called(of, o.word), o.value, {words.begin(), words.end()}));
}

}}}  // namespace skua::v0::policies
