// SPDX-License-Identifier: MIT
#include "skua/machine/sim/lanes.hpp"

#include <gtest/gtest.h>

#include "skua/parts/base/dice.hpp"

namespace skua { inline namespace v0 { namespace sim { namespace {

constexpr std::uint32_t workers = 3;

constexpr bool is_queue(lane where) { return where != lane::ordered; }

/// The answer of a search through all queues, and what is said to be in the lanes `ordered`.
bool something_lies(lanes const& l, bool const (&ordered)[workers], bool (*counts)(std::uint32_t, lane),
                    std::uint32_t self) {
  for (std::uint32_t w = 0; w < workers; ++w) {
    for (std::size_t k = 0; k < lane_kinds; ++k) {
      bool const mine = w == self || static_cast<lane>(k) == lane::injected;
      auto const where = static_cast<lane>(k);
      bool const is_empty = is_queue(where) ? l.items_of(worker_id{w}, where).empty() : !ordered[w];
      if ((mine || counts(w, where)) && !is_empty) return true;
    }
  }
  return false;
}

void check_against_queues(lanes const& l, bool const (&ordered)[workers]) {
  auto const nobody = [](std::uint32_t, lane) { return false; };
  auto const anybody = [](std::uint32_t, lane) { return true; };
  auto const thieves = [](std::uint32_t, lane k) { return k != lane::inbox && k != lane::mailbox; };
  ASSERT_EQ(l.all_empty(), !something_lies(l, ordered, anybody, 0));
  for (std::uint32_t w = 0; w < workers; ++w) {
    ASSERT_EQ(l.at_hand_of(worker_id{w}), something_lies(l, ordered, nobody, w)) << "worker " << w;
    ASSERT_EQ(l.in_reach_of(worker_id{w}), something_lies(l, ordered, thieves, w)) << "worker " << w;
    for (std::size_t k = 0; k < lane_kinds; ++k) {
      lane const where = static_cast<lane>(k);
      bool const is_empty = is_queue(where) ? l.items_of(worker_id{w}, where).empty() : !ordered[w];
      ASSERT_EQ(l.empty(worker_id{w}, where), is_empty) << "worker " << w << ", lane " << k;
    }
  }
}

/// After any pushes and takes: empty, at_hand_of and in_reach_of agree with the queues.
TEST(lanes, know_which_of_them_are_empty) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    dice roll(seed);
    lanes l(workers);
    bool ordered[workers] = {};
    for (tree_node_id i = 0; i < 300; ++i) {
      worker_id const w{roll.below(workers)};
      auto const where = static_cast<lane>(roll.below(lane_kinds));
      std::uint32_t const what = roll.below(5);
      if (!is_queue(where)) {
        ordered[index(w)] = what < 3;
        l.set_ordered(w, what < 3 ? what + 1 : 0);
      } else if (what < 2) {
        l.push(w, where, {.content = item::kind::child, .node = i});
      } else if (what == 2) {
        static_cast<void>(l.take_all(w, where));
      } else if (!l.empty(w, where)) {
        static_cast<void>(l.take(w, where, roll.below(2) == 0 ? end::oldest : end::newest));
      }
      check_against_queues(l, ordered);
      if (HasFatalFailure()) return;
    }
  }
}

}}}}  // namespace skua::v0::sim
