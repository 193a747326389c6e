// SPDX-License-Identifier: MIT
// Reductions whose values are larger than a stack can hold one per level.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "skua/parts/base/platform.hpp"
#include "skua/skua.hpp"

namespace {

/// 512 KiB. Copies are counted, so that none leaks.
struct histogram {
  histogram() { ++living; }
  histogram(histogram const& o) : counts(o.counts) { ++living; }
  histogram& operator=(histogram const&) = default;
  ~histogram() { --living; }

  void add(std::size_t i) { counts[i % counts.size()] += 1; }
  void add_all(histogram const& o) {
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += o.counts[i];
  }
  [[nodiscard]] double sum() const { return std::accumulate(counts.begin(), counts.end(), 0.0); }

  std::array<double, 65536> counts{};
  static inline std::atomic<long> living{0};
};

/// Each temporary of a fold has a place of its own on the stack: under a sanitizer, and as Clang compiles it.
constexpr bool keeps_temporaries = skua::runtime::under_tsan || skua::runtime::under_asan ||
                                   std::string_view(__VERSION__).find("Clang") != std::string_view::npos;
/// 512 pieces are nine levels of the recursion: more values than lie on such a stack.
constexpr std::size_t pieces = 512;
constexpr std::size_t small_stack = keeps_temporaries ? std::size_t{32} << 20 : std::size_t{9} << 19;

constexpr auto fold = [](auto const& r, histogram const& before) {
  histogram now(before);
  for (std::size_t i = r.begin(); i != r.end(); ++i) now.add(i);
  return now;
};
constexpr auto join = [](histogram const& l, histogram const& r) {
  histogram both(l);
  both.add_all(r);
  return both;
};

/// The value of test(here), called by a thief, which has a fiber's small stack and not the thread's.
template <class Test>
double on_small_stacks(Test const& test) {
  skua::pool pool({.workers = 2, .stack_bytes = small_stack});
  double sum = 0;
  pool.run([&](auto& here) {
    std::atomic<bool> begun{false};
    here.join([&](auto&) { begun.wait(false, std::memory_order_acquire); },
              [&](auto& h) {
                begun.store(true, std::memory_order_release);
                begun.notify_one();
                sum = test(h);
              });
  });
  return sum;
}

class large_values : public ::testing::Test {
 protected:
  ~large_values() override { EXPECT_EQ(histogram::living, 0); }
};

TEST_F(large_values, of_a_reduction_over_a_range) {
  EXPECT_EQ(on_small_stacks([](auto&) {
              auto const zero = std::make_unique<histogram>();
              return skua::parallel_reduce(skua::blocked_range<std::size_t>(0, pieces), *zero, fold, join,
                                           skua::simple_partitioner{})
                  .sum();
            }),
            double{pieces});
}

TEST_F(large_values, of_a_reduction_that_a_context_could_cancel) {
  EXPECT_EQ(on_small_stacks([](auto&) {
              auto const zero = std::make_unique<histogram>();
              skua::task_group_context context;
              return skua::parallel_reduce(skua::blocked_range<std::size_t>(0, pieces), *zero, fold, join,
                                           skua::simple_partitioner{}, context)
                  .sum();
            }),
            double{pieces});
}

TEST_F(large_values, of_a_reduction_over_a_rectangle) {
  EXPECT_EQ(on_small_stacks([](auto&) {
              auto const zero = std::make_unique<histogram>();
              auto const fold_rows = [](auto const& r, histogram const& before) { return fold(r.rows(), before); };
              return skua::parallel_reduce(skua::blocked_range2d<std::size_t>(0, pieces, 0, 1), *zero, fold_rows, join,
                                           skua::simple_partitioner{})
                  .sum();
            }),
            double{pieces});
}

TEST_F(large_values, in_the_body_of_a_reduction) {
  struct body {
    body() = default;
    body(body&, skua::split) {}
    void operator()(skua::blocked_range<std::size_t> const& r) {
      for (std::size_t i = r.begin(); i != r.end(); ++i) all.add(i);
    }
    void join(body const& right) { all.add_all(right.all); }
    histogram all;
  };
  EXPECT_EQ(on_small_stacks([](auto&) {
              auto const all = std::make_unique<body>();
              skua::parallel_reduce(skua::blocked_range<std::size_t>(0, pieces), *all, skua::simple_partitioner{});
              return all->all.sum();
            }),
            double{pieces});
}

TEST_F(large_values, of_the_native_reduction) {
  std::vector<std::size_t> numbers(pieces);
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  EXPECT_EQ(on_small_stacks([&](auto& h) {
              auto const histogram_of = [](std::size_t i) {
                histogram h1;
                h1.add(i);
                return h1;
              };
              return skua::reduce(h, numbers, histogram{}, join, histogram_of, skua::grain{1}).sum();
            }),
            double{pieces});
}

TEST_F(large_values, are_gone_when_a_piece_throws) {
  EXPECT_THROW(on_small_stacks([](auto&) {
                 auto const zero = std::make_unique<histogram>();
                 return skua::parallel_reduce(
                            skua::blocked_range<std::size_t>(0, pieces), *zero,
                            [](auto const& r, histogram const& before) {
                              if (r.begin() == pieces / 2) throw std::runtime_error("half of it");
                              return fold(r, before);
                            },
                            join, skua::simple_partitioner{})
                     .sum();
               }),
               std::runtime_error);
}

}  // namespace
