// SPDX-License-Identifier: MIT
#include "skua/parts/queue/waiting_line.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>

#include "skua/parts/base/dice.hpp"
#include "tests/programs/random_runs.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace {

TEST(waiting_line, is_a_deque_whoever_takes_what) {
  std::uint64_t const seed = testing::fresh_seed();
  SCOPED_TRACE(testing::command_line_of(seed));
  dice roll(seed);
  for (int round = 0; round < 200; ++round) {
    waiting_line<int> line;
    std::deque<int> model;
    std::uint32_t const pushes = 1 + roll.below(9);  // of ten
    for (int i = 0; i < 1'000; ++i) {
      if (model.empty() || roll.below(10) < pushes) {
        ASSERT_TRUE(line.reserve_more(1));
        line.push_back(i);
        model.push_back(i);
      } else {
        std::uint32_t const size = static_cast<std::uint32_t>(model.size());
        std::uint32_t const from[] = {0, size - 1, roll.below(size)};
        auto const at = static_cast<std::ptrdiff_t>(from[roll.below(3)]);
        line.erase(line.begin() + at);
        model.erase(model.begin() + at);
      }
      ASSERT_TRUE(std::ranges::equal(line, model)) << "round " << round << ", step " << i;
    }
  }
}

TEST(waiting_line, a_line_that_moves_along_keeps_its_room) {
  waiting_line<int> line(8);
  int* const where = &*line.begin();
  for (int i = 0; i < 1'000; ++i) {
    ASSERT_TRUE(line.reserve_more(1));
    line.push_back(i);
    if (i >= 3) line.erase(line.begin());
  }
  EXPECT_TRUE(&*line.begin() >= where && &*line.begin() < where + 8) << "it has not grown";
}

}}}}  // namespace skua::v0::runtime
