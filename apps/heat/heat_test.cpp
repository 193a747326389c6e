// SPDX-License-Identifier: MIT
// Every kernel, cut-off and runtime gives the bits of the textbook's loop; one wrong bit
// is noticed; pictures go in and out.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <vector>

#include "apps/app.hpp"
#include "apps/heat/problem.hpp"
#include "apps/parse_options.hpp"
#include "skua/parts/base/dice.hpp"
#include "skua/parts/base/platform.hpp"
#include "skua/program/serial.hpp"

namespace skua::apps::heat {
namespace {

std::vector<std::pair<std::size_t, std::size_t>> odd_sizes() {
  return {{1, 1}, {2, 2}, {3, 3}, {7, 7}, {65, 65}, {127, 127}, {1, 200}, {200, 1}, {33, 160}, {160, 33}};
}

TEST(heat, every_kernel_and_cutoff_gives_the_bits_of_the_plain_loop) {
  for (auto const& [rows, columns] : odd_sizes()) {
    for (std::size_t const iterations : {1U, 2U, 7U}) {
      problem p(landscape(rows, columns, 5), iterations);
      for (auto const& kernel : sweeps()) {
        for (auto const& [high, wide] : {std::pair<std::size_t, std::size_t>{1, 32}, {5, 64}, {64, 64}, {8, 4096}}) {
          p.reset();
          serial here;
          program(here, p, {.rows = high, .columns = wide, .sweep = kernel.function});
          EXPECT_EQ(p.wrong(), "") << rows << " x " << columns << ", " << iterations << " iterations, " << kernel.name
                                   << ", leaves of " << high << " x " << wide;
        }
      }
    }
  }
}

/// Rows begin at any float, not only where vectors would be aligned.
TEST(heat, kernels_take_any_stride) {
  constexpr std::size_t rows = 11;
  constexpr std::size_t columns = 150;
  constexpr std::size_t stride = columns + 5;
  std::vector<float> first;
  for (auto const& [name, sweep] : sweeps()) {
    SCOPED_TRACE(name);
    for (std::size_t const offset : {1U, 2U, 3U, 8U}) {
      std::vector<float> from(offset + (rows + 2) * stride + 1), to(from.size());
      for (std::size_t i = offset - 1; i < from.size(); ++i) from[i] = static_cast<float>((i - offset + 1) % 97);
      std::size_t const at = offset + stride;
      sweep({.from = &from[at], .to = &to[at], .stride = stride, .rows = rows, .columns = columns});
      std::vector<float> const got(to.begin() + static_cast<std::ptrdiff_t>(at),
                                   to.begin() + static_cast<std::ptrdiff_t>(at + (rows - 1) * stride + columns));
      if (first.empty()) first = got;
      EXPECT_EQ(got, first) << offset;
    }
  }
}

TEST(heat, every_schedule_and_partitioner_gives_the_same_bits) {
  if (runtime::under_tsan) GTEST_SKIP() << "the OpenMP and oneTBB libraries are not instrumented";
  tbb_workers arenas;
  for (auto const& [rows, columns] : odd_sizes()) {
    problem p(landscape(rows, columns, 6), 5);
    cutoff const end{.rows = 8, .columns = 32, .sweep = sweeps().back().function};
    for (unsigned const workers : {1U, 3U}) {
      for (auto const how : {openmp_schedule::of_static, openmp_schedule::of_dynamic, openmp_schedule::of_tasks}) {
        p.reset();
        with_openmp(workers, p, end, how);
        EXPECT_EQ(p.wrong(), "") << rows << " x " << columns << ", OpenMP " << static_cast<int>(how);
      }
      for (auto const how : {tbb_partitioner::of_auto, tbb_partitioner::of_static, tbb_partitioner::of_affinity,
                             tbb_partitioner::of_simple}) {
        p.reset();
        with_tbb(arenas, workers, p, end, how);
        EXPECT_EQ(p.wrong(), "") << rows << " x " << columns << ", oneTBB " << static_cast<int>(how);
      }
    }
  }
}

TEST(heat, one_wrong_bit_is_noticed) {
  std::uint64_t const seed = 17;
  runtime::dice random(seed);
  for (auto const& [rows, columns] : odd_sizes()) {
    problem p(landscape(rows, columns, 5), 3);
    serial here;
    program(here, p, {.rows = 16, .columns = 32, .sweep = sweeps().back().function});
    ASSERT_EQ(p.wrong(), "");
    auto const i = static_cast<std::ptrdiff_t>(random.below(static_cast<std::uint32_t>(rows)));
    auto const j = random.below(static_cast<std::uint32_t>(columns));
    float& cell = p.answer().row(i)[j];
    float const right = cell;
    for (float const wrong : {std::nextafter(right, 9.0F), -right, std::numeric_limits<float>::quiet_NaN()}) {
      cell = wrong;
      EXPECT_NE(p.wrong(), "") << rows << " x " << columns << " at " << i << ", " << j << ", seed " << seed;
    }
  }
}

TEST(heat, skipping_an_iteration_or_a_part_is_noticed) {
  problem p(landscape(96, 96, 5), 4);
  EXPECT_NE(p.wrong(), "");
  serial here;
  cutoff const end{.rows = 16, .columns = 32, .sweep = sweeps().back().function};
  for (std::size_t i = 0; i < 3; ++i) step(here, p.whole(i), end);
  EXPECT_NE(p.wrong(), "");
  step(here, quarters(p.whole(3), end)[0], end);
  EXPECT_NE(p.wrong(), "");
  step(here, p.whole(3), end);
  EXPECT_EQ(p.wrong(), "");
}

TEST(heat, parts_cover_the_plate_once_and_end) {
  for (auto const& [rows, columns] : odd_sizes()) {
    problem p(landscape(rows, columns, 5), 1);
    for (cutoff const end :
         {cutoff{.rows = 1, .columns = 32, .sweep = nullptr}, {.rows = 10, .columns = 64, .sweep = nullptr}}) {
      rectangle const whole = p.whole(0);
      if (end.reached(whole)) continue;
      std::size_t cells = 0;
      for (rectangle const& q : quarters(whole, end)) {
        cells += q.rows * q.columns;
        EXPECT_LT(q.rows * q.columns, rows * columns);
        if (q.rows * q.columns != 0) {
          EXPECT_EQ(
              (q.to - whole.to) % static_cast<std::ptrdiff_t>(whole.stride) % static_cast<std::ptrdiff_t>(column_group),
              0);
        } else {
          EXPECT_TRUE(end.reached(q)) << "an empty part must not be divided again";
        }
      }
      EXPECT_EQ(cells, rows * columns);
    }
  }
}

void count_leaves(rectangle const& r, cutoff const& end, std::vector<std::array<std::size_t, 2>>& all) {
  if (r.rows == 0 || r.columns == 0) return;
  if (end.reached(r)) return all.push_back({r.rows, r.columns});
  for (rectangle const& q : quarters(r, end)) count_leaves(q, end, all);
}

TEST(heat, all_leaves_but_the_last_are_as_large_as_the_cutoff) {
  problem p(landscape(640, 650, 5), 0);
  std::vector<std::array<std::size_t, 2>> leaves;
  count_leaves(p.whole(0), {.rows = 64, .columns = 64, .sweep = nullptr}, leaves);
  EXPECT_EQ(leaves.size(), 110U);
  EXPECT_EQ(std::ranges::count(leaves, std::array<std::size_t, 2>{64, 64}), 100);
  EXPECT_EQ(std::ranges::count(leaves, std::array<std::size_t, 2>{64, 10}), 10);
}

TEST(heat, a_uniform_plate_stays_and_a_warm_one_keeps_within_its_extremes) {
  problem uniform(field_of(picture{.width = 9, .height = 5, .grey = std::vector<float>(45, 0.5F)}), 50);
  serial here;
  cutoff const end{.rows = 2, .columns = 32, .sweep = sweeps().back().function};
  program(here, uniform, end);
  for (std::ptrdiff_t i = 0; i < 5; ++i) {
    for (int j = 0; j < 9; ++j) EXPECT_EQ(uniform.answer().row(i)[j], 1.5F);
  }
  problem warm(landscape(100, 100, 2), 200);
  program(here, warm, end);
  for (std::ptrdiff_t i = 0; i < 100; ++i) {
    for (int j = 0; j < 100; ++j) {
      EXPECT_GE(warm.answer().row(i)[j], 0.999F);
      EXPECT_LE(warm.answer().row(i)[j], 2.001F);
    }
  }
}

class heat_pictures : public testing::Test {
 protected:
  heat_pictures() { std::filesystem::create_directory(folder_); }
  ~heat_pictures() override { std::filesystem::remove_all(folder_); }

