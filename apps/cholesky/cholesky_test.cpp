// SPDX-License-Identifier: MIT
// L * L^T is the matrix, for every size of tiles and in every division into parts; damage shows; the graph has its edges.
#include <gtest/gtest.h>

#include "apps/cholesky/problem.hpp"
#include "skua/program/serial.hpp"

namespace skua::apps::cholesky {
namespace {

TEST(cholesky, factors_multiply_to_the_matrix) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    problem p({.n = 1 + seed * 11 % 67, .tile = 1 + seed * 5 % 19, .seed = seed});
    p.reset();
    EXPECT_NE(p.wrong(), "") << "not factored";
    serial here;
    program(here, p);
    EXPECT_EQ(p.wrong(), "") << "seed " << seed;
    p.reset();
    run_alone(p);
    EXPECT_EQ(p.wrong(), "") << "seed " << seed;
  }
}

TEST(cholesky, damage_and_a_missing_task_are_noticed) {
  problem p({.n = 40, .tile = 8, .seed = 1});
  p.reset();
  run_alone(p);
  ASSERT_EQ(p.wrong(), "");
  p.matrix().at(3, 2)[5] += 1e-6;
  EXPECT_NE(p.wrong(), "");
  p.reset();
  for_each_task(5, [&](task const& t) {
    if (t.what != operation::multiply || t.i != 4 || t.k != 1) p.run(t);
  });
  EXPECT_NE(p.wrong(), "");
}

TEST(cholesky, parts_of_a_task_make_the_task) {
  problem p({.n = 45, .tile = 12, .seed = 2});
  p.reset();
  for_each_task(p.of().tiles(), [&](task const& t) {
    if (t.what == operation::factor || t.what == operation::square) return p.run(t);
    std::size_t const rows = p.of().rows_of(t.i);
    p.run_rows(t, rows / 2, rows);
    p.run_rows(t, 0, rows / 2);
  });
  EXPECT_EQ(p.wrong(), "");
}

TEST(cholesky, graph_of_two_by_two_tiles_is_a_chain) {
  problem p({.n = 8, .tile = 4, .seed = 1});
  std::string const dot = to_dot(p);
  for (char const* const text :
       {"potrf 0 0 0", "trsm 1 0 0", "syrk 1 1 0", "potrf 1 1 1", "n0 -> n1", "n1 -> n2", "n2 -> n3"})
    EXPECT_NE(dot.find(text), std::string::npos) << text << " in " << dot;
  EXPECT_EQ(dot.find("n0 -> n2"), std::string::npos) << dot;
}

TEST(cholesky, tasks_are_those_of_the_formula) {
  std::size_t count = 0;
  double operations = 0;
  shape const s{.n = 6 * 16, .tile = 16};
  for_each_task(6, [&](task const& t) {
    ++count;
    operations += t.operations(s);
  });
  EXPECT_EQ(count, 6U * 7 * 8 / 6);
  EXPECT_NEAR(operations, 96.0 * 96 * 96 / 3, 1);
}

}  // namespace
}  // namespace skua::apps::cholesky
