// SPDX-License-Identifier: MIT
#include "cli/balance/load_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>

#include "cli/text/option_values.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/base/printable.hpp"

namespace skua::cli {
namespace {

/// Of a nanosecond in this unit.
std::size_t decimals_of(load_unit unit) noexcept { return 3 * static_cast<std::size_t>(unit); }

bool are_digits(std::string_view text) noexcept {
  return std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

std::optional<load_ns> from_exponent(std::string_view text, std::size_t decimals) {
  std::optional<double> const value = number_in(text);
  if (!value || *value < 0) return {};
  double const ns = std::round(*value * std::pow(10.0, static_cast<double>(decimals)));
  if (!(ns < 0x1p64)) return {};
  return static_cast<load_ns>(ns);
}

}  // namespace

std::optional<load_ns> nanoseconds_in(std::string_view text, load_unit unit) {
  std::size_t const decimals = decimals_of(unit);
  if (text.find_first_of("eE") != std::string_view::npos) return from_exponent(text, decimals);
  auto const dot = text.find('.');
  std::string_view const front = text.substr(0, dot);
  std::string_view const back = dot == std::string_view::npos ? std::string_view{} : text.substr(dot + 1);
  if ((front.empty() && back.empty()) || !are_digits(front) || !are_digits(back)) return {};
  std::string digits(front);
  for (std::size_t i = 0; i < decimals; ++i) digits += i < back.size() ? back[i] : '0';
  if (digits.empty()) digits = "0";
  load_ns ns = 0;
  if (std::from_chars(digits.data(), digits.data() + digits.size(), ns).ec != std::errc{}) return {};
  bool const up = back.size() > decimals && back[decimals] >= '5';
  if (up && ns == std::numeric_limits<load_ns>::max()) return {};
  return up ? ns + 1 : ns;
}

std::string in_unit(load_ns load, load_unit unit) {
  std::size_t const decimals = decimals_of(unit);
  std::string digits = std::to_string(load);
  if (decimals == 0) return digits;
  if (digits.size() <= decimals) digits.insert(0, decimals + 1 - digits.size(), '0');
  digits.insert(digits.size() - decimals, 1, '.');
  digits.erase(digits.find_last_not_of('0') + 1);
  if (digits.ends_with('.')) digits.pop_back();
  return digits;
}

phase_choice::answer phase_choice::see(std::uint64_t phase) {
  std::optional<std::uint64_t> const before = chosen();
  seen_.insert(phase);
  if (seen_.size() > most_phases) throw usage_error(fmt::format("there are more than {} phases", most_phases));
  if (asked_) return phase == *asked_ ? answer::take : answer::skip;
  if (before && phase < *before) return answer::skip;
  return before == phase ? answer::take : answer::start_over;
}

std::optional<std::uint64_t> phase_choice::chosen() const {
  if (seen_.empty() || (asked_ && !seen_.contains(*asked_))) return {};
  return asked_.value_or(*seen_.rbegin());
}

std::string phase_choice::in_words() const {
  auto const id = chosen();
  if (!id) return {};
  if (seen_.size() == 1) return fmt::format("phase {}, the only one", *id);
  return fmt::format("phase {}, {}of {}", *id, *id == *seen_.rbegin() ? "the last " : "one ", seen_.size());
}

std::string phase_choice::seen_in_words() const {
  constexpr std::size_t most_shown = 10;
  std::string all;
  std::size_t shown = 0;
  for (std::uint64_t const p : seen_) {
    if (shown == most_shown) return all + fmt::format(", ... {}", *seen_.rbegin());
    all += (shown++ == 0 ? "" : ", ") + std::to_string(p);
  }
  return all;
}

void load_set::add(std::size_t rank, load_ns load, std::string const& where) {
  if (load > std::numeric_limits<load_ns>::max() - sum_) {
    throw usage_error(
        runtime::printable(fmt::format("{}: with this load of {} ns the sum of all loads is above {} ns, the largest "
                                       "allowed",
                                       where, load, std::numeric_limits<load_ns>::max())));
  }
  if (++tasks_ > most_tasks)
    throw usage_error(runtime::printable(fmt::format("{}: there are more than {} tasks", where, most_tasks)));
  sum_ += load;
  if (rank >= loads.size()) loads.resize(rank + 1);
  loads[rank].push_back(load);
}

void load_set::clear_tasks() {
  for (auto& of_rank : loads) of_rank.clear();
  for (auto& of_rank : entities) of_rank.clear();
  sum_ = 0;
  tasks_ = 0;
}

}  // namespace skua::cli
