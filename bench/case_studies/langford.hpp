// SPDX-License-Identifier: MIT
// Langford's problem: in how many ways can two of each number 1 .. n be put in a row so that k numbers stand between the two
// k? What both versions of the case study share (docs/case-studies.md). L(2, 11) = 17792, L(2, 12) = 108144; each
// arrangement is counted in both directions here.
#pragma once

#include <bit>
#include <cstdint>

namespace skua::bench::langford {

/// Which of the 2 n places are taken, a bit each.
struct board {
  std::uint64_t taken = 0;
  int n = 0;
};

/// Where the first of the two k may stand.
inline std::uint64_t free_places(board const& b, int k) {
  std::uint64_t const all = (std::uint64_t{1} << (2 * b.n - k - 1)) - 1;
  return ~(b.taken | b.taken >> (k + 1)) & all;
}

/// Both k are put down, the first at the lowest of these places.
inline board put(board const& b, int k, std::uint64_t places) {
  int const at = std::countr_zero(places);
  return {b.taken | std::uint64_t{1} << at | std::uint64_t{1} << (at + k + 1), b.n};
}

inline std::uint64_t count_serially(board const& b, int k) {
  if (k == 0) return 1;
  std::uint64_t found = 0;
  for (std::uint64_t p = free_places(b, k); p != 0; p &= p - 1) found += count_serially(put(b, k, p), k - 1);
  return found;
}

}  // namespace skua::bench::langford
