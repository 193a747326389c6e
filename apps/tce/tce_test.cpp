// SPDX-License-Identifier: MIT
// The counts are those of the paper's input; a small contraction is compared with dense tensors.
#include <gtest/gtest.h>

#include "apps/tce/contraction.hpp"
#include "apps/tce/tensors.hpp"
#include "skua/parts/base/dice.hpp"
#include "skua/parts/base/error.hpp"

namespace skua::apps::tce {
namespace {

TEST(tce, the_papers_input_has_its_tasks_products_and_flops) {
  contraction const c(paper);
  EXPECT_EQ(c.outer().tiles(), 37U);
  EXPECT_EQ(c.inner().tiles(), 5U);
  EXPECT_EQ(c.tasks().size(), 470'357U);
  EXPECT_EQ(c.products(), 2'959'783U);
  EXPECT_NEAR(static_cast<double>(c.flops()), 251.438e12, 0.001e12);
}

TEST(tce, the_reduced_input_has_the_same_tasks_and_products) {
  contraction const c(reduced);
  contraction const whole(paper);
  EXPECT_EQ(c.tasks(), whole.tasks());
  EXPECT_EQ(c.products(), whole.products());
  EXPECT_NEAR(static_cast<double>(c.flops()), 16.48e9, 0.01e9);
}

TEST(tce, index_spaces_end_representations_with_smaller_tiles) {
  index_space const s({12, 7, 0, 10}, 4);
  ASSERT_EQ(s.tiles(), 8U);
  EXPECT_EQ(s.extent(), 29U);
  std::vector<std::uint32_t> sizes, firsts, representations;
  for (std::uint32_t t = 0; t < s.tiles(); ++t) {
    sizes.push_back(s.size(t));
    firsts.push_back(s.first(t));
    representations.push_back(s.representation(t));
  }
  EXPECT_EQ(sizes, (std::vector<std::uint32_t>{4, 4, 4, 4, 3, 4, 4, 2}));
  EXPECT_EQ(firsts, (std::vector<std::uint32_t>{0, 4, 8, 12, 16, 19, 23, 27}));
  EXPECT_EQ(representations, (std::vector<std::uint32_t>{0, 0, 0, 1, 1, 3, 3, 3}));
  EXPECT_THROW(index_space({1, 1, 1, 1}, 0), usage_error);
}

/// A tensor as one array.
std::vector<double> dense(tiled_tensor const& t, std::array<std::size_t, 4> const& extents) {
  std::vector<double> all(extents[0] * extents[1] * extents[2] * extents[3]);
  t.visit([&](auto const& n, double value) {
    all[((n[0] * extents[1] + n[1]) * extents[2] + n[2]) * extents[3] + n[3]] = value;
  });
  return all;
}

void run_all(contraction const& on, tensors& with) {
  contraction_worker worker(on);
  for (tile_index const& task : on.tasks()) worker.run(task, with);
}

TEST(tce, a_small_contraction_is_that_of_dense_tensors) {
  for (shape const& s : {small, shape{{3, 2, 1, 3}, {1, 2, 1, 1}, 1}, shape{{5, 0, 2, 3}, {3, 2, 0, 1}, 3},
                         shape{{2, 2, 2, 2}, {2, 2, 2, 2}, 100}}) {
    contraction const on(s);
    tensors with(on, 3);
    run_all(on, with);
    std::size_t const o = on.outer().extent();
    std::size_t const n = on.inner().extent();
    auto const a = dense(with.a(), {o, o, n, n});
    auto const b = dense(with.b(), {n, n, o, o});
    std::vector<double> right(o * o * o * o);
    multiply_add_in_loops(o * o, o * o, n * n, a.data(), b.data(), right.data());
    EXPECT_EQ(dense(with.c(), {o, o, o, o}), right);
    EXPECT_EQ(with.wrong(1, with.c_times_random(1)), "");
  }
}

TEST(tce, a_wrong_element_is_noticed) {
  contraction const on(small);
  tensors with(on, 3);
  run_all(on, with);
  tile_index const last = on.tasks().back();
  std::vector<double> one(with.c().tile_size(last));
  one.back() = 1;
  with.add_to_c(last, one.data());
  EXPECT_NE(with.wrong(1, with.c_times_random(1)), "");
  with.clear_c();
  EXPECT_NE(with.wrong(1, with.c_times_random(1)), "");
}

TEST(tce, a_product_of_tiles_is_the_same_in_loops_and_by_the_library) {
  runtime::dice dice(5);
  gemm const by_library;
  for (std::size_t const m : {1U, 16U, 100U}) {
    std::size_t const n = 3 * m;
    std::size_t const k = m + 5;
    std::vector<double> a(m * k), b(k * n), c(m * n, 1), d(m * n, 1);
    for (double& one : a) one = dice.below(7);
    for (double& one : b) one = dice.below(7);
    by_library.multiply_add(m, n, k, a.data(), b.data(), c.data());
    multiply_add_in_loops(m, n, k, a.data(), b.data(), d.data());
    EXPECT_EQ(c, d) << "m = " << m;
  }
}

}  // namespace
}  // namespace skua::apps::tce
