// SPDX-License-Identifier: MIT
// R^T R is A^T A, for every size of tiles and in every division into parts; damage and a missing task show.
#include <gtest/gtest.h>

#include "apps/qr/problem.hpp"
#include "skua/program/serial.hpp"

namespace skua::apps::qr {
namespace {

TEST(qr, r_is_right_for_every_size_of_tiles) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    problem p({.n = 1 + seed * 11 % 97, .tile = 1 + seed * 7 % 43, .seed = seed});
    p.reset();
    EXPECT_EQ(p.wrong().empty(), p.of().n == 1) << "not factored";
    serial here;
    program(here, p);
    EXPECT_EQ(p.wrong(), "") << "seed " << seed;
    p.reset();
    run_alone(p);
    EXPECT_EQ(p.wrong(), "") << "seed " << seed;
  }
}

TEST(qr, damage_and_a_missing_task_are_noticed) {
  problem p({.n = 40, .tile = 8, .seed = 1});
  p.reset();
  run_alone(p);
  ASSERT_EQ(p.wrong(), "");
  p.at(1, 2)[5] += 1e-6;
  EXPECT_NE(p.wrong(), "");
  p.reset();
  for_each_task(5, [&](task const& t) {
    if (t.what != operation::update_pair || t.i != 4 || t.k != 1) p.run(t);
  });
  EXPECT_NE(p.wrong(), "");
}

TEST(qr, parts_of_a_task_make_the_task) {
  problem p({.n = 45, .tile = 12, .seed = 2});
  p.reset();
  for_each_task(p.of().tiles(), [&](task const& t) {
    if (t.what == operation::factor || t.what == operation::eliminate) return p.run(t);
    std::size_t const columns = p.of().rows_of(t.j);
    p.run_columns(t, columns / 2, columns);
    p.run_columns(t, 0, columns / 2);
  });
  EXPECT_EQ(p.wrong(), "");
}

TEST(qr, tasks_are_those_of_the_formula) {
  std::size_t count = 0;
  for_each_task(6, [&](task const&) { ++count; });
  EXPECT_EQ(count, 6U * 7 * 13 / 6) << "1 + 4 + 9 + ..";
}

}  // namespace
}  // namespace skua::apps::qr
