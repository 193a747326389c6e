// SPDX-License-Identifier: MIT
// How far algorithms divide: a grain is the size of the largest leaf, and integers are sorted in a block for each part of a worker's work.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "skua/parts/base/error.hpp"
#include "skua/program/algorithm/for_each.hpp"
#include "skua/program/algorithm/here_test.hpp"
#include "skua/program/algorithm/merge.hpp"
#include "skua/program/algorithm/reduce.hpp"
#include "skua/program/algorithm/sort.hpp"
#include "skua/program/algorithm/stable_sort.hpp"
#include "skua/program/algorithm/transform.hpp"
#include "skua/program/recorder.hpp"

namespace skua { inline namespace v0 { namespace runtime {
namespace {

/// Counts joins.
class joining {
 public:
  explicit joining(std::uint32_t workers) : workers_(workers) {}
  template <class F, class G>
  auto join(F&& f, G&& g) {
    ++joins;
    auto a = call(std::forward<F>(f), *this);
    auto b = call(std::forward<G>(g), *this);
    return values(std::move(a), std::move(b));
  }
  template <class F, class G>
  auto join(work, F&& f, work, G&& g) {
    return join(std::forward<F>(f), std::forward<G>(g));
  }
  [[nodiscard]] std::uint32_t num_workers() const noexcept { return workers_; }
  [[nodiscard]] bool stop_requested() const noexcept { return false; }
  std::size_t joins = 0;

 private:
  std::uint32_t workers_;
};

}  // namespace

template <>
inline constexpr bool is_checked_fork_join<joining> = true;

namespace {

/// The joins of each algorithm over n elements with this grain, on two workers.
template <class Use>
std::size_t joins_of(Use const& use) {
  joining here(2);
  use(here);
  return here.joins;
}

TEST(a_grain, is_the_most_that_one_leaf_has) {
  for (std::size_t const most : {1U, 2U, 10U, 100U, 128U}) {
    for (std::size_t const n : {most, most + 1}) {
      std::size_t const expected = n == most ? 0 : 1;
      std::vector<double> data(n);
      std::vector<double> out(2 * n);
      auto const plus = std::plus<>{};
      EXPECT_EQ(joins_of([&](auto& here) { for_each(here, data, [](double&) {}, grain{most}); }), expected) << n;
      EXPECT_EQ(joins_of([&](auto& here) { for_each(here, std::size_t{0}, n, [](std::size_t) {}, grain{most}); }),
                expected);
      EXPECT_EQ(joins_of([&](auto& here) { transform(here, data, out.begin(), std::identity{}, grain{most}); }),
                expected);
      EXPECT_EQ(joins_of([&](auto& here) { reduce(here, data, 0.0, plus, std::identity{}, grain{most}); }), expected);
      EXPECT_EQ(joins_of([&](auto& here) {
                  merge(here, data, std::vector<double>(), out.begin(), std::less<>{}, grain{most});
                }),
                expected);
    }
  }
  for (std::size_t const most : {32U, 100U, 128U}) {
    for (std::size_t const n : {most, most + 1}) {
      std::vector<int> const drawn = testing::numbers(n, n);
      std::vector<double> data(drawn.begin(), drawn.end());
      std::size_t const joins = joins_of([&](auto& here) { sort(here, data, std::less<>{}, grain{most}); });
      EXPECT_TRUE(n == most ? joins == 0 : joins >= 1) << joins;
      data.assign(drawn.begin(), drawn.end());
      EXPECT_EQ(joins_of([&](auto& here) { stable_sort(here, data, std::less<>{}, grain{most}); }), n - most);
    }
  }
}

/// Of integers: three passes over the blocks of a level, and a task for each bucket.
TEST(a_sort_of_integers, has_a_block_for_16384_elements_and_four_for_each_of_several_workers_at_most) {
  for (std::uint32_t const workers : {1U, 2U, 3U, 4U, 16U}) {
    for (std::size_t const n : {70'000U, 200'000U}) {
      joining here(workers);
      std::vector<int> data = testing::numbers(n, n);
      sort(here, data);
      std::size_t const blocks = workers == 1 ? 1 : std::min<std::size_t>(n / 16'384, 4 * workers);
      EXPECT_EQ(here.joins, 3 * (blocks - 1) + 255) << workers << " workers, " << n;
      EXPECT_TRUE(std::ranges::is_sorted(data));
    }
  }
}

TEST(a_loop_between_numbers, of_two_kinds_refuses_what_is_negative_only) {
  serial here;
  int calls = 0;
  auto const count = [&](auto) { ++calls; };
  for_each(here, 0U, 0, count);
  for_each(here, 0, 0U, count);
  EXPECT_EQ(calls, 0);
  for_each(here, 0, 3U, count);
  for_each(here, 0U, 3, count);
  for_each(here, 3U, 0, count);
  EXPECT_EQ(calls, 6);
  EXPECT_THROW(for_each(here, -1, 3U, count), usage_error);
  EXPECT_THROW(for_each(here, 3U, -1, count), usage_error);
  for_each(here, -2, 2, count);
  EXPECT_EQ(calls, 10);
}

}  // namespace
}}}  // namespace skua::v0::runtime
