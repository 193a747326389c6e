// SPDX-License-Identifier: MIT
#include "skua/parts/base/options.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <utility>

#include "skua/parts/base/ascii.hpp"
#include "skua/parts/base/error.hpp"

namespace skua { inline namespace v0 { namespace runtime {
namespace {

constexpr std::string_view blanks = " \t\r\n";

std::string_view trimmed(std::string_view text) {
  auto const first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

[[noreturn]] void refuse(std::string_view name, std::string_view text, std::string_view allowed) {
  throw usage_error(std::string{name} + " is '" + std::string{text} + "'; allowed: " + std::string{allowed});
}

/// Leading decimal digits, and what follows them. nullopt without digits, and for a number above 2^64-1.
std::optional<std::pair<std::uint64_t, std::string_view>> number_and_rest(std::string_view text) {
  std::uint64_t value = 0;
  auto const [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (wrong != std::errc{}) return std::nullopt;
  return std::pair{value, text.substr(static_cast<std::size_t>(end - text.data()))};
}

/// The variable's value if it is set and not blank.
std::optional<std::string> value_of_variable(environment const& get, char const* name) {
  std::optional<std::string> value = get(name);
  if (value && trimmed(*value).empty()) return std::nullopt;
  return value;
}

/// Every number of the comma list must be valid, though only the first (the outermost level) is used.
std::uint32_t read_thread_list(std::string_view name, std::string_view text) {
  std::optional<std::uint32_t> first;
  std::string_view rest = text;
  for (;;) {
    auto const comma = rest.find(',');
    auto const item = number_and_rest(trimmed(rest.substr(0, comma)));
    if (!item || !item->second.empty() || item->first == 0 || item->first > max_workers) {
      refuse(name, text,
             "a whole number from 1 to " + std::to_string(max_workers) + ", or a comma list of such numbers");
    }
    if (!first) first = static_cast<std::uint32_t>(item->first);
    if (comma == std::string_view::npos) return *first;
    rest.remove_prefix(comma + 1);
  }
}

void read_worker_settings(settings& result, environment const& get) {
  if (auto const own = value_of_variable(get, "SKUA_WORKERS")) {
    result.workers = {.value = read_workers("SKUA_WORKERS", *own), .source = "SKUA_WORKERS"};
  } else if (auto const omp = value_of_variable(get, "OMP_NUM_THREADS")) {
    result.workers = {.value = read_thread_list("OMP_NUM_THREADS", *omp), .source = "OMP_NUM_THREADS"};
  }
  for (char const* name : {"SKUA_PLACES", "OMP_PLACES"}) {
    if (auto const text = value_of_variable(get, name)) {
      result.places = {.value = std::string{trimmed(*text)}, .source = name};
      return;
    }
  }
}

}  // namespace

environment process_environment() {
  return [](char const* name) -> std::optional<std::string> {
    char const* const value = std::getenv(name);
    return value == nullptr ? std::nullopt : std::optional<std::string>{value};
  };
}

settings settings_from_environment(environment const& get) {
  settings result;
  read_worker_settings(result, get);
  if (auto const text = value_of_variable(get, "SKUA_PIN")) {
    result.pin = {.value = read_switch("SKUA_PIN", *text), .source = "SKUA_PIN"};
  }
  if (auto const text = value_of_variable(get, "SKUA_POLICY")) {
    result.policy = {.value = std::string{trimmed(*text)}, .source = "SKUA_POLICY"};
  }
  if (auto const path = value_of_variable(get, "SKUA_PARTITIONS")) {
    result.partitions = {.value = *path, .source = "SKUA_PARTITIONS"};
  }
  if (auto const path = value_of_variable(get, "SKUA_HISTORY")) {
    result.history = {.value = *path, .source = "SKUA_HISTORY"};
  }
  if (auto const path = value_of_variable(get, "SKUA_TRACE")) {
    result.trace = {.value = *path, .source = "SKUA_TRACE"};
  }
  if (auto const text = value_of_variable(get, "SKUA_TRACE_SIZE")) {
    result.trace_bytes = {.value = read_trace_bytes("SKUA_TRACE_SIZE", *text), .source = "SKUA_TRACE_SIZE"};
  }
  if (auto const text = value_of_variable(get, "SKUA_SPIN")) {
    result.spin = {.value = read_duration("SKUA_SPIN", *text), .source = "SKUA_SPIN"};
  }
  if (auto const text = value_of_variable(get, "SKUA_COUNT_FORKS")) {
    result.count_forks = {.value = read_switch("SKUA_COUNT_FORKS", *text), .source = "SKUA_COUNT_FORKS"};
  }
  if (auto const text = value_of_variable(get, "SKUA_STACK")) {
    result.stack_bytes = {.value = read_stack_bytes("SKUA_STACK", *text), .source = "SKUA_STACK"};
  }
  return result;
}

std::uint32_t read_workers(std::string_view name, std::string_view text) {
  auto const number = number_and_rest(trimmed(text));
  if (!number || !number->second.empty() || number->first == 0 || number->first > max_workers) {
    refuse(name, text, "a whole number from 1 to " + std::to_string(max_workers));
  }
  return static_cast<std::uint32_t>(number->first);
}

bool read_switch(std::string_view name, std::string_view text) {
  std::string const word = lower(trimmed(text));
  if (word == "on" || word == "true" || word == "yes" || word == "1") return true;
  if (word == "off" || word == "false" || word == "no" || word == "0") return false;
  refuse(name, text, "on, off, true, false, yes, no, 1 or 0");
}

std::chrono::nanoseconds read_duration(std::string_view name, std::string_view text) {
  constexpr std::string_view allowed = "0, inf, or a whole number with a unit (ns, us, ms, s), such as 50us";
  constexpr std::array<std::pair<std::string_view, std::int64_t>, 4> units{
      {{"ns", 1}, {"us", 1'000}, {"ms", 1'000'000}, {"s", 1'000'000'000}}};
  std::string const word = lower(trimmed(text));
  if (word == "inf") return spin_forever;
  auto const number = number_and_rest(word);
  if (!number) refuse(name, text, allowed);
  std::string_view const unit = trimmed(number->second);
  if (number->first == 0 && unit.empty()) return std::chrono::nanoseconds{0};
  auto const known = std::ranges::find(units, unit, &std::pair<std::string_view, std::int64_t>::first);
  if (known == units.end()) refuse(name, text, allowed);
  auto const longest = static_cast<std::uint64_t>(spin_forever.count() / known->second);
  if (number->first >= longest) refuse(name, text, "less than 292 years; inf means forever");
  return std::chrono::nanoseconds{static_cast<std::int64_t>(number->first) * known->second};
}

namespace {

std::size_t read_bytes(std::string_view name, std::string_view text, std::size_t least, std::size_t most,
                       std::string_view allowed) {
  std::string const word = lower(trimmed(text));
  auto const number = number_and_rest(word);
  if (!number) refuse(name, text, allowed);
  std::string_view const suffix = trimmed(number->second);
  unsigned shift = 0;
  if (suffix == "k") {
    shift = 10;
  } else if (suffix == "m") {
    shift = 20;
  } else if (suffix == "g") {
    shift = 30;
  } else if (!suffix.empty()) {
    refuse(name, text, allowed);
  }
  // Compared before the shift, so that a huge number cannot wrap around into the allowed range.
  if (number->first > (most >> shift) || (number->first << shift) < least) refuse(name, text, allowed);
  return static_cast<std::size_t>(number->first << shift);
}

}  // namespace

std::size_t read_stack_bytes(std::string_view name, std::string_view text) {
  return read_bytes(name, text, min_stack_bytes, max_stack_bytes,
                    "a size from 16k to 1g: a whole number of bytes, or one with the suffix k, m or g");
}

std::size_t read_trace_bytes(std::string_view name, std::string_view text) {
  return read_bytes(name, text, std::size_t{64} << 10, max_trace_bytes,
                    "a size from 64k to 64g: a whole number of bytes, or one with the suffix k, m or g");
}

}}}  // namespace skua::v0::runtime
