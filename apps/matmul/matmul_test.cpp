// SPDX-License-Identifier: MIT
// The product of any sizes is right for every kernel and cut-off, and a wrong element is noticed.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "apps/matmul/problem.hpp"
#include "skua/parts/base/dice.hpp"
#include "skua/program/serial.hpp"

namespace skua::apps::matmul {
namespace {

std::vector<sizes> odd_sizes() {
  std::vector<sizes> all;
  for (std::size_t const n : {1U, 2U, 3U, 7U, 31U, 32U, 33U, 65U, 127U, 129U, 200U}) all.push_back({n, n, n});
  for (sizes const s :
       {sizes{1, 1, 300}, {1, 300, 1}, {300, 1, 1}, {5, 257, 64}, {257, 5, 64}, {64, 5, 257}, {130, 97, 300}}) {
    all.push_back(s);
  }
  return all;
}

std::string text(sizes const& s) {
  return std::to_string(s.m) + " x " + std::to_string(s.n) + ", " + std::to_string(s.k) + " terms";
}

/// Checks every kernel, as C += A * B on zeros and as C = A * B on garbage.
template <class Problem>
void expect_right(input const& given) {
  Problem p(given);
  for (auto const& kernel : leaves()) {
    for (bool const replace : {false, true}) {
      p.reset();
      auto whole = p.whole();
      serial here;
      if (replace) program(here, whole, kernel.function);
      whole.replace = replace;
      program(here, whole, kernel.function);
      EXPECT_EQ(p.wrong(), "") << text(given.size) << ", " << kernel.name << ", blocks of " << given.side
                               << (replace ? ", replaced" : "");
    }
  }
}

TEST(matmul, any_size_is_right_for_every_kernel_block_and_layout) {
  for (sizes const& size : odd_sizes()) {
    for (std::size_t const side : {std::size_t{32}, std::size_t{96}, std::size_t{4096}}) {
      expect_right<problem>({.size = size, .side = side, .seed = 7});
      expect_right<problem>({.size = size, .side = side, .seed = 7, .gap = row_gap::none});
      if (side < 4096) expect_right<z_problem>({.size = size, .side = side, .seed = 7});
    }
  }
}

/// Rows begin at any float, not only where vectors would be aligned.
TEST(matmul, leaves_take_any_stride) {
  constexpr std::size_t m = 9;
  constexpr std::size_t n = 2 * column_group;
  constexpr std::size_t k = 5;
  constexpr std::size_t stride = n + 3;
  for (auto const& [name, leaf] : leaves()) {
    SCOPED_TRACE(name);
    for (std::size_t const offset : {0U, 1U, 2U, 7U}) {
      std::vector<float> a(offset + m * stride, 2), b(offset + k * stride, 3), c(offset + m * stride, 1);
      for (bool const replace : {true, false}) {
        leaf({.c = c.data() + offset,
              .a = a.data() + offset,
              .b = b.data() + offset,
              .c_stride = stride,
              .a_stride = stride,
              .b_stride = stride,
              .m = m,
              .n = n,
              .k = k,
              .replace = replace});
        for (std::size_t i = 0; i < m; ++i) {
          for (std::size_t j = 0; j < n; ++j)
            ASSERT_EQ(c[offset + i * stride + j], (replace ? 1 : 2) * 6.0F * k) << i << ' ' << j;
        }
      }
    }
  }
}

TEST(matmul, both_layouts_have_the_same_leaves) {
  for (sizes const& size : odd_sizes()) {
    input const given{.size = size, .side = 32};
    problem rows(given);
    z_problem blocks(given);
    auto const leaves_of = [](auto const& whole) {
      std::vector<std::array<std::size_t, 3>> all;
      auto const walk = [&all](auto const& self, auto const& p) -> void {
        if (p.empty()) return;
        if (p.is_leaf()) return all.push_back({p.c.rows(), p.c.columns(), p.a.columns()});
        for (auto const& g : p.groups()) {
          for (auto const& q : g) self(self, q);
        }
      };
      walk(walk, whole);
      return all;
    };
    EXPECT_EQ(leaves_of(rows.whole()), leaves_of(blocks.whole())) << text(size);
  }
}

TEST(matmul, places_divide_the_quadrants_without_a_gap) {
  for (std::uint32_t count = 1; count < 70; ++count) {
    place_range const all{.first = 5, .count = count};
    std::uint32_t next = 5;
    for (std::uint32_t i = 0; i < 4; ++i) {
      place_range const part = all.quarter(i);
      EXPECT_TRUE(part.first == next || (count < 4 && part.first <= next)) << i << " of " << count;
      EXPECT_GE(part.count, 1U);
      next = std::max(next, part.first + part.count);
    }
    EXPECT_EQ(next, 5 + count);
  }
}

TEST(matmul, openblas_judges_small_products) {
  EXPECT_TRUE(problem({.size = {.m = 3, .n = 4, .k = 5}}).knows_product()) << "libopenblas.so.0 cannot be loaded";
}

TEST(matmul, one_wrong_element_is_noticed_by_either_check) {
  runtime::dice random(11);
  for (sizes const& size : odd_sizes()) {
    problem p({.size = size, .side = 64, .seed = 3});
    serial here;
    program(here, p.whole(), leaves().back().function);
    ASSERT_EQ(p.wrong(), "");
    std::size_t const i = random.below(static_cast<std::uint32_t>(size.m));
    std::size_t const j = random.below(static_cast<std::uint32_t>(size.n));
    float& element = p.c().row(i)[j];
    float const right = element;
    for (float const wrong : {right + 1, std::nextafter(right, 1e9F), std::nanf("")}) {
      element = wrong;
      EXPECT_NE(p.wrong(), "") << text(size) << " at " << i << ", " << j;
      EXPECT_NE(p.wrong_by_vectors(), "") << text(size) << " at " << i << ", " << j;
    }
  }
}

TEST(matmul, a_product_that_was_added_twice_or_never_is_noticed) {
  problem p({.size = {.m = 70, .n = 70, .k = 70}, .side = 32, .seed = 5});
  EXPECT_NE(p.wrong(), "");
  serial here;
  leaf_function* const leaf = leaves().back().function;
  program(here, p.whole(), leaf);
  EXPECT_EQ(p.wrong(), "");
  program(here, p.whole(), leaf);
  EXPECT_NE(p.wrong(), "");
}

TEST(matmul, kernels_stay_within_the_error_bound_for_real_numbers) {
  std::size_t const m = 45;
  std::size_t const n = 77;
  std::size_t const k = 333;
  runtime::dice random(13);
  padded a(m, k);
  padded b(k, n);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t l = 0; l < k; ++l) a.row(i)[l] = static_cast<float>(random.unit() - 0.5);
  }
  for (std::size_t l = 0; l < k; ++l) {
    for (std::size_t j = 0; j < n; ++j) b.row(l)[j] = static_cast<float>(random.unit() - 0.5);
  }
  for (auto const& kernel : leaves()) {
    padded c(m, n);
    kernel.function({.c = c.row(0),
                     .a = a.row(0),
                     .b = b.row(0),
                     .c_stride = c.stride(),
                     .a_stride = a.stride(),
                     .b_stride = b.stride(),
                     .m = m,
                     .n = n,
                     .k = k});
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        double right = 0;
        double magnitude = 0;
        for (std::size_t l = 0; l < k; ++l) {
          double const term = static_cast<double>(a.row(i)[l]) * static_cast<double>(b.row(l)[j]);
          right += term;
          magnitude += std::abs(term);
        }
        // |error| <= gamma_k |A||B|, gamma_k = k u / (1 - k u), u = 2^-24 (Higham 2002, 3.5).
        double const rounding = static_cast<double>(k) * 0x1p-24;
        EXPECT_LE(std::abs(static_cast<double>(c.row(i)[j]) - right), magnitude * rounding / (1 - rounding))
            << kernel.name << " at " << i << ", " << j;
      }
      for (std::size_t j = n; j < c.stride(); ++j)
        EXPECT_EQ(c.row(i)[j], 0.0F) << kernel.name << " wrote into the padding";
    }
  }
}

TEST(matmul, parts_cover_the_whole_once) {
  for (sizes const& size : odd_sizes()) {
    problem p({.size = size, .side = 32});
    double flops = 0;
    for (auto const& g : p.whole().groups()) {
      for (auto const& part : g) flops += part.flops();
    }
    EXPECT_EQ(flops, size.flops()) << text(size);
  }
}

}  // namespace
}  // namespace skua::apps::matmul
