// SPDX-License-Identifier: MIT
// When loops fork, and when they are too short for that: on a `here` whose clock the elements themselves move.
#include "skua/program/pieces.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <stdexcept>
#include <stop_token>
#include <utility>
#include <vector>

#include "skua/parts/base/dice.hpp"
#include "skua/program/recorder.hpp"
#include "skua/program/serial.hpp"

namespace skua { inline namespace v0 { namespace runtime {
namespace {

/// Runs children in order and counts forks. Its clock stands still unless an element moves it.
class timed {
 public:
  explicit timed(std::uint32_t workers) : workers_(workers) {}

  template <class F, class G>
  void join(F&& f, G&& g) {
    ++forks;
    f(*this);
    g(*this);
  }
  template <class F, class G>
  void join(work, F&& f, work, G&& g) {
    join(f, g);
  }
  [[nodiscard]] std::uint32_t num_workers() const noexcept { return workers_; }
  [[nodiscard]] bool stop_requested() const noexcept { return stop; }
  [[nodiscard]] friend bool sees_forks(timed const& t) noexcept { return t.policy_sees; }
  [[nodiscard]] friend bool may_be_stopped(timed const& t) noexcept { return t.watched; }
  [[nodiscard]] friend std::uint64_t ticks_of(timed const& t) noexcept { return t.now += t.clock_costs; }
  [[nodiscard]] friend std::uint64_t short_loop_ticks(timed const&) noexcept { return 4000; }

  int forks = 0;
  mutable std::uint64_t now = 0;
  std::uint64_t clock_costs = 0;
  bool stop = false;
  bool watched = false;
  bool policy_sees = false;

