// SPDX-License-Identifier: MIT
// Isolated calls on all workers, whose children make teams: in no execution do the teams wait for the calls in a circle
// (team.md, "Isolated workers"). Each mutant weakens one order.
#include "skua/machine/threads/engine/core/isolation_mark.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>

#include "tests/explorer/expect.hpp"
#include "tests/explorer/explorer.hpp"
#include "tests/explorer/model_sync.hpp"
#include "tests/explorer/mutants.hpp"

namespace {

using namespace skua::explorer;
using skua::runtime::isolation_mark;

/// Worker i is isolated, and waits for a team that its call makes with the next worker, unless that one is isolated, too.
template <class Sync, int Workers>
struct calls_in_a_circle {
  static constexpr int threads = Workers;
  std::array<isolation_mark<Sync>, Workers> mark;
  std::array<bool, Workers> waits{};

  void run(int me) {
    auto const self = static_cast<std::size_t>(me);
    mark[self].set();
    waits[self] = !mark[(self + 1) % Workers].is_set();
  }
  void finish() {
    require(!std::ranges::all_of(waits, [](bool w) { return w; }), "the teams do not wait for the calls in a circle");
  }
};

}  // namespace

TEST(isolation_mark_model, two_calls_do_not_wait_for_each_other) {
  holds<calls_in_a_circle<model_sync, 2>>();
  holds<calls_in_a_circle<model_sync, 2>>(weak);
}
TEST(isolation_mark_model, three_calls_do_not_wait_in_a_circle) {
  holds<calls_in_a_circle<model_sync, 3>>();
  holds<calls_in_a_circle<model_sync, 3>>(weak);
}

TEST(isolation_mark_mutant, a_mark_that_only_releases_is_caught) {
  fails<calls_in_a_circle<ordered_store<std::memory_order_release>, 2>>("in a circle");
}
TEST(isolation_mark_mutant, a_look_that_only_acquires_is_caught) {
  fails<calls_in_a_circle<ordered_load<std::memory_order_acquire>, 2>>("in a circle", weak);
}
