// SPDX-License-Identifier: MIT
#include "skua/program/algorithm/reduce.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <numeric>
#include <set>
#include <string>

#include "skua/program/algorithm/here_test.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace {

using testing::on_every_here;

TEST(reduce, equals_accumulate_in_an_exact_monoid) {
  on_every_here([](auto& here) {
    for (std::size_t n : testing::sizes) {
      std::vector<int> const in = testing::numbers(n, n);
      for (std::size_t g : testing::grains) {
        EXPECT_EQ(reduce(here, in, 0L, std::plus<>{}, grain{g}), std::accumulate(in.begin(), in.end(), 0L));
        EXPECT_EQ(reduce(
                      here, in, 0L, std::plus<>{}, [](int x) { return 2L * x; }, grain{g}),
                  2 * std::accumulate(in.begin(), in.end(), 0L));
      }
    }
  });
}

TEST(reduce, keeps_the_order_of_operands) {
  on_every_here([](auto& here) {
    std::string const word = "associative, but it does not commute";
    for (std::size_t g : testing::grains) {
      EXPECT_EQ(
          reduce(here, word, std::string{}, std::plus<>{}, [](char c) { return std::string(1, c); }, grain{g}), word);
    }
  });
}

/// Numbers whose floating-point sum depends on the parentheses.
std::vector<double> uneven(std::size_t n) {
  dice d{n};
  std::vector<double> all(n);
  for (double& x : all) x = std::ldexp(d.unit() - 0.5, static_cast<int>(d.below(60)));
  return all;
}

TEST(reduce, floating_point_sum_is_the_same_bit_for_bit_whatever_the_schedule_and_the_workers) {
  for (std::size_t n : testing::sizes) {
    std::vector<double> const in = uneven(n);
    for (std::size_t g : testing::grains) {
      std::set<std::uint64_t> sums;
      on_every_here([&](auto& here) {
        sums.insert(std::bit_cast<std::uint64_t>(reduce(here, in, 0.0, std::plus<>{}, grain{g})));
      });
      EXPECT_EQ(sums.size(), 1U) << "n " << n << " grain " << g;
    }
  }
}

TEST(reduce, the_test_above_would_notice_other_parentheses) {
  serial here;
  std::vector<double> const in = uneven(20011);
  EXPECT_NE(std::bit_cast<std::uint64_t>(reduce(here, in, 0.0, std::plus<>{}, grain{64})),
            std::bit_cast<std::uint64_t>(reduce(here, in, 0.0, std::plus<>{}, grain{1'000'000})));
}

TEST(reduce, transform_may_fork_again) {
  on_every_here([](auto& here) {
    std::vector<std::vector<int>> const table(13, std::vector<int>(17, 2));
    auto row_sum = [](auto& h, std::vector<int> const& row) { return reduce(h, row, 0, std::plus<>{}); };
    EXPECT_EQ(reduce(here, table, 0, std::plus<>{}, row_sum), 13 * 17 * 2);
  });
}

TEST(reduce, nothing_leaks_when_the_kth_combination_throws) {
  on_every_here([](auto& here) {
    std::vector<int> const in = testing::numbers(100, 1);
    long const before = testing::counted::living();
    bool blown = true;
    for (long k = 1; blown; ++k) {
      testing::fuse burn{k};
      auto combine = [&](testing::counted a, testing::counted const& b) {
        burn();
        a.value += b.value;
        return a;
      };
      auto run = [&] {
        return reduce(
                   here, in, testing::counted{0}, combine, [](int x) { return testing::counted{x}; }, grain{7})
            .value;
      };
      try {
        EXPECT_EQ(run(), std::accumulate(in.begin(), in.end(), 0));
      } catch (std::runtime_error const&) {}
      blown = burn.blown();
      ASSERT_EQ(testing::counted::living(), before) << "k " << k;
    }
  });
}

TEST(reduce, a_stop_is_reported) {
  on_every_here([](auto& here) {
    std::stop_source stop;
    auto combine = [&](long a, long b) {
      stop.request_stop();
      return a + b;
    };
    std::vector<int> const in(1000, 1);
    EXPECT_THROW(here.with_stop(stop.get_token(), [&](auto& h) { return reduce(h, in, 0L, combine, grain{10}); }),
                 cancelled);
  });
}

}}}}  // namespace skua::v0::runtime