 private:
  std::uint32_t workers_;
};

}  // namespace

template <>
inline constexpr bool is_checked_fork_join<timed> = true;

namespace {

static_assert(may_skip_forks<timed> && tells_time<timed>);
static_assert(may_skip_forks<serial> && !may_skip_forks<recorder>, "a recording has every fork");

using sizes = std::vector<std::size_t>;

/// The sizes of the pieces of [0, n), which element(here, i) is called in. Fails unless each index is in one of them.
template <class Here, class Element>
sizes sizes_of(Here& here, std::size_t n, Element const& element, std::size_t most = 1) {
  std::vector<std::pair<std::size_t, std::size_t>> pieces;
  auto const note = [&](Here& h, std::size_t begin, std::size_t end) {
    pieces.emplace_back(begin, end);
    for (std::size_t i = begin; i < end; ++i) element(h, i);
  };
  run_usual_pieces(here, n, most,
                   piece_body<Here>{[](void const* with, Here& h, std::size_t begin, std::size_t end) {
                                      (*static_cast<decltype(note)*>(with))(h, begin, end);
                                    },
                                    &note});
  sizes all;
  std::size_t end = 0;
  for (auto const& [from, to] : pieces) {
    EXPECT_EQ(from, end);
    EXPECT_LT(from, to);
    all.push_back(to - from);
    end = to;
  }
  EXPECT_EQ(end, n);
  return all;
}

constexpr auto takes(std::uint64_t ticks) {
  return [ticks](auto& here, std::size_t) { here.now += ticks; };
}
constexpr auto nothing_happens = [](auto&, std::size_t) {};

TEST(short_loops, run_without_a_fork) {
  for (std::uint32_t workers : {1U, 2U, 4U, 64U}) {
    timed here(workers);
    here.watched = true;
    EXPECT_LE(sizes_of(here, 2000, nothing_happens).size(), 8U);
    EXPECT_EQ(here.forks, 0);
  }
}

TEST(timed_loops, one_worth_a_thief_is_divided_once_its_pace_is_known) {
  timed here(2);
  sizes const all = sizes_of(here, 16'000, takes(1));
  EXPECT_EQ(all[0], 32U);
  EXPECT_EQ(all[1], 256U) << "32 ticks may be the clock's";
  EXPECT_EQ(all[2], 992U) << "256 ticks, too; whole vectors";
  EXPECT_EQ(here.forks, 1) << "neither side takes four steals";
  std::size_t left = 0;
  for (std::size_t begin = 1280, i = 3; begin != 16'000; begin += all[i++]) left = begin <= 10'640 ? begin : left;
  EXPECT_EQ(left, 10'640U) << "a thief comes 4000 ticks late: it gets 5360 of 14720";
}

TEST(timed_loops, no_piece_takes_less_than_a_steal_unless_the_clock_misled) {
  for (std::uint64_t ticks : {1U, 3U, 20U, 100U, 1000U, 100'000U}) {
    for (std::uint32_t workers : {2U, 3U, 16U, 64U}) {
      SCOPED_TRACE(::testing::Message() << ticks << " ticks an element, " << workers << " workers");
      timed here(workers);
      std::size_t const n = 20'000;
      sizes const all = sizes_of(here, n, takes(ticks));
      EXPECT_LE(static_cast<std::uint32_t>(here.forks), usual_pieces(workers) - 1);
      EXPECT_LE(static_cast<std::uint64_t>(here.forks), ticks * n / 4000);
      EXPECT_LE(all.size(), 3 + 8U * static_cast<unsigned>(here.forks + 1))
          << "a look at the clock every quarter of a steal";
      if (ticks >= 1000) {
        EXPECT_EQ(here.forks, static_cast<int>(usual_pieces(workers)) - 1);
      }
    }
  }
}

TEST(timed_loops, a_clock_that_costs_more_than_the_elements_does_not_fork_them) {
  for (std::uint32_t workers : {2U, 16U, 64U}) {
    timed here(workers);
    here.clock_costs = 70;
    EXPECT_LE(sizes_of(here, 4000, takes(1)).size(), 9U);
    EXPECT_EQ(here.forks, 0);
  }
}

TEST(timed_loops, one_that_becomes_long_is_divided_from_there) {
  timed here(4);
  sizes const all = sizes_of(here, 4000, [](timed& h, std::size_t i) { h.now += i < 200 ? 0 : 100; });
  EXPECT_GE(here.forks, 10);
  EXPECT_LE(all[0] + all[1], 32U + 256U);
}

TEST(timed_loops, a_piece_that_becomes_long_is_divided_again) {
  timed here(16);
  sizes const all = sizes_of(here, 60'000, [](timed& h, std::size_t i) { h.now += i < 30'000 ? 1 : 50; });
  std::size_t const longest = *std::max_element(all.begin(), all.end());
  EXPECT_LE(longest, 2000U) << "half a steal by the old pace, where a static division has 3750";
  EXPECT_GT(here.forks, 60);
}

TEST(timed_loops, the_first_rows_of_a_triangle_do_not_hold_the_others) {
  timed here(16);
  sizes const all = sizes_of(here, 1000, [](timed& h, std::size_t i) { h.now += i; });
  EXPECT_LE(all[0] + all[1] + all[2], 150U) << "2 % of the work";
  EXPECT_GT(here.forks, 15);
}

TEST(short_loops, long_ones_are_not_measured) {
  timed here(2);
  EXPECT_EQ(sizes_of(here, 10'240'000, nothing_happens), sizes(16, 640'000));
}

TEST(short_loops, a_worker_that_nobody_helps_or_stops_calls_the_body_once) {
  timed here(1);
  EXPECT_EQ(sizes_of(here, 10'000'000, takes(1)), sizes{10'000'000});
  serial elision;
  EXPECT_EQ(sizes_of(elision, 1000, nothing_happens), sizes{1000});
  std::stop_source stop;
  elision.with_stop(stop.get_token(), [](serial& h) { EXPECT_EQ(sizes_of(h, 1024, nothing_happens), sizes(8, 128)); });
}

TEST(short_loops, a_stop_ends_them_between_two_pieces) {
  timed here(1);
  here.watched = true;
  std::size_t calls = 0;
  auto const element = [&](timed& h, std::size_t) {
    ++calls;
    h.stop = true;
  };
  auto const run = [&] { static_cast<void>(sizes_of(here, 3200, element)); };
  EXPECT_THROW(run(), cancelled);
  EXPECT_EQ(calls, 32U);
}

/// Both children have begun before one of them fails, as they may on two workers.
class both_begin {
 public:
  template <class F, class G>
  void join(F&& f, G&& g) {
    std::exception_ptr failure;
    auto const keep = [&](auto& child) {
      try {
        child(*this);
      } catch (cancelled const&) {
        if (!failure) failure = std::current_exception();
      } catch (...) {
        failure = std::current_exception();
      }
    };
    keep(f);
    keep(g);
    if (failure) std::rethrow_exception(failure);
  }
  template <class F, class G>
  void join(work, F&& f, work, G&& g) {
    join(f, g);
  }
  [[nodiscard]] std::uint32_t num_workers() const noexcept { return 3; }
  [[nodiscard]] bool stop_requested() const noexcept { return false; }
};

}  // namespace

template <>
inline constexpr bool is_checked_fork_join<both_begin> = true;

namespace {

TEST(loops, whose_leaf_fails_begin_no_other_leaf) {
  both_begin here;
  for (std::size_t const bad : {0U, 5U, 63U}) {
    std::size_t calls = 0;
    auto const body = [&](both_begin&, std::size_t begin, std::size_t) {
      ++calls;
      if (begin == bad) throw std::out_of_range("bad");
    };
    piece_body<both_begin> const pieces{[](void const* with, both_begin& h, std::size_t begin, std::size_t end) {
                                          (*static_cast<decltype(body)*>(with))(h, begin, end);
                                        },
                                        &body};
    EXPECT_THROW(run_pieces(here, 0, 64, {1}, pieces), std::out_of_range);
    EXPECT_EQ(calls, bad + 1);
  }
}

TEST(short_loops, few_elements_and_what_the_policy_sees_are_forked) {
  for (std::uint32_t workers : {1U, 2U, 7U}) {
    std::size_t const n = 8 * workers;
    timed here(workers);
    EXPECT_EQ(sizes_of(here, n, nothing_happens), sizes(n, 1)) << "each may wait for another";
    EXPECT_EQ(here.forks, static_cast<int>(n) - 1);
    timed seen(workers);
    seen.policy_sees = true;
    EXPECT_EQ(sizes_of(seen, 10 * n, nothing_happens), sizes(n, 10));
  }
}

TEST(short_loops, are_those_of_twice_the_usual_pieces_and_more) {
  for (std::uint32_t workers : {1U, 2U, 7U}) {
    std::size_t const least = std::size_t{16} * workers;
    timed few(workers);
    EXPECT_EQ(sizes_of(few, least - 1, nothing_happens).size(), least / 2) << "forked, as nobody knows what they take";
    timed enough(workers);
    static_cast<void>(sizes_of(enough, least, nothing_happens));
    EXPECT_EQ(enough.forks, 0);
  }
}

TEST(short_loops, of_up_to_65536_elements_are_measured) {
  timed measured(2);
  static_cast<void>(sizes_of(measured, 65'536, nothing_happens));
  EXPECT_EQ(measured.forks, 0);
  timed longer(2);
  EXPECT_EQ(sizes_of(longer, 65'537, nothing_happens).size(), 16U);
}

/// Two readings around each piece but the last, behind which nothing is left to decide.
TEST(short_loops, look_at_the_clock_only_where_something_is_left) {
  for (std::uint32_t workers : {2U, 3U, 16U}) {
    for (std::size_t const n : {1000U, 2000U, 4000U}) {
      timed here(workers);
      here.clock_costs = 1;
      std::size_t const pieces = sizes_of(here, n, nothing_happens).size();
      EXPECT_EQ(here.now, 2 * (pieces - 1)) << n;
    }
  }
}

/// 500 ticks are an eighth of a steal: what was measured in no more may be the clock's, or of a line that came from another cache.
TEST(timed_loops, are_divided_by_what_took_more_than_an_eighth_of_a_steal) {
  for (std::uint64_t const in_first : {500U, 501U}) {
    timed here(2);
    sizes const all = sizes_of(here, 2000, [&](timed& h, std::size_t i) { h.now += i == 0 ? in_first - 31 : 1; });
    EXPECT_EQ(all[0], 32U);
    EXPECT_EQ(all[1], in_first == 500 ? 64U : 256U) << "a quarter of a steal, or the first of a half that is divided";
  }
}

TEST(short_loops, a_grain_holds) {
  timed here(2);
  EXPECT_EQ(sizes_of(here, 1000, nothing_happens, 400), sizes(4, 250));
}

TEST(short_loops, whatever_elements_take_each_is_called_once) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    dice d{seed};
    timed here(1 + d.below(40));
    here.watched = d.below(2) == 0;
    std::uint32_t const one_in = 1 + d.below(500);
    std::size_t const n = d.below(20'000);
    static_cast<void>(sizes_of(here, n, [&](timed& h, std::size_t) {
      if (d.below(one_in) == 0) h.now += d.below(3000);
    }));
  }
}

/// run_timed_pieces from a state that it may be in: the sizes of its pieces.
sizes continued(timed& here, std::size_t n, std::size_t left, std::uint32_t pieces, pace known,
                std::uint64_t each = 0) {
  sizes all;
  auto const note = [&](timed& h, std::size_t begin, std::size_t end) {
    all.push_back(end - begin);
    h.now += each * (end - begin);
  };
  loop_failure failure;
  run_timed_pieces(here, n, n - left, n, pieces, known,
                   piece_body<timed>{[](void const* with, timed& h, std::size_t begin, std::size_t end) {
                                       (*static_cast<decltype(note) const*>(with))(h, begin, end);
                                     },
                                     &note},
                   failure);
  return all;
}

TEST(timed_loops, do_not_divide_an_element_and_do_not_time_what_is_last) {
  timed here(4);
  here.clock_costs = 1;
  EXPECT_EQ(continued(here, 100, 1, 4, {.ticks = 1'000'000, .elements = 1}), sizes{1});
  EXPECT_EQ(continued(here, 100, 7, 1, {}), sizes{7});
  EXPECT_EQ(here.forks, 0);
  EXPECT_EQ(here.now, 0U) << "nothing is left to decide";
  EXPECT_EQ(continued(here, 100, 2, 4, {.ticks = 1'000'000, .elements = 1}), (sizes{1, 1}));
  EXPECT_EQ(here.forks, 1);
}

/// Short by the last pace: half of a worker's share and one more, if that is more than half of a steal.
TEST(timed_loops, go_on_by_half_of_a_share_where_that_is_short) {
  timed here(1);
  here.watched = true;
  EXPECT_EQ(sizes_of(here, 4000, takes(1)), (sizes{32, 256, 2000, 1712}));
}

/// What has been short once may take four steals instead of two before it is divided.
TEST(timed_loops, of_which_a_piece_was_short_stay_whole_for_longer) {
  timed here(2);
  static_cast<void>(sizes_of(here, 4000, [](timed& h, std::size_t i) { h.now += i < 63 ? 1 : 3; }));
  EXPECT_EQ(here.forks, 0);
}

TEST(vectors, pieces_begin_at_multiples_of_sixteen_elements_where_they_are_long_enough) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    dice d{seed};
    timed here(1 + d.below(16));
    here.policy_sees = d.below(2) == 0;
    std::size_t const n = 512 + d.below(100'000);
    std::uint64_t const each = d.below(200);
    std::size_t begin = 0;
    for (std::size_t const size : sizes_of(here, n, takes(each))) {
      bool const is_long = n / usual_pieces(here.num_workers()) >= 256;
      EXPECT_EQ(is_long ? begin % 16 : 0, 0U) << begin;
      begin += size;
    }
  }
}

TEST(vectors, no_division_moves_further_than_a_thirty_second) {
  for (std::size_t begin : {0U, 16U, 48U, 1000U, 1001U}) {
    for (std::size_t n = 2; n < 3000; n += 1 + n / 50) {
      for (std::size_t at = begin + 1; at < begin + n; at += 1 + n / 50) {
        std::size_t const is = at_vector(begin, at, begin + n);
        EXPECT_LE(is > at ? is - at : at - is, n / 32) << begin << ' ' << at << ' ' << n;
        EXPECT_TRUE(begin < is && is < begin + n);
      }
    }
  }
}

TEST(cuts, tell_the_policy_of_their_sides_only_where_they_are_not_equal) {
  auto const works = [](cut c) {
    task_tree const tree = record([&](recorder& here) { join_sides(here, c, [](recorder&) {}, [](recorder&) {}); });
    std::vector<double> all;
    for (tree_node_id i = 0; i < tree.size(); ++i) {
      if (tree[i].hints.work) all.push_back(*tree[i].hints.work);
    }
    return all;
  };
  EXPECT_EQ(works(cut::of(4)), std::vector<double>{});
  EXPECT_EQ(works(cut::of(24)), (std::vector<double>{8, 16}));
}

}  // namespace
}}}  // namespace skua::v0::runtime
