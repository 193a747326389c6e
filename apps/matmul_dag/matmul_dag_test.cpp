// SPDX-License-Identifier: MIT
// The product is right for every size and in every division into parts; a missing task shows.
#include <gtest/gtest.h>

#include <algorithm>

#include "apps/matmul_dag/problem.hpp"
#include "skua/program/serial.hpp"

namespace skua::apps::matmul_dag {
namespace {

matmul::input square(std::size_t n, std::uint64_t seed = 1) {
  return {.size = {.m = n, .n = n, .k = n}, .side = 32, .seed = seed};
}

TEST(matmul_dag, product_is_right) {
  for (std::size_t const n : {1U, 31U, 33U, 64U, 100U, 128U, 190U}) {
    for (form const f : {form::temporaries, form::in_place}) {
      problem p(square(n), f);
      p.reset();
      EXPECT_NE(p.wrong(), "");
      serial here;
      program(here, p);
      EXPECT_EQ(p.wrong(), "") << n;
      p.reset();
      run_alone(p);
      EXPECT_EQ(p.wrong(), "") << n;
    }
  }
}

TEST(matmul_dag, missing_tasks_are_noticed) {
  for (std::size_t missing = 0; missing < 12; ++missing) {
    problem p(square(64), form::temporaries);
    p.reset();
    std::size_t i = 0;
    p.for_each_task([&](task const& t) {
      if (i++ != missing) return p.run(t);
      // A temporary matrix holds any numbers before its product: here, zeros.
      if (t.p.replace) std::fill_n(t.p.c.data(), t.p.c.columns(), 0.0F);
    });
    EXPECT_NE(p.wrong(), "") << missing;
  }
}

TEST(matmul_dag, parts_of_a_task_make_the_task) {
  problem p(square(96), form::temporaries);
  p.reset();
  p.for_each_task([&](task const& t) {
    std::size_t const rows = t.p.c.rows();
    p.run_rows(t, rows / 3, rows);
    p.run_rows(t, 0, rows / 3);
  });
  EXPECT_EQ(p.wrong(), "");
}

TEST(matmul_dag, a_level_has_eight_products_and_four_additions) {
  for (form const f : {form::temporaries, form::in_place}) {
    problem p(square(64), f);
    int products = 0;
    int additions = 0;
    p.for_each_task([&](task const& t) { ++(t.what == operation::multiply ? products : additions); });
    EXPECT_EQ(products, 8);
    EXPECT_EQ(additions, f == form::temporaries ? 4 : 0);
  }
}

}  // namespace
}  // namespace skua::apps::matmul_dag
