// SPDX-License-Identifier: MIT
// The sentences of a comparison.
#include <fmt/format.h>

#include <algorithm>

#include "cli/compare/comparison.hpp"
#include "cli/text/report.hpp"

namespace skua::cli {
namespace {

using ranking = std::vector<contender const*>;

std::string time_of(contender const* c) { return seconds_in_text(c->time_s.middle); }

std::string times_as_long(contender const* slower, contender const* faster) {
  double const times = slower->time_s.middle / faster->time_s.middle;
  return fmt::format("takes {:.{}f} times as long", times, times < 100 ? 2 : 0);
}

std::string names_of(std::span<contender const* const> some) {
  std::vector<std::string> names;
  for (contender const* const c : some) names.push_back(c->name());
  return listed(names);
}

/// The first row whose interval is apart from the fastest one's; all before it are within the spread.
ranking::const_iterator first_apart(ranking const& order) {
  return std::ranges::find_if(order, [&](contender const* c) { return are_apart(order.front()->time_s, c->time_s); });
}

std::string about_the_fastest(ranking const& order) {
  contender const* const first = order.front();
  std::string const where = fmt::format("On {}", in_words(first->workers(), "worker"));
  if (order.size() == 1) return fmt::format("{}, {} takes {}.", where, first->name(), time_of(first));
  auto const next = first_apart(order);
  std::span const close(order.begin() + 1, next);
  std::string text =
      close.empty()
          ? fmt::format("{}, {} is the fastest: {}.", where, first->name(), time_of(first))
          : fmt::format(
                "{}, no runner is clearly the fastest: {} has the smallest median, {}, and {} {} within the spread.",
                where, first->name(), time_of(first), names_of(close), close.size() == 1 ? "is" : "are");
  if (next == order.end()) return text;
  text += fmt::format(" The next, {}, {}: {}.", (*next)->name(), times_as_long(*next, first), time_of(*next));
  contender const* const last = order.back();
  if (last != *next) text += fmt::format(" The slowest, {}, {}.", last->name(), times_as_long(last, first));
  return text;
}

/// Skua's fastest beside the fastest peer; empty if there is only one of them, or if about_the_fastest has said it.
std::string about_the_peer(ranking const& order) {
  auto const is_peer = [](contender const* c) { return c->of->who->is_peer; };
  auto const peer = std::ranges::find_if(order, is_peer);
  auto const ours = std::ranges::find_if_not(order, is_peer);
  if (order.size() < 3 || peer == order.end() || ours == order.end()) return "";
  auto const later = std::max(ours, peer);  // the other is the fastest of all
  if (later <= first_apart(order)) return "";
  if (!are_apart((*peer)->time_s, (*ours)->time_s))
    return fmt::format(" {} and the fastest peer, {}, are within the spread of each other.", (*ours)->name(),
                       (*peer)->name());
  return ours < peer ? fmt::format(" The fastest peer, {}, {} as {}.", (*peer)->name(), times_as_long(*peer, *ours),
                                   (*ours)->name())
                     : fmt::format(" Skua's fastest, {}, {} as the fastest peer, {}.", (*ours)->name(),
                                   times_as_long(*ours, *peer), (*peer)->name());
}

std::string about_scaling(comparison const& c) {
  contender const* const base = c.reference();
  unsigned const most = c.worker_counts().back();
  ranking const order = c.ranking(most);
  if (base == nullptr || order.empty() || most <= base->workers()) return "";
  contender const& best = *order.front();
  std::string const than = best.speed_up->middle < 1 ? times_as_long(&best, base)
                                                     : fmt::format("is {:.2f} times as fast", best.speed_up->middle);
  return fmt::format("On {}, {} {} as {}: an efficiency of {}.", in_words(most, "worker"), best.name(), than,
                     name_of_reference(c), in_percent(best.efficiency->middle, 0));
}

}  // namespace

std::string name_of_reference(comparison const& c) {
  contender const* const base = c.reference();
  if (base == nullptr) return "";
  return base->of->who->is_serial ? "the serial elision"
                                  : fmt::format("{} on {}", base->name(), in_words(base->workers(), "worker"));
}

std::vector<std::string> summary_of(comparison const& c) {
  std::vector<std::string> all;
  if (c.reference() == nullptr) all.emplace_back("No answer was right: there is nothing to compare.");
  for (unsigned const workers : c.worker_counts()) {
    ranking const order = c.ranking(workers);
    if (!order.empty()) all.push_back(about_the_fastest(order) + about_the_peer(order));
  }
  if (std::string scaling = about_scaling(c); !scaling.empty()) all.push_back(std::move(scaling));
  if (c.all().front().of->what->times_s.size() == 1)
    all.emplace_back("One round has no spread, so chance may decide which runner is the fastest: use --repeat 9.");
  return all;
}

}  // namespace skua::cli
