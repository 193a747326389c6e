// SPDX-License-Identifier: MIT
#pragma once

namespace openmp_test {

/// Two teams of four on two threads; three members of each spin for the fourth. Returns how many have ended: 8.
int members_that_spin();

struct yielded {
  int ran;   ///< 8
  int away;  ///< teams whose members ran on more threads than the outer team has
};
/// The same, but all wait for all, twice, by sched_yield.
yielded members_that_yield();

}  // namespace openmp_test
