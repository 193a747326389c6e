// SPDX-License-Identifier: MIT
// filter, transform, invoke, scratch.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <string>

#include "skua/program/algorithm/filter.hpp"
#include "skua/program/algorithm/here_test.hpp"
#include "skua/program/algorithm/invoke.hpp"
#include "skua/program/algorithm/scratch.hpp"
#include "skua/program/algorithm/transform.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace {

using testing::on_every_here;

TEST(filter, equals_copy_if_and_asks_once_per_element) {
  on_every_here([](auto& here) {
    for (std::size_t n : testing::sizes) {
      std::vector<int> const in = testing::numbers(n, n);
      for (int divisor : {1, 2, 1000, 2'000'000}) {
        std::size_t asked = 0;
        auto keep = [&](int x) {
          ++asked;
          return x % divisor == 0;
        };
        std::vector<int> expected;
        std::ranges::copy_if(in, std::back_inserter(expected), [&](int x) { return x % divisor == 0; });
        for (std::size_t g : testing::grains) {
          asked = 0;
          EXPECT_EQ(filter(here, in, keep, grain{g}), expected) << "n " << n << " grain " << g;
          EXPECT_EQ(asked, n);
          std::vector<int> out(expected.size() + 1, -1);
          EXPECT_EQ(filter(here, in, out.begin(), keep, grain{g}), out.end() - 1);
          EXPECT_EQ(out.back(), -1) << "wrote behind its end";
          out.pop_back();
          EXPECT_EQ(out, expected);
        }
      }
    }
  });
}

TEST(filter, nothing_leaks_when_the_kth_question_throws) {
  on_every_here([](auto& here) {
    std::vector<std::string> const in(60, "a string too long for its object, all the time");
    for (long k = 1; k <= 60; ++k) {
      testing::fuse burn{k};
      EXPECT_THROW(filter(
                       here, in,
                       [&](std::string const&) {
                         burn();
                         return true;
                       },
                       grain{7}),
                   std::runtime_error);
    }
  });
}

TEST(transform, the_result_equals_std_transform) {
  on_every_here([](auto& here) {
    for (std::size_t n : testing::sizes) {
      std::vector<int> const a = testing::numbers(n, n, 1000);
      std::vector<int> const b = testing::numbers(n + 3, n + 1, 1000);
      for (std::size_t g : testing::grains) {
        std::vector<std::string> words(n);
        EXPECT_EQ(transform(here, a, words.begin(), [](int x) { return std::to_string(x); }, grain{g}), words.end());
        for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(words[i], std::to_string(a[i]));
        std::vector<int> out = a;
        transform(here, out, b, out.begin(), std::plus<>{}, grain{g});
        for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(out[i], a[i] + b[i]);
      }
    }
  });
}

TEST(invoke, calls_each_once_with_or_without_here) {
  on_every_here([](auto& here) {
    using h = std::remove_reference_t<decltype(here)>;
    int calls[4] = {};
    invoke(here);
    invoke(here, [&] { ++calls[0]; });
    invoke(
        here, [&] { ++calls[0]; },
        [&](h&) {
          ++calls[1];
          return 5;
        },
        [&] { ++calls[2]; }, [&](h& inner) { invoke(inner, [&] { ++calls[3]; }, [&] { ++calls[3]; }); });
    EXPECT_EQ(calls[0], 2);
    EXPECT_EQ(calls[1], 1);
    EXPECT_EQ(calls[2], 1);
    EXPECT_EQ(calls[3], 2);
    EXPECT_THROW(invoke(here, [] {}, [] { throw std::runtime_error("one of them"); }), std::runtime_error);
  });
}

TEST(scratch, destroys_exactly_the_pieces_that_were_noted) {
  on_every_here([](auto& here) {
    long const before = testing::counted::living();
    {
      scratch<testing::counted> room{100, 10};
      for (std::size_t p : {std::size_t{0}, std::size_t{3}, std::size_t{9}}) {
        testing::counted* const first = room.data() + 10 * p;
        for (int i = 0; i < 10; ++i) std::construct_at(first + i, i);
        room.note(p, first, 10);
      }
      EXPECT_EQ(testing::counted::living(), before + 30);
    }
    EXPECT_EQ(testing::counted::living(), before);
    scratch<testing::counted> room{10, 1};
    for (int i = 0; i < 10; ++i) std::construct_at(room.data() + i, i);
    room.note(0, room.data(), 10);
    room.clear(here);
    EXPECT_EQ(testing::counted::living(), before);
  });
}

}}}}  // namespace skua::v0::runtime
