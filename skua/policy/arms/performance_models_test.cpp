// SPDX-License-Identifier: MIT
#include "skua/policy/arms/performance_models.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <thread>

namespace skua { inline namespace v0 { namespace policies { namespace arms { namespace {

static_assert(time_model<history_model> && time_model<power_law_model>);

/// Workers 0..3 in partitions of 1, 2 and 4: numbers 0..3, 4..5, 6.
partitions four() { return partitions(layout::flat(4)); }
partition_id id(std::uint32_t n) { return partition_id{n}; }

TEST(table_shape, every_kind_and_partition_has_a_cell_and_high_types_share_the_last) {
  partitions const all = four();
  table_shape const shape(4, all);
  EXPECT_EQ(shape.rows(), 64U * 16);
  EXPECT_EQ(shape.cells(), 64U * 16 * 7);
  EXPECT_EQ(shape.row_of({.type = 0, .key = 0}), 0U);
  EXPECT_EQ(shape.row_of({.type = 63, .key = 15}), shape.rows() - 1);
  EXPECT_EQ(shape.row_of({.type = 65'535, .key = 15}), shape.rows() - 1);
  EXPECT_NE(shape.row_of({.type = 62, .key = 15}), shape.row_of({.type = 63, .key = 15}));
  EXPECT_EQ(shape.cell_of(shape.rows() - 1, id(6)), shape.cells() - 1);
}

TEST(table_shape, where_there_would_be_too_many_cells_neighbouring_keys_share_a_row) {
  partitions const all(layout::flat(1024));
  table_shape const shape(12, all);
  EXPECT_LE(shape.cells(), table_shape::most_cells);
  EXPECT_GT(shape.cells(), table_shape::most_cells / 2 - 64 * all.all().size());
  EXPECT_EQ(shape.row_of({.type = 63, .key = 4095}), shape.rows() - 1);
  EXPECT_EQ(shape.row_of({.type = 0, .key = 0}), shape.row_of({.type = 0, .key = 1}));
}

TEST(history_model, the_first_time_counts_whole_and_each_later_one_a_fifth) {
  partitions const all = four();
  table_shape const shape(4, all);
  history_model m(shape, all);
  EXPECT_EQ(m.time_ns(3, id(5)), 0U) << "not known";
  m.update(3, id(5), 1000, false);
  EXPECT_EQ(m.time_ns(3, id(5)), 1000U);
  m.update(3, id(5), 2000, false);
  EXPECT_EQ(m.time_ns(3, id(5)), 1200U);
  m.update(3, id(5), 3, false);
  EXPECT_EQ(m.time_ns(3, id(5)), (4U * 1200 + 3) / 5);
  m.update(3, id(5), 77, true);
  EXPECT_EQ(m.time_ns(3, id(5)), 77U) << "what was known was too old";
  EXPECT_EQ(m.time_ns(3, id(4)), 0U);
  EXPECT_EQ(m.time_ns(2, id(5)), 0U);
}

TEST(history_model, no_time_is_taken_for_unknown_and_none_overflows) {
  partitions const all = four();
  table_shape const shape(4, all);
  history_model m(shape, all);
  m.update(0, id(0), 0, false);
  EXPECT_EQ(m.time_ns(0, id(0)), 1U) << "0 is what is not known";
  m.update(0, id(0), 0, false);
  EXPECT_EQ(m.time_ns(0, id(0)), 1U);
  for (int i = 0; i < 100; ++i) m.update(0, id(1), std::numeric_limits<std::uint64_t>::max(), false);
  EXPECT_EQ(m.time_ns(0, id(1)), longest_ns);
}

TEST(power_law_model, two_widths_predict_the_others) {
  partitions const all = four();
  table_shape const shape(4, all);
  power_law_model m(shape, all);
  EXPECT_EQ(m.time_ns(7, id(0)), 0U);
  m.update(7, id(0), 4'000'000, false);
  EXPECT_NEAR(static_cast<double>(m.time_ns(7, id(3))), 4e6, 10) << "leaders are alike";
  EXPECT_EQ(m.time_ns(7, id(4)), 0U) << "one width says nothing of the others";
  m.update(7, id(5), 2'000'000, false);
  EXPECT_NEAR(static_cast<double>(m.time_ns(7, id(0))), 4e6, 100);
  EXPECT_NEAR(static_cast<double>(m.time_ns(7, id(4))), 2e6, 100);
  EXPECT_NEAR(static_cast<double>(m.time_ns(7, id(6))), 1e6, 100);
  EXPECT_EQ(m.time_ns(6, id(6)), 0U) << "another kind";
}

TEST(power_law_model, three_widths_give_the_least_squares_of_the_logarithms) {
  partitions const all = four();
  table_shape const shape(4, all);
  power_law_model m(shape, all);
  m.update(0, id(0), 1024, false);  // log2: 10, 8, 9 at widths 0, 1, 2: the line 9.5 - 0.5 x
  m.update(0, id(4), 256, false);
  m.update(0, id(6), 512, false);
  EXPECT_NEAR(static_cast<double>(m.time_ns(0, id(0))), std::exp2(9.5), 1);
  EXPECT_NEAR(static_cast<double>(m.time_ns(0, id(4))), std::exp2(9.0), 1);
  EXPECT_NEAR(static_cast<double>(m.time_ns(0, id(6))), std::exp2(8.5), 1);
}

TEST(power_law_model, old_times_are_forgotten) {
  partitions const all = four();
  table_shape const shape(4, all);
  power_law_model m(shape, all);
  for (int i = 0; i < 50; ++i) {
    m.update(0, id(0), 1000, false);
    m.update(0, id(4), 1000, false);
  }
  EXPECT_NEAR(static_cast<double>(m.time_ns(0, id(6))), 1000, 2);
  for (int i = 0; i < 50; ++i) {
    m.update(0, id(0), 1 << 20, false);
    m.update(0, id(4), 1 << 19, false);
  }
  EXPECT_NEAR(static_cast<double>(m.time_ns(0, id(6))), 1 << 18, 100);
}

TEST(power_law_model, extreme_times_stay_in_range) {
  partitions const all = four();
  table_shape const shape(4, all);
  power_law_model m(shape, all);
  m.update(0, id(0), 0, false);
  m.update(0, id(4), std::numeric_limits<std::uint64_t>::max(), false);
  EXPECT_LE(m.time_ns(0, id(6)), longest_ns);
  EXPECT_GE(m.time_ns(0, id(0)), 1U);
  m.update(1, id(0), std::numeric_limits<std::uint64_t>::max(), false);
  m.update(1, id(4), 0, false);
  EXPECT_GE(m.time_ns(1, id(6)), 1U);
}

TEST(models, leaders_may_update_and_read_at_the_same_time) {
  partitions const all = four();
  table_shape const shape(4, all);
  history_model history(shape, all);
  power_law_model law(shape, all);
  auto const lead = [&](std::uint32_t worker) {
    for (int i = 0; i < 20'000; ++i) {
      history.update(0, id(worker), 1000, false);
      law.update(0, id(worker), 1000, false);
      if (worker == 0) law.update(0, id(4), 500, false);
      EXPECT_TRUE(history.time_ns(0, id(1 - worker)) == 0 || history.time_ns(0, id(1 - worker)) == 1000);
      std::uint64_t const wide = law.time_ns(0, id(6));
      EXPECT_TRUE(wide == 0 || (wide >= 249 && wide <= 251)) << wide;
    }
  };
  std::jthread other(lead, 1);
  lead(0);
}

}}}}}  // namespace skua::v0::policies::arms
