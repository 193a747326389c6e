// SPDX-License-Identifier: MIT
#include "tests/mixed/mixed_step.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <stdexcept>

#include "skua/parts/base/dice.hpp"

namespace skua { inline namespace v0 { namespace testing {
namespace {

constexpr std::size_t constructs = static_cast<std::size_t>(construct::last) + 1;
constexpr std::uint32_t chances = 1'000'000;  ///< short in a text

constexpr char const* names[] = {
    "join",        "each",       "scope",        "finish",   "flow",         "task_group",    "loop",
    "isolated",    "answer",     "answer_here",  "enqueued", "coroutine",    "other_pool",    "outside_caller",
    "own_pool",    "own_region", "growing_flow", "team",     "worker_local", "isolated_loop", "second_use",
    "shielded",    "limited",    "fails",        "stops",    "stopped_call", "bounded_group", "bounded_call",
    "gathered",    "observed",   "arena",        "lent",     "awaited",      "left_tasks",    "fed",
    "broken_team", "cut_short",  "ambient",      "beside",   "scheduled"};
static_assert(std::size(names) == constructs);

/// One step in so many of these; a join comes in place of the others. Pools and regions cost milliseconds where the rest costs
/// microseconds.
std::uint32_t one_in(construct c) noexcept {
  switch (c) {
    case construct::lent: return 40;
    case construct::own_pool: return 8;
    case construct::own_region:
    case construct::beside: return 4;
    default: return 1;
  }
}

class reader {
 public:
  explicit reader(std::string_view text) noexcept : text_(text) {}

  mixed_step whole() {
    mixed_step all = step();
    if (at_ != text_.size()) refuse("an end");
    return all;
  }

 private:
  [[noreturn]] void refuse(std::string const& wanted) const {
    throw std::invalid_argument("a program: " + wanted + " is missing at '" + std::string(text_.substr(at_)) + "'");
  }
  bool take(char c) noexcept {
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  mixed_step step() {
    mixed_step read;
    read.own = ++read_ * 0x9e37'79b9'7f4a'7c15ULL;
    if (take('.')) return read;
    read.what = name();
    if (take(':')) read.chance = number();
    if (!take('(')) refuse("'('");
    do {
      read.child.push_back(step());
    } while (take(' '));
    if (!take(')')) refuse("')'");
    std::size_t const fewest = mixed_step::fewest_children(read.what);
    std::size_t const most = fewest == 1 ? 1 : 4;
    if (read.number() < fewest || read.number() > most)
      refuse("before this, " + std::to_string(fewest) + " to " + std::to_string(most) + " children");
    return read;
  }
  construct name() {
    std::size_t const end = std::min(text_.find_first_of(":() ", at_), text_.size());
    auto const* const found = std::ranges::find(names, text_.substr(at_, end - at_));
    if (found == std::end(names)) refuse("a construct");
    at_ = end;
    return static_cast<construct>(found - std::begin(names));
  }
  std::uint64_t number() {
    std::uint64_t read = 0;
    auto const [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), read);
    if (error != std::errc{}) refuse("a number");
    at_ = static_cast<std::size_t>(end - text_.data());
    return read;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::uint64_t read_ = 0;
};

}  // namespace

char const* name_of(construct c) noexcept { return names[static_cast<std::size_t>(c)]; }

std::size_t mixed_step::fewest_children(construct c) noexcept {
  switch (c) {
    case construct::isolated:
    case construct::answer:
    case construct::answer_here:
    case construct::enqueued:
    case construct::bounded_call:
    case construct::coroutine:
    case construct::other_pool:
    case construct::outside_caller:
    case construct::own_pool:
    case construct::own_region:
    case construct::shielded:
    case construct::limited:
    case construct::arena:
    case construct::awaited:
    case construct::cut_short:
    case construct::scheduled:
    case construct::lent: return 1;
    default: return 2;
  }
}

mixed_step mixed_step::drawn(std::uint64_t seed, int depth) {
  runtime::dice roll(seed);
  mixed_step all;
  all.own = roll.next();
  if (depth == 0 || roll.below(10) == 0) return all;
  auto const wanted = static_cast<construct>(roll.below(constructs));
  all.what = roll.below(one_in(wanted)) == 0 ? wanted : construct::join;
  all.chance = roll.below(chances);
  std::size_t const number = all.is_alone() ? 1 : 2 + roll.below(3);
  for (std::size_t i = 0; i < number; ++i) all.child.push_back(drawn(roll.next(), depth - 1));
  return all;
}

std::uint64_t mixed_step::expected() const noexcept {
  std::uint64_t sum = own;
  if (ends_early()) return sum;
  for (std::size_t i = 0; i < child.size(); ++i) sum += weight(i) * child[i].expected();
  return sum;
}

std::size_t mixed_step::size() const noexcept {
  std::size_t all = 1;
  for (mixed_step const& c : child) all += c.size();
  return all;
}

void mixed_step::count(std::vector<std::uint64_t>& of_each) const {
  if (is_leaf()) return;
  ++of_each[static_cast<std::size_t>(what)];
  for (mixed_step const& c : child) c.count(of_each);
}

std::string text_of(mixed_step const& s) {
  if (s.is_leaf()) return ".";
  std::string text = name_of(s.what);
  if (s.chance != 0) text += ":" + std::to_string(s.chance);
  char before = '(';
  for (mixed_step const& c : s.child) {
    text += before + text_of(c);
    before = ' ';
  }
  return text + ")";
}

mixed_step step_from(std::string_view text) { return reader(text).whole(); }

std::string indented(mixed_step const& s, std::size_t spaces) {
  std::string text(spaces, ' ');
  if (s.is_leaf()) return text + "leaf\n";
  text += name_of(s.what);
  if (s.chance != 0) text += " (chance " + std::to_string(s.chance) + ")";
  text += "\n";
  for (mixed_step const& c : s.child) text += indented(c, spaces + 2);
  return text;
}

}}}  // namespace skua::v0::testing
