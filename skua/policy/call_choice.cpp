// SPDX-License-Identifier: MIT
#include "skua/policy/call_choice.hpp"

#include <array>
#include <charconv>

namespace skua { inline namespace v0 { namespace policies {
namespace {

/// With so many digits. The same in every locale.
std::string in_digits(double number, int digits) {
  std::array<char, 32> text{};
  auto const end = std::to_chars(text.data(), text.data() + text.size(), number, std::chars_format::general, digits);
  return {text.data(), end.ptr};
}

/// "78.14 ms"
std::string in_time(double ns) {
  constexpr std::array units{"ns", "us", "ms"};
  for (char const* const unit : units) {
    if (ns < 1000) return in_digits(ns, 4) + " " + unit;
    ns /= 1000;
  }
  return in_digits(ns, 6) + " s";
}

std::string counted(std::uint64_t n, char const* noun) { return std::to_string(n) + " " + noun + (n == 1 ? "" : "s"); }

}  // namespace

std::string reason_of(call_choice const& c) {
  switch (c.why) {
    case evidence::first: return "the first choice";
    case evidence::spawns: return "it spawns tasks before it forks";
    case evidence::tiny: return "its calls are short";
    case evidence::measured: break;
  }
  return "measured: " + in_digits(c.gain, 3) + " of the time under the last choice";
}

std::string trials_text(call_choice const& c) {
  std::string all;
  for (call_choice::trials_of const& t : c.others) {
    if (t.trials == 0) continue;
    if (!all.empty()) all += "; ";
    all += t.scheduler + ": " + std::to_string(t.trials);
    if (t.ratio > 0) all += ", the last one took " + in_digits(t.ratio, 3) + " times as long";
  }
  return all;
}

std::string text_of(call_choice const& c) {
  std::string all = (c.call.empty() ? "a call" : c.call) + ": " + c.scheduler + " (" + reason_of(c) + ") since ";
  all += c.is_of_earlier_run() ? "an earlier run" : "call " + std::to_string(c.since_call);
  if (!c.is_of_earlier_run() && c.since_group > 1) all += ", group " + std::to_string(c.since_group);
  all += "; " + counted(c.calls, "call") + " of " + in_time(c.call_mean_ns()) + ", " + counted(c.groups, "group") +
         "; " + counted(c.trials(), "trial");
  if (c.trials() == 0) return all;
  double const share = c.groups_ns > 0 ? 100 * c.lost_ns / c.groups_ns : 0;
  return all + " lost " + in_digits(share, 2) + " % of the time (" + trials_text(c) + ")";
}

}}}  // namespace skua::v0::policies
