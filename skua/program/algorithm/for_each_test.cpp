// SPDX-License-Identifier: MIT
#include "skua/program/algorithm/for_each.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <limits>
#include <memory>
#include <ranges>

#include "skua/program/algorithm/here_test.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace {

using testing::on_every_here;

TEST(for_each, calls_the_body_exactly_once_per_element) {
  on_every_here([](auto& here) {
    for (std::size_t n : testing::sizes) {
      for (std::size_t g : testing::grains) {
        std::vector<int> calls(n, 0);
        for_each(here, calls, [](int& c) { ++c; }, grain{g});
        EXPECT_EQ(calls, std::vector<int>(n, 1)) << "n " << n << " grain " << g;
        for_each(here, std::size_t{0}, n, [&](std::size_t i) { ++calls[i]; }, grain{g});
        EXPECT_EQ(calls, std::vector<int>(n, 2)) << "n " << n << " grain " << g;
      }
    }
  });
}

TEST(for_each, takes_every_kind_of_range) {
  on_every_here([](auto& here) {
    int plain[5] = {1, 2, 3, 4, 5};
    for_each(here, plain, [](int& x) { x *= 2; });
    for_each(here, plain, plain + 5, [](int& x) { x += 1; });
    EXPECT_EQ(plain[4], 11);

    std::deque<std::unique_ptr<int>> owners(100);
    for_each(here, owners.begin(), owners.end(), [](std::unique_ptr<int>& p) { p = std::make_unique<int>(3); });
    EXPECT_TRUE(std::ranges::all_of(owners, [](auto& p) { return p && *p == 3; }));

    long sum = 0;
    for_each(here, -5, 6, [&](int i) { sum += i; });
    EXPECT_EQ(sum, 0);
    for_each(here, std::views::iota(std::size_t{0}, std::size_t{100}),
             [&](std::size_t i) { sum += static_cast<long>(i); });
    EXPECT_EQ(sum, 4950);
    for_each(here, 0, std::size_t{10}, [&](std::size_t) { ++sum; });
    EXPECT_THROW(for_each(here, -1, std::size_t{10}, [&](std::size_t) { ++sum; }), usage_error);
    EXPECT_THROW(for_each(here, std::size_t{0}, -1, [&](std::size_t) { ++sum; }), usage_error);
    EXPECT_EQ(sum, 4960);
    for_each(here, 7, 3, [&](int) { ++sum; });
    EXPECT_EQ(sum, 4960);
  });
}

TEST(for_each, numbers_near_the_ends_of_their_type) {
  serial here;
  std::vector<int> seen;
  constexpr int top = std::numeric_limits<int>::max();
  for_each(here, top - 3, top, [&](int i) { seen.push_back(i); });
  EXPECT_EQ(seen, (std::vector<int>{top - 3, top - 2, top - 1}));
  unsigned long long calls = 0;
  constexpr auto end = std::numeric_limits<unsigned long long>::max();
  for_each(here, end - 5, end, [&](unsigned long long) { ++calls; });
  EXPECT_EQ(calls, 5U);
}

TEST(for_each, body_may_fork_again) {
  on_every_here([](auto& here) {
    std::vector<std::vector<int>> table(13, std::vector<int>(17, 0));
    for_each(here, table, [](auto& h, std::vector<int>& row) { for_each(h, row, [](int& x) { ++x; }); });
    for (auto const& row : table) EXPECT_EQ(row, std::vector<int>(17, 1));
  });
}

TEST(for_each, automatic_makes_8_leaves_per_worker_where_nobody_tells_of_thieves) {
  for (std::uint32_t workers : {1U, 2U, 7U, 64U}) {
    shuffled here{1, workers};
    for (std::size_t n : {std::size_t{1}, std::size_t{100}, std::size_t{5000}, std::size_t{1'000'003}}) {
      std::size_t leaves = 0;
      std::size_t covered = 0;
      auto leaf = [&](shuffled&, std::size_t begin, std::size_t end) {
        ++leaves;
        covered += end - begin;
      };
      for_pieces(here, n, automatic, leaf);
      EXPECT_EQ(covered, n);
      EXPECT_EQ(leaves, std::min<std::size_t>(n, 8U * workers));
    }
  }
}

TEST(for_each, first_exception_is_rethrown_and_the_rest_is_dropped) {
  on_every_here([](auto& here) {
    for (long k = 1; k <= 40; ++k) {
      testing::fuse burn{k};
      long calls = 0;
      EXPECT_THROW(for_each(here, 0, 40,
                            [&](int) {
                              ++calls;
                              burn();
                            }),
                   std::runtime_error);
      EXPECT_EQ(calls, k);
    }
  });
}

TEST(for_each, reports_a_stop_instead_of_returning_as_if_done) {
  on_every_here([](auto& here) {
    std::stop_source stop;
    long calls = 0;
    auto body = [&](int) {
      if (++calls == 5) stop.request_stop();
    };
    EXPECT_THROW(here.with_stop(stop.get_token(), [&](auto& h) { for_each(h, 0, 100, body, grain{1}); }), cancelled);
    EXPECT_EQ(calls, 5);
    EXPECT_NO_THROW(for_each(here, 0, 100, body));
    EXPECT_EQ(calls, 105);
  });
}

}}}}  // namespace skua::v0::runtime
