// SPDX-License-Identifier: MIT
// The list of the frames that wait holds those that were added and not removed, in whatever order that happens.
#include "skua/machine/threads/engine/core/parked_frames.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "skua/skua.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace {

using frames = std::vector<frame const*>;

frames in(parked_frames& list) {
  frames seen;
  list.each([&](frame const& f) { seen.push_back(&f); });
  return seen;
}

TEST(parked_frames, are_those_that_were_added_and_not_removed_the_latest_first) {
  std::array<std::size_t, 4> order{0, 1, 2, 3};
  do {
    pool(1).run([&](auto& here) {
      fiber& on = fiber_of(here);
      std::array<frame, 4> all{{{on, nullptr, true}, {on, nullptr, true}, {on, nullptr, true}, {on, nullptr, true}}};
      parked_frames list;
      frames expected;
      for (frame& f : all) {
        f.noted = {};
        list.add(f);
        expected.insert(expected.begin(), &f);
        EXPECT_EQ(in(list), expected);
      }
      std::uint64_t moves = 4;
      EXPECT_EQ(list.moves(), moves);
      for (std::size_t const i : order) {
        list.remove(all.at(i));
        std::erase(expected, &all.at(i));
        EXPECT_EQ(in(list), expected);
        EXPECT_EQ(list.moves(), ++moves);
      }
    });
  } while (std::ranges::next_permutation(order).found);
}

}}}}  // namespace skua::v0::runtime
