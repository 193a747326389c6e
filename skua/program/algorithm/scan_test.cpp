// SPDX-License-Identifier: MIT
#include "skua/program/algorithm/scan.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <string>

#include "skua/program/algorithm/here_test.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace {

using testing::on_every_here;

TEST(scan, equals_the_serial_scans) {
  on_every_here([](auto& here) {
    for (std::size_t n : testing::sizes) {
      std::vector<int> const in = testing::numbers(n, n);
      std::vector<long> inclusive(n);
      std::vector<long> exclusive(n);
      std::inclusive_scan(in.begin(), in.end(), inclusive.begin(), std::plus<>{}, 0L);
      std::exclusive_scan(in.begin(), in.end(), exclusive.begin(), 0L);
      long const sum = std::accumulate(in.begin(), in.end(), 0L);
      for (std::size_t g : testing::grains) {
        std::vector<long> out(n, -1);
        EXPECT_EQ(inclusive_scan(here, in, out.begin(), 0L, std::plus<>{}, grain{g}), sum);
        EXPECT_EQ(out, inclusive) << "n " << n << " grain " << g;
        EXPECT_EQ(exclusive_scan(here, in, out.begin(), 0L, std::plus<>{}, grain{g}), sum);
        EXPECT_EQ(out, exclusive) << "n " << n << " grain " << g;
      }
    }
  });
}

TEST(scan, may_write_over_its_input) {
  on_every_here([](auto& here) {
    for (std::size_t n : testing::sizes) {
      std::vector<int> data = testing::numbers(n, n, 100);
      std::vector<int> expected(n);
      std::inclusive_scan(data.begin(), data.end(), expected.begin());
      std::vector<int> copy = data;
      inclusive_scan(here, copy, copy.begin(), 0, std::plus<>{}, grain{3});
      EXPECT_EQ(copy, expected);
      std::exclusive_scan(data.begin(), data.end(), expected.begin(), 0);
      exclusive_scan(here, data, data.begin(), 0, std::plus<>{}, grain{3});
      EXPECT_EQ(data, expected);
    }
  });
}

TEST(scan, keeps_the_order_of_operands) {
  on_every_here([](auto& here) {
    std::vector<std::string> const in{"a", "b", "c", "d", "e", "f", "g"};
    std::vector<std::string> out(in.size());
    EXPECT_EQ(inclusive_scan(here, in, out.begin(), std::string{}, std::plus<>{}, grain{2}), "abcdefg");
    EXPECT_EQ(out[4], "abcde");
    exclusive_scan(here, in, out.begin(), std::string{}, std::plus<>{}, grain{2});
    EXPECT_EQ(out[0], "");
    EXPECT_EQ(out[4], "abcd");
  });
}

TEST(scan, a_monoid_of_truth_values) {
  on_every_here([](auto& here) {
    std::vector<int> const in{0, 0, 1, 0, 0};
    std::vector<int> out(5);
    inclusive_scan(here, in, out.begin(), false, [](bool a, bool b) { return a || b; }, grain{1});
    EXPECT_EQ(out, (std::vector<int>{0, 0, 1, 1, 1}));
  });
}

TEST(scan, nothing_leaks_when_the_kth_combination_throws) {
  on_every_here([](auto& here) {
    std::vector<testing::counted> const in(50, testing::counted{1});
    std::vector<testing::counted> out(50, testing::counted{0});
    long const before = testing::counted::living();
    bool blown = true;
    for (long k = 1; blown; ++k) {
      testing::fuse burn{k};
      auto combine = [&](testing::counted a, testing::counted const& b) {
        burn();
        a.value += b.value;
        return a;
      };
      try {
        EXPECT_EQ(inclusive_scan(here, in, out.begin(), testing::counted{0}, combine, grain{7}).value, 50);
      } catch (std::runtime_error const&) {}
      blown = burn.blown();
      ASSERT_EQ(testing::counted::living(), before) << "k " << k;
    }
  });
}

/// Two sums of a block would be one too many for the last one: nobody needs its own before the others.
TEST(scan, reads_every_block_but_the_last_twice) {
  shuffled several(1, 4);
  serial alone;
  for (std::size_t n = 1; n <= 40; ++n) {
    for (std::size_t const most : {1U, 3U, 8U, 100U}) {
      std::vector<int> read(n);
      std::vector<std::size_t> in(n);
      for (std::size_t i = 0; i < n; ++i) in[i] = i + 1;
      std::vector<std::size_t> out(n);
      auto const sum = [&](std::size_t a, std::size_t const& b) {
        if (&b >= in.data() && &b < in.data() + n) ++read[static_cast<std::size_t>(&b - in.data())];
        return a + b;
      };
      EXPECT_EQ(inclusive_scan(several, in, out.begin(), std::size_t{0}, sum, grain{most}), n * (n + 1) / 2);
      std::size_t const last = (n - 1) / most * most;
      for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(read[i], i < last ? 2 : 1) << i << " of " << n << ", " << most;
      EXPECT_EQ(out.back(), n * (n + 1) / 2);
      EXPECT_EQ(inclusive_scan(alone, in, out.begin(), std::size_t{0}, sum, grain{most}), n * (n + 1) / 2);
    }
  }
}

}}}}  // namespace skua::v0::runtime
