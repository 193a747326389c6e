// SPDX-License-Identifier: MIT
// Ranges that divide themselves, how far they are divided, and the shuffled `here` that other tests rely on.
#include "skua/program/blocked_range.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <ranges>
#include <set>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "skua/program/executor_test.hpp"
#include "skua/program/parallel.hpp"
#include "skua/program/parallel_reduce.hpp"
#include "skua/program/partitioner.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace {

static_assert(self_dividing<blocked_range<int>>);
static_assert(self_dividing<blocked_range<std::vector<int>::iterator>>);
static_assert(self_dividing<blocked_range2d<int, std::size_t>>);
static_assert(!self_dividing<std::vector<int>>);

TEST(blocked_range, halves_are_not_empty_and_together_the_whole) {
  for (int n : {2, 3, 10, 1001}) {
    blocked_range<int> left(-5, n - 5, 1);
    blocked_range<int> const right(left, split{});
    EXPECT_EQ(left.begin(), -5);
    EXPECT_EQ(left.end(), right.begin());
    EXPECT_EQ(right.end(), n - 5);
    EXPECT_FALSE(left.empty());
    EXPECT_FALSE(right.empty());
  }
}

TEST(blocked_range, is_divisible_above_its_grain_only) {
  EXPECT_FALSE(blocked_range<int>(0, 0).is_divisible());
  EXPECT_FALSE(blocked_range<int>(0, 1).is_divisible());
  EXPECT_TRUE(blocked_range<int>(0, 2).is_divisible());
  EXPECT_FALSE(blocked_range<int>(0, 10, 10).is_divisible());
  EXPECT_TRUE(blocked_range<int>(0, 11, 10).is_divisible());
  EXPECT_TRUE(blocked_range<int>(5, 3).empty());
  EXPECT_FALSE(blocked_range<int>(5, 3).is_divisible());
}

TEST(blocked_range, a_grain_of_nothing_is_refused) {
  EXPECT_THROW(blocked_range<int>(0, 5, 0), usage_error);
  EXPECT_THROW((blocked_range2d<int>(0, 5, 1, 0, 5, 0)), usage_error);
  EXPECT_THROW(proportional_split(0, 1), usage_error);
}

