// SPDX-License-Identifier: MIT
// Policies under test: a script of outcomes, and the answers that came back.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <vector>

#include "skua/policy/policy.hpp"

namespace skua { inline namespace v0 { namespace policies {

inline void PrintTo(probe const& p, std::ostream* out) {
  constexpr char const* actions[] = {"pop", "steal", "rest"};
  *out << actions[static_cast<int>(p.kind)] << ' ' << name_of(p.lane) << " of " << index(p.victim);
}

/// Ask once, and answer `how` (a rest is not answered).
inline probe ask(worker_policy& m, runtime::outcome how) {
  probe const p = m.next_probe();
  if (p.kind != action::rest) m.learn(probed{p, how});
  return p;
}

/// One round in which every probe ends in `how`, rest included.
inline std::vector<probe> fruitless_round(worker_policy& m, runtime::outcome how = runtime::outcome::empty) {
  std::vector<probe> round;
  do round.push_back(ask(m, how));
  while (round.back().kind != action::rest && round.size() < 100'000);
  return round;
}

/// The victims of the steal attempts on `where`, in order.
inline std::vector<std::uint32_t> victims_of(std::vector<probe> const& probes, lane where = lane::forks) {
  std::vector<std::uint32_t> victims;
  for (probe const& p : probes) {
    if (p.kind == action::steal && p.lane == where) victims.push_back(index(p.victim));
  }
  return victims;
}

/// Pearson's statistic against "all cells alike".
inline double chi_square(std::vector<std::uint64_t> const& counts) {
  double total = 0;
  for (auto const c : counts) total += static_cast<double>(c);
  double const expected = total / static_cast<double>(counts.size());
  double sum = 0;
  for (auto const c : counts)
    sum += (static_cast<double>(c) - expected) * (static_cast<double>(c) - expected) / expected;
  return sum;
}

/// What chi_square exceeds with probability below one in a million (Wilson and Hilferty's approximation, z = 4.75).
inline double chi_square_limit(std::size_t cells) {
  double const freedom = static_cast<double>(cells - 1);
  double const c = 1 - 2 / (9 * freedom) + 4.75 * std::sqrt(2 / (9 * freedom));
  return freedom * c * c * c;
}

}}}  // namespace skua::v0::policies