  static std::unique_ptr<app> configured(std::string const& arguments) {
    auto made = make_heat();
    parse_options(arguments, made->options());
    return made;
  }
  [[nodiscard]] std::string path(char const* name) const { return (folder_ / name).string(); }

 private:
  std::filesystem::path folder_ = std::filesystem::temp_directory_path() / ("heat_test_" + std::to_string(::getpid()));
};

TEST_F(heat_pictures, a_picture_goes_in_and_a_cooler_one_comes_out) {
  picture shown{.width = 70, .height = 41, .grey = std::vector<float>(70 * 41, 0.0F)};
  shown.grey[20 * 70 + 35] = 1.0F;
  write_picture(path("in.png"), shown);
  auto const app =
      configured("--iterations 10 --leaf-rows 8 --input " + path("in.png") + " --output " + path("out.pgm"));
  app->prepare();
  app->reset();
  app->elision()->run_serial();
  EXPECT_EQ(app->wrong(), "");
  EXPECT_EQ(app->facts()["rows"], 41);
  EXPECT_EQ(app->facts()["columns"], 70);
  picture const out = read_picture(path("out.pgm"));
  ASSERT_EQ(out.width, 70U);
  ASSERT_EQ(out.height, 41U);
  EXPECT_LT(out.grey[20 * 70 + 35], 0.2F);
  EXPECT_GT(out.grey[20 * 70 + 35], out.grey[21 * 70 + 35]);
  EXPECT_GT(out.grey[21 * 70 + 35], out.grey[24 * 70 + 35]);
}

TEST_F(heat_pictures, a_wrong_picture_is_named_with_the_option) {
  std::ofstream(path("bad.pgm")) << "P5 3 3 255\nabc";
  for (auto const& [arguments, reason] :
       {std::pair<std::string, std::string>{"--input " + path("bad.pgm"),
                                            "heat: --input " + path("bad.pgm") + ": holds fewer"},
        {"--input " + path("none.pgm"), "heat: --input " + path("none.pgm") + ": cannot be opened"},
        {"--output " + path("x.gif"), "heat: --output is '" + path("x.gif") + "'; allowed: a name"},
        {"--n 3 --input " + path("bad.pgm"), "heat: --n is given with --input"}}) {
    try {
      configured(arguments)->prepare();
      ADD_FAILURE() << arguments << " was accepted";
    } catch (usage_error const& refused) {
      EXPECT_TRUE(std::string(refused.what()).starts_with(reason)) << refused.what();
    }
  }
}

}  // namespace
}  // namespace skua::apps::heat
