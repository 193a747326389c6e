// SPDX-License-Identifier: MIT
// The product of any sizes is right for every kernel and cut-off, and a wrong element is noticed.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "apps/matmul/problem.hpp"
#include "skua/parts/base/dice.hpp"
#include "skua/program/serial.hpp"

namespace skua::apps::matmul {
namespace {

std::vector<sizes> odd_sizes() {
  std::vector<sizes> all;
  for (std::size_t const n : {1U, 2U, 3U, 7U, 31U, 32U, 33U, 65U, 127U, 129U, 200U}) all.push_back({n, n, n});
  for (sizes const s : {sizes{1, 1, 300}, {1, 300, 1}, {300, 1, 1}, {5, 257, 64}, {257, 5, 64}, {64, 5, 257}, {130, 97, 300}}) {
    all.push_back(s);
  }
  return all;
}

std::string text(sizes const& s) {
  return std::to_string(s.m) + " x " + std::to_string(s.n) + ", " + std::to_string(s.k) + " terms";
}

TEST(matmul, any_size_is_right_for_every_kernel_and_cutoff) {
  for (sizes const& size : odd_sizes()) {
    problem p(size, 7);
    for (auto const& kernel : leaves()) {
      for (std::size_t const side : {std::size_t{32}, std::size_t{100}, std::size_t{4096}}) {
        p.reset();
        serial here;
        program(here, p.whole(), {.side = side, .leaf = kernel.function});
        EXPECT_EQ(p.wrong(), "") << text(size) << ", " << kernel.name << ", cut-off " << side;
      }
    }
  }
}

TEST(matmul, openblas_judges_small_products) {
  EXPECT_TRUE(problem({.m = 3, .n = 4, .k = 5}, 1).knows_product()) << "libopenblas.so.0 cannot be loaded";
}

TEST(matmul, one_wrong_element_is_noticed_by_either_check) {
  dice random(11);
  for (sizes const& size : odd_sizes()) {
    problem p(size, 3);
    serial here;
    program(here, p.whole(), {.side = 64, .leaf = leaves().back().function});
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
  problem p({.m = 70, .n = 70, .k = 70}, 5);
  EXPECT_NE(p.wrong(), "");
  serial here;
  cutoff const end{.side = 32, .leaf = leaves().back().function};
  program(here, p.whole(), end);
  EXPECT_EQ(p.wrong(), "");
  program(here, p.whole(), end);
  EXPECT_NE(p.wrong(), "");
}

TEST(matmul, kernels_stay_within_the_error_bound_for_real_numbers) {
  std::size_t const m = 45;
  std::size_t const n = 77;
  std::size_t const k = 333;
  dice random(13);
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
    kernel.function({.c = c.row(0), .a = a.row(0), .b = b.row(0),
                     .c_stride = c.stride(), .a_stride = a.stride(), .b_stride = b.stride(),
                     .m = m, .n = n, .k = k});
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
      for (std::size_t j = n; j < c.stride(); ++j) EXPECT_EQ(c.row(i)[j], 0.0F) << kernel.name << " wrote into the padding";
    }
  }
}

TEST(matmul, parts_cover_the_whole_once) {
  cutoff const end{.side = 32, .leaf = nullptr};
  for (sizes const& size : odd_sizes()) {
    problem p(size, 1);
    block const whole = p.whole();
    double flops = 0;
    for (block const& half : halves(whole, end)) {
      for (block const& quarter : quarters(half, end)) flops += quarter.flops();
    }
    EXPECT_EQ(flops, whole.flops()) << text(size);
  }
}

}  // namespace
}  // namespace skua::apps::matmul
