// SPDX-License-Identifier: MIT
// Every size, layout and kernel gives the exact product; temporaries belong to one step at most; plans fit.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <set>
#include <thread>
#include <vector>

#include "apps/matmul/problem.hpp"
#include "apps/strassen/program.hpp"
#include "skua/program/serial.hpp"

namespace skua::apps::strassen {
namespace {

std::vector<std::size_t> sides() { return {1, 2, 31, 32, 33, 64, 65, 100, 127, 128, 129, 200, 257}; }

matmul::input input_of(plan const& p, row_gap gap) {
  return {.size = {p.n, p.n, p.n},
          .room = matmul::sizes{p.room, p.room, p.room},
          .side = p.side,
          .seed = p.n,
          .growth = p.growth(),
          .gap = gap};
}

template <template <class> class View, class Problem>
void expect_right(plan const& p, row_gap gap) {
  Problem matrices(input_of(p, gap));
  std::vector<std::size_t> floats;
  for (unsigned level = 0; level < p.levels; ++level)
    floats.push_back(step<View>::floats(p.room >> (level + 1), p.side, gap));
  workspaces room(floats);
  room.reserve(1);
  for (auto const& sum : sums()) {
    matrices.reset();
    auto whole = matrices.whole();
    whole.replace = true;
    serial here;
    tools<View> const with{
        .room = &room, .leaf = matmul::leaves().back().function, .sum = sum.function, .levels = p.levels, .gap = gap};
    program(here, whole, with);
    EXPECT_EQ(matrices.wrong(), "") << p.n << " in " << p.levels << " levels, blocks of " << p.side << ", " << sum.name;
  }
  EXPECT_EQ(room.spilled(), 0U) << "a serial run needs one piece a level";
}

TEST(strassen, any_size_is_right_for_every_kernel_cutoff_and_layout) {
  for (std::size_t const n : sides()) {
    for (std::size_t const cutoff : {32U, 50U, 64U, 300U}) {
      for (std::size_t const leaf : {32U, 128U}) {
        plan const p(n, cutoff, leaf);
        expect_right<rows_view, matmul::problem>(p, row_gap::against_conflicts);
        expect_right<rows_view, matmul::problem>(p, row_gap::none);
        expect_right<z_view, matmul::z_problem>(p, row_gap::none);
      }
    }
  }
}

/// Blocks begin at any float, not only where vectors would be aligned. Every sum has the bits of the narrowest vectors'.
TEST(strassen, sums_take_any_address) {
  constexpr std::size_t count = 2 * sums_unit;
  for (pass const which : {pass::of_a, pass::of_b, pass::of_products}) {
    std::vector<float> first;
    for (auto const& [name, sum] : sums()) {
      SCOPED_TRACE(name);
      for (std::size_t const offset : {0U, 1U, 3U, 5U}) {
        std::vector<float> in(4 * count + offset), out(4 * count + offset);
        for (std::size_t i = 0; i < 4 * count; ++i) {
          in[offset + i] = static_cast<float>(i);
          out[offset + i] = static_cast<float>(3 * i);
        }
        std::array<float const*, 4> const from{&in[offset], &in[offset + count], &in[offset + 2 * count],
                                               &in[offset + 3 * count]};
        std::array<float*, 4> const to{&out[offset], &out[offset + count], &out[offset + 2 * count],
                                       &out[offset + 3 * count]};
        sum(which, count, from.data(), to.data());
        std::vector<float> const got(out.begin() + static_cast<std::ptrdiff_t>(offset), out.end());
        if (first.empty()) first = got;
        EXPECT_EQ(got, first) << offset;
      }
    }
  }
}

TEST(strassen, plans_halve_in_whole_blocks_and_waste_little) {
  for (std::size_t n = 1; n < 5000; n += 7) {
    for (std::size_t const cutoff : {64U, 500U, 512U}) {
      for (std::size_t const leaf : {32U, 100U, 128U}) {
        plan const p(n, cutoff, leaf);
        EXPECT_GE(p.room, n);
        EXPECT_EQ(p.side % matmul::column_group, 0U);
        EXPECT_LE(p.side, leaf);
        std::size_t const unit = p.side << p.levels;
        EXPECT_EQ(p.room % unit, 0U) << n;
        EXPECT_LT(p.room - n, unit + (p.room / p.side) * matmul::column_group) << n;
        EXPECT_LE((n + (std::size_t{1} << p.levels) - 1) >> p.levels, cutoff);
        EXPECT_TRUE(p.levels == 0 || (n + (std::size_t{1} << (p.levels - 1)) - 1) >> (p.levels - 1) > cutoff);
      }
    }
  }
}

/// The largest absolute value that a serial run stores, with the largest entries that
/// the plan allows, of the worst signs.
TEST(strassen, growth_bounds_every_number_on_the_way) {
  for (unsigned const levels : {1U, 2U, 3U}) {
    std::size_t const n = std::size_t{32} << levels;
    plan const p(n, 32, 32);
    ASSERT_EQ(p.levels, levels);
    // S2 = A21 + A22 - A11 and T2 = B22 - B12 + B11 are largest with signs that follow the quadrants at every level.
    padded a(n, n);
    padded b(n, n);
    padded c(n, n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        bool const of_a = std::popcount((~i & ~j) / 32 & ((n / 32) - 1)) % 2 == 1;  // A11 is negative
        bool const of_b = std::popcount((~i & j) / 32 & ((n / 32) - 1)) % 2 == 1;   // B12 is negative
        a.row(i)[j] = of_a ? -1.0F : 1.0F;
        b.row(i)[j] = of_b ? -1.0F : 1.0F;
      }
    }
    std::vector<std::size_t> floats;
    for (unsigned level = 0; level < levels; ++level) {
      floats.push_back(step<rows_view>::floats(n >> (level + 1), 32, row_gap::against_conflicts));
    }
    workspaces room(floats);
    room.reserve(1);
    static float largest;
    largest = 0;
    auto const watched = [](matmul::block const& leaf) noexcept {
      matmul::leaves().front().function(leaf);
      for (std::size_t i = 0; i < leaf.m; ++i) {
        for (std::size_t j = 0; j < leaf.n; ++j) largest = std::max(largest, std::abs(leaf.c[i * leaf.c_stride + j]));
      }
    };
    product<rows_view> const whole{.c = {c.row(0), n, n, c.stride(), 32},
                                   .a = rows_view<float const>(a.row(0), n, n, a.stride(), 32),
                                   .b = rows_view<float const>(b.row(0), n, n, b.stride(), 32),
                                   .replace = true};
    serial here;
    program(here, whole, {.room = &room, .leaf = watched, .sum = sums().front().function, .levels = levels, .gap = {}});
    // The bound of the leaves is reached, so it cannot be lower.
    EXPECT_EQ(static_cast<double>(largest), std::pow(4.5, levels) * static_cast<double>(n));
    EXPECT_LE(static_cast<double>(largest), p.growth() * static_cast<double>(n));
  }
}

TEST(strassen, a_piece_is_lent_to_one_step_at_a_time) {
  workspaces room({16, 16});
  room.reserve(2);
  constexpr unsigned threads = 4;
  constexpr int rounds = 20000;
  std::atomic<int> clashes = 0;
  {
    std::vector<std::jthread> all;
    for (unsigned me = 0; me < threads; ++me) {
      all.emplace_back([&, me] {
        for (int round = 0; round < rounds; ++round) {
          auto const loan = room.take(1, me);
          float* const mine = loan.data();
          for (int i = 0; i < 16; ++i) mine[i] = static_cast<float>(me);
          for (int i = 0; i < 16; ++i) {
            if (mine[i] != static_cast<float>(me)) clashes.fetch_add(1, std::memory_order_relaxed);  // relaxed: a count
          }
        }
      });
    }
  }
  EXPECT_EQ(clashes.load(), 0);
}

TEST(strassen, a_worker_meets_its_own_piece_again_and_more_steps_than_pieces_are_served) {
  workspaces room({4, 4});
  room.reserve(3);
  float* const own = room.take(1, 2).data();
  for (int i = 0; i < 5; ++i) EXPECT_EQ(room.take(1, 2).data(), own);
  EXPECT_EQ(room.spilled(), 0U);
  auto const first = room.take(0, 1);
  auto const second = room.take(0, 1);  // there is one step at the top, so one piece
  EXPECT_NE(first.data(), second.data());
  EXPECT_EQ(room.spilled(), 1U);
}

}  // namespace
}  // namespace skua::apps::strassen