TEST(blocked_range, may_be_longer_than_its_type_can_count) {
  constexpr int least = std::numeric_limits<int>::min();
  constexpr int most = std::numeric_limits<int>::max();
  blocked_range<int> low(least, most);
  EXPECT_EQ(low.size(), 0xffff'ffffU);
  blocked_range<int> high(low, split{});
  EXPECT_EQ(low.begin(), least);
  EXPECT_EQ(low.end(), high.begin());
  EXPECT_EQ(high.begin(), -1);
  EXPECT_EQ(high.end(), most);
  EXPECT_EQ(low.size() + high.size(), 0xffff'ffffU);
  EXPECT_EQ(low.part(1, low.size()).begin(), least + 1);
  blocked_range<signed char> narrow(-128, 127);
  EXPECT_EQ(narrow.size(), 255U);
}

TEST(blocked_range, splits_in_proportion) {
  for (int n : {2, 3, 10, 1001}) {
    for (std::size_t const left : {1U, 2U, 1000U}) {
      blocked_range<int> first(-5, n - 5);
      proportional_split const p(left, 2);
      blocked_range<int> const second(first, p);
      EXPECT_FALSE(first.empty());
      EXPECT_FALSE(second.empty());
      EXPECT_EQ(first.end(), second.begin());
      EXPECT_EQ(first.size() + second.size(), static_cast<std::size_t>(n));
      EXPECT_EQ(first.size(), std::clamp<std::size_t>(static_cast<std::size_t>(n) * left / (left + 2), 1,
                                                      first.size() + second.size() - 1));
    }
  }
}

TEST(blocked_range3d, divides_the_longest_side) {
  blocked_range3d<int> deep(0, 100, 1, 0, 10, 1, 0, 50, 1);
  blocked_range3d<int> const back(deep, split{});
  EXPECT_EQ(deep.pages().size(), 50U);
  EXPECT_EQ(back.pages().begin(), 50);
  EXPECT_EQ(back.rows().size(), 10U);
  blocked_range3d<int> wide(0, 100, 50, 0, 10, 1, 0, 30, 1);
  blocked_range3d<int> const right(wide, proportional_split(1, 2));
  EXPECT_EQ(wide.cols().size(), 10U);
  EXPECT_EQ(right.cols().size(), 20U);
  EXPECT_EQ(right.pages().size(), 100U);
  blocked_range3d<int> tall(0, 100, 50, 0, 31, 1, 0, 30, 1);
  blocked_range3d<int> const lower(tall, split{});
  EXPECT_EQ(tall.rows().size() + lower.rows().size(), 31U);
  EXPECT_FALSE((blocked_range3d<int>(0, 4, 0, 0, 0, 4).is_divisible()));
  EXPECT_TRUE((blocked_range3d<int>(0, 4, 0, 0, 0, 4).empty()));
  EXPECT_FALSE((blocked_range3d<int>(0, 4, 4, 0, 5, 5, 0, 6, 6).is_divisible()));
}

TEST(blocked_range2d, divides_the_longer_side) {
  blocked_range2d<int> tall(0, 100, 1, 0, 10, 1);
  blocked_range2d<int> const lower(tall, split{});
  EXPECT_EQ(tall.rows().size(), 50U);
  EXPECT_EQ(lower.cols().size(), 10U);
  blocked_range2d<int> wide(0, 100, 50, 0, 10, 1);
  blocked_range2d<int> const right(wide, split{});
  EXPECT_EQ(wide.rows().size(), 100U);
  EXPECT_EQ(right.cols().begin(), 5);
}

/// A range that can only be halved.
struct halves : blocked_range<int> {
  halves(int begin, int end, std::size_t grain) : blocked_range<int>(begin, end, grain) {}
  halves(halves& r, split s) : blocked_range<int>(r, s) {}
};
/// A range that says that it does not divide in proportion.
struct refuses : blocked_range<int> {
  using blocked_range<int>::blocked_range;
  static constexpr bool is_splittable_in_proportion = false;
};
/// As oneTBB's users write it: the proportion comes by reference.
struct ported {
  ported(int b, int e) : begin(b), end(e) {}
  ported(ported& r, split) : begin((r.begin + r.end) / 2), end(r.end) { r.end = begin; }
  ported(ported& r, proportional_split& p)
      : begin(r.end - static_cast<int>(static_cast<std::size_t>(r.end - r.begin) * p.right() / (p.left() + p.right()))),
        end(r.end) {
    r.end = begin;
  }
  [[nodiscard]] bool empty() const { return begin >= end; }
  [[nodiscard]] bool is_divisible() const { return end - begin > 1; }
  int begin;
  int end;
};
static_assert(!splits_in_proportion<halves> && !splits_in_proportion<refuses> && splits_in_proportion<ported>);
static_assert(splits_in_proportion<blocked_range<int>> && splits_in_proportion<blocked_range3d<int>>);

template <class Range>
std::vector<std::size_t> sizes_of_pieces(std::uint32_t workers, Range whole, bool fully) {
  shuffled here{7, workers};
  std::vector<std::size_t> sizes;
  divide(here, whole, pieces_of<Range>(here, fully), [&](Range const& r) {
    if constexpr (requires { r.size(); }) {
      sizes.push_back(r.size());
    } else {
      sizes.push_back(static_cast<std::size_t>(r.end - r.begin));
    }
  });
  return sizes;
}

TEST(partitioner, automatic_makes_8_equal_pieces_per_worker_and_simple_goes_down_to_the_grain) {
  for (std::uint32_t const workers : {1U, 2U, 3U, 5U, 7U, 12U, 64U}) {
    SCOPED_TRACE(workers);
    auto const equal = [&](std::vector<std::size_t> const& sizes, std::size_t n) {
      EXPECT_EQ(sizes.size(), 8 * workers);
      auto const [least, most] = std::minmax_element(sizes.begin(), sizes.end());
      EXPECT_LE(*most - *least, 8U) << "cuts round";
      EXPECT_EQ(std::accumulate(sizes.begin(), sizes.end(), std::size_t{0}), n);
    };
    equal(sizes_of_pieces(workers, blocked_range<int>(0, 100'000, 10), false), 100'000);
    equal(sizes_of_pieces(workers, ported(0, 100'000), false), 100'000);
    std::vector<std::size_t> const halved = sizes_of_pieces(workers, halves(0, 100'000, 10), false);
    EXPECT_EQ(halved.size(), std::bit_ceil(8 * workers));
    EXPECT_EQ(sizes_of_pieces(workers, refuses(0, 100'000, 10), false).size(), halved.size());
    EXPECT_EQ(sizes_of_pieces(workers, blocked_range<int>(0, 100'000, 10), true).size(), 16384U);
  }
}

/// The sizes of the pieces that on::parallel_for makes of n indices, for executors with four workers.
template <class... Options>
std::vector<std::size_t> sizes_of_loop(int n, Options const&... how) {
  std::vector<std::size_t> sizes;
  piece_body<shuffled> const note{[](void const* to, shuffled&, std::size_t begin, std::size_t end) {
                                    (*static_cast<std::vector<std::size_t>* const*>(to))->push_back(end - begin);
                                  },
                                  nullptr};
  std::vector<std::size_t>* const into = &sizes;
  loop_over<testing::serial_executor>(static_cast<std::size_t>(n), grain_of(how...), divide_to_grain(how...),
                                      {note.call, &into});
  std::ranges::sort(sizes);  // they come in any order
  return sizes;
}

TEST(partitioner, a_grain_is_the_largest_leaf_under_each) {
  for (int const n : {0, 1, 2, 63, 64, 65, 1000}) {
    for (std::size_t const g : {0U, 1U, 2U, 10U, 64U, 5000U}) {
      SCOPED_TRACE(::testing::Message() << n << " elements, grain " << g);
      std::vector<std::size_t> const simple = sizes_of_loop(n, grain{g}, simple_partitioner{});
      for (std::size_t const size : simple) {
        EXPECT_LE(size, std::max<std::size_t>(1, g));
        EXPECT_GE(2 * size, std::min<std::size_t>(g, static_cast<std::size_t>(n)));
      }
      EXPECT_EQ(std::accumulate(simple.begin(), simple.end(), std::size_t{0}), static_cast<std::size_t>(n));
      if (g == 0) continue;
      EXPECT_EQ(sizes_of_loop(n, grain{g}), simple);
      EXPECT_EQ(sizes_of_loop(n, grain{g}, auto_partitioner{}), simple);
      EXPECT_EQ(sizes_of_loop(n, grain{g}, static_partitioner{}), simple);
    }
    EXPECT_LE(sizes_of_loop(n).size(), 32U);
    EXPECT_EQ(sizes_of_loop(n, automatic), sizes_of_loop(n));
  }
  EXPECT_EQ(sizes_of_loop(1000).size(), 32U);
  EXPECT_EQ(sizes_of_loop(1000, automatic).size(), 32U);
  EXPECT_EQ(sizes_of_loop(1000, grain{400}), (std::vector<std::size_t>(4, 250)));
}

TEST(pieces, every_cut_gives_both_sides_something) {
  for (std::uint32_t pieces : {0U, 2U, 8U, 16U, 24U, 40U, 8U * 65'535U}) {
    cut const c = cut::of(pieces);
    EXPECT_EQ(c.left + c.right, pieces);
    for (std::size_t n : {std::size_t{2}, std::size_t{3}, std::size_t{1000}, std::numeric_limits<std::size_t>::max()}) {
      EXPECT_GE(c.middle(n), 1U);
      EXPECT_LE(c.middle(n), n / 2) << "the shorter side first";
    }
  }
  EXPECT_EQ(cut::of(24).left, 8U);
}

TEST(parallel_for, steps_near_the_ends_of_their_type) {
  using executor = testing::serial_executor;
  std::multiset<int> seen;
  constexpr int low = std::numeric_limits<int>::min();
  constexpr int high = std::numeric_limits<int>::max();
  on::parallel_for<executor>(low, high, 1'000'000'000, [&](int i) { seen.insert(i); });
  EXPECT_EQ(seen, (std::multiset<int>{low, low + 1'000'000'000, low + 2'000'000'000, 852'516'352, 1'852'516'352}));
  int calls = 0;
  on::parallel_for<executor>(0, 1, high, [&](int) { ++calls; });
  EXPECT_EQ(calls, 1);
  EXPECT_THROW(on::parallel_for<executor>(0, 10, -1, [](int) {}), std::invalid_argument);
  on::parallel_for<executor>(static_cast<short>(0), static_cast<short>(10), static_cast<short>(3),
                             [&](int) { ++calls; });
  EXPECT_EQ(calls, 5);
}

TEST(parallel_reduce, deterministic_sum_is_the_same_on_any_executor) {
  std::vector<double> data;
  dice d{5};
  for (int i = 0; i < 3000; ++i) data.push_back((d.unit() - 0.5) * static_cast<double>(1U << d.below(30)));
  auto fold = [&](blocked_range<std::size_t> const& r, double sum) {
    for (std::size_t i = r.begin(); i != r.end(); ++i) sum += data[i];
    return sum;
  };
  blocked_range<std::size_t> const whole(0, data.size(), 7);
  double const serial =
      on::parallel_deterministic_reduce<testing::serial_executor>(whole, 0.0, fold, std::plus<double>());
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(on::parallel_deterministic_reduce<testing::toy_executor>(whole, 0.0, fold, std::plus<double>()), serial);
  }
}

TEST(proportional_split, gives_no_side_nothing) {
  for (auto const& [left, right] : {std::pair(0U, 1U), std::pair(1U, 0U), std::pair(0U, 0U)}) {
    EXPECT_THROW(proportional_split(left, right), usage_error);
  }
  for (std::size_t n = 2; n < 6; ++n) {
    for (auto const& [left, right] :
         {std::pair(std::size_t{1} << 60, std::size_t{1}), std::pair(std::size_t{1}, std::size_t{1} << 60)}) {
      blocked_range<int> first(3, 3 + static_cast<int>(n));
      proportional_split how(left, right);
      blocked_range<int> const second(first, how);
      EXPECT_FALSE(first.empty() || second.empty());
      EXPECT_EQ(first.size() + second.size(), n);
      EXPECT_EQ(first.end(), second.begin());
    }
  }
}

/// Divides to the end, by halves or in proportion; each cell is in one piece.
template <class Range, class Note>
void divide_and_note(Range& range, bool by_halves, Note const& note) {
  if (!range.is_divisible()) {
    if (!range.empty()) note(range);
    return;
  }
  proportional_split how(2, 1);
  Range rest = by_halves ? Range(range, split{}) : Range(range, how);
  EXPECT_FALSE(range.empty() || rest.empty()) << "halves of a divisible range";
  divide_and_note(range, by_halves, note);
  divide_and_note(rest, by_halves, note);
}

TEST(blocked_ranges, of_every_small_shape_are_divided_into_cells_that_are_visited_once) {
  std::array<int, 5> const sides{0, 1, 2, 3, 5};
  for (int const x : sides) {
    for (int const y : sides) {
      for (int const z : sides) {
        for (std::size_t const grain : {1U, 2U, 4U}) {
          for (bool const by_halves : {true, false}) {
            SCOPED_TRACE(::testing::Message() << x << " x " << y << " x " << z << ", grains " << grain << ", 1, 2");
            std::map<std::array<int, 3>, int> cells;
            blocked_range3d<int> box(0, x, grain, 0, y, 1, 0, z, 2);
            EXPECT_EQ(box.empty(), x == 0 || y == 0 || z == 0);
            EXPECT_EQ(box.is_divisible(), !box.empty() && (x > static_cast<int>(grain) || y > 1 || z > 2));
            divide_and_note(box, by_halves, [&](blocked_range3d<int> const& piece) {
              EXPECT_LE(piece.pages().size(), grain);
              EXPECT_LE(piece.rows().size(), 1U);
              EXPECT_LE(piece.cols().size(), 2U);
              for (int a = piece.pages().begin(); a != piece.pages().end(); ++a) {
                for (int b = piece.rows().begin(); b != piece.rows().end(); ++b) {
                  for (int c = piece.cols().begin(); c != piece.cols().end(); ++c) ++cells[{a, b, c}];
                }
              }
            });
            EXPECT_EQ(cells.size(), static_cast<std::size_t>(x * y * z));
            EXPECT_TRUE(std::ranges::all_of(cells, [](auto const& cell) { return cell.second == 1; }));

            std::map<std::pair<int, int>, int> flat;
            blocked_range2d<int> rectangle(0, x, grain, 0, y, 2);
            EXPECT_EQ(rectangle.empty(), x == 0 || y == 0);
            EXPECT_EQ(rectangle.is_divisible(), !rectangle.empty() && (x > static_cast<int>(grain) || y > 2));
            divide_and_note(rectangle, by_halves, [&](blocked_range2d<int> const& piece) {
              EXPECT_LE(piece.rows().size(), grain);
              EXPECT_LE(piece.cols().size(), 2U);
              for (int a = piece.rows().begin(); a != piece.rows().end(); ++a) {
                for (int b = piece.cols().begin(); b != piece.cols().end(); ++b) ++flat[{a, b}];
              }
            });
            EXPECT_EQ(flat.size(), static_cast<std::size_t>(x * y));
            EXPECT_TRUE(std::ranges::all_of(flat, [](auto const& cell) { return cell.second == 1; }));
          }
        }
      }
    }
  }
}

/// Counts those that live. Too large for the stack if `Bytes` are many.
template <std::size_t Bytes>
struct text {
  std::string said;
  std::shared_ptr<int> alive;
  std::array<char, Bytes> rest{};
};

template <std::size_t Bytes>
void reduce_texts() {
  using value = text<Bytes>;
  auto const alive = std::make_shared<int>(0);
  blocked_range<int> const all(0, 26, 1);
  std::string expected;
  for (int i = 0; i < 26; ++i) expected += static_cast<char>('a' + i);
  for (int fails = 0; fails < 60; ++fails) {
    int calls = 0;
    auto const call = [&] {
      if (++calls == fails) throw std::out_of_range("this call");
    };
    auto const fold = [&](blocked_range<int> const& piece, value v) {
      call();
      for (int i = piece.begin(); i != piece.end(); ++i) v.said += static_cast<char>('a' + i);
      return v;
    };
    auto const join = [&](value a, value const& b) {
      call();
      a.said += b.said;
      return a;
    };
    value const identity{"", alive};
    auto const reduce = [&](auto how) {
      calls = 0;
      long const before = alive.use_count();
      try {
        value const sum = on::parallel_reduce<testing::serial_executor>(all, identity, fold, join, how);
        EXPECT_EQ(sum.said, expected);
        EXPECT_TRUE(fails == 0 || calls < fails);
      } catch (std::out_of_range const&) {
        EXPECT_EQ(calls, fails);
      }
      EXPECT_EQ(alive.use_count(), before) << "call " << fails << " fails";
    };
    reduce(simple_partitioner{});
    reduce(auto_partitioner{});
  }
}

TEST(parallel_reduce, values_are_destroyed_once_whatever_fails) {
  reduce_texts<1>();
  reduce_texts<1000>();
}

TEST(parallel_reduce, over_nothing_is_the_identity) {
  auto const never = [](auto const&, int) -> int { throw std::logic_error("nothing is folded"); };
  EXPECT_EQ(on::parallel_reduce<testing::serial_executor>(blocked_range<int>(3, 3), 7, never, std::plus<>()), 7);
  EXPECT_EQ(on::parallel_reduce<testing::serial_executor>(blocked_range2d<int>(0, 0, 0, 5), 7, never, std::plus<>()),
            7);
}

TEST(a_context, is_cancelled_by_an_exception_and_hides_nobody_else_s_stop) {
  using executor = testing::serial_executor;
  task_group_context context;
  EXPECT_THROW(on::parallel_for<executor>(
                   0, 10,
                   [](int i) {
                     if (i == 4) throw std::out_of_range("4");
                   },
                   context),
               std::out_of_range);
  EXPECT_TRUE(context.is_group_execution_cancelled());
  context.reset();

  std::stop_source source;
  int calls = 0;
  EXPECT_THROW(executor::with_here([&](shuffled& h) {
                 h.with_stop(source.get_token(), [&](shuffled&) {
                   on::parallel_for<executor>(
                       0, 100,
                       [&](int) {
                         if (++calls == 5) source.request_stop();
                       },
                       simple_partitioner{}, context);
                 });
               }),
               cancelled)
      << "somebody around asked, and wants to know";
  EXPECT_LT(calls, 100);
  EXPECT_FALSE(context.is_group_execution_cancelled());

  calls = 0;
  EXPECT_NO_THROW(on::parallel_for<executor>(
      0, 100,
      [&](int) {
        if (++calls == 5) context.cancel_group_execution();
      },
      simple_partitioner{}, context));
  EXPECT_LT(calls, 100);
  context.reset();
  int const sum = on::parallel_reduce<executor>(
      blocked_range<int>(0, 100), 7,
      [&](blocked_range<int> const&, int v) {
        context.cancel_group_execution();
        return v + 1;
      },
      std::plus<>(), simple_partitioner{}, context);
  EXPECT_EQ(sum, 7) << "the identity";
}

TEST(parallel_for, over_nothing_calls_nothing_and_a_step_of_nothing_is_refused) {
  int calls = 0;
  auto const f = [&](int) { ++calls; };
  for (int const last : {5, 4, -5}) {
    on::parallel_for<testing::serial_executor>(5, last, f);
    for (int const step : {1, 2, 100}) on::parallel_for<testing::serial_executor>(5, last, step, f);
  }
  EXPECT_EQ(calls, 0);
  for (int const step : {0, -1}) {
    EXPECT_THROW(on::parallel_for<testing::serial_executor>(0, 10, step, f), std::invalid_argument);
  }
  EXPECT_EQ(calls, 0);
  on::parallel_for<testing::serial_executor>(5, 6, 3, f);
  EXPECT_EQ(calls, 1);
}

TEST(shuffled, runs_every_child_once_in_an_order_that_its_seed_decides) {
  auto order_of = [](std::uint64_t seed) {
    shuffled here{seed};
    std::vector<int> order;
    here.join([&](shuffled&) { order.push_back(0); }, [&](shuffled&) { order.push_back(1); },
              [&](shuffled&) { order.push_back(2); });
    std::vector<int> const numbers{3, 4, 5, 6};
    here.join_each(numbers, [&](shuffled&, int i) { order.push_back(i); });
    here.scope([&](auto& s) {
      for (int i = 7; i < 10; ++i) s.spawn([&order, i](shuffled&) { order.push_back(i); });
    });
    return order;
  };
  std::set<std::vector<int>> orders;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    std::vector<int> order = order_of(seed);
    EXPECT_EQ(order, order_of(seed)) << "seed " << seed;
    orders.insert(order);
    std::sort(order.begin(), order.end());
    EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9})) << "seed " << seed;
  }
  EXPECT_GT(orders.size(), 40U);
  shuffled backwards{0, 4, child_order::backwards};
  auto [a, b] = backwards.join([](shuffled&) { return 1; }, [](shuffled&) { return 2; });
  EXPECT_EQ(a, 1);
  EXPECT_EQ(b, 2);
}

}}}}  // namespace skua::v0::runtime
