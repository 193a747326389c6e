// SPDX-License-Identifier: MIT
// Pieces of a loop whose elements take longer than those of others: divided further while thieves find nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "skua/parts/base/dice.hpp"
#include "skua/program/pieces.hpp"

namespace skua { inline namespace v0 { namespace runtime {
namespace {

/// Runs children in order; elements move its clock. `hungry`: thieves take each fork at once; else they come for none.
class watched_by_thieves {
 public:
  watched_by_thieves(std::uint32_t workers, bool hungry) : workers_(workers), hungry_(hungry) {}

  template <class F, class G>
  void join(F&& f, G&& g) {
    ++forks;
    ++offered_;
    f(*this);
    --offered_;
    g(*this);
  }
  template <class F, class G>
  void join(work, F&& f, work, G&& g) {
    join(f, g);
  }
  [[nodiscard]] std::uint32_t num_workers() const noexcept { return workers_; }
  [[nodiscard]] static bool stop_requested() noexcept { return false; }
  [[nodiscard]] friend bool sees_forks(watched_by_thieves const& h) noexcept { return h.policy_sees; }
  [[nodiscard]] friend bool may_be_stopped(watched_by_thieves const&) noexcept { return false; }
  [[nodiscard]] friend bool offers_forks(watched_by_thieves const& h) noexcept { return !h.hungry_ && h.offered_ > 0; }
  [[nodiscard]] friend std::uint64_t ticks_of(watched_by_thieves const& h) noexcept { return h.now; }
  [[nodiscard]] friend std::uint64_t short_loop_ticks(watched_by_thieves const&) noexcept { return 4000; }

  int forks = 0;
  std::uint64_t now = 0;
  bool policy_sees = false;

 private:
  std::uint32_t workers_;
  bool hungry_;
  int offered_ = 0;
};

}  // namespace

template <>
inline constexpr bool is_checked_fork_join<watched_by_thieves> = true;

namespace {

static_assert(divides_lazily<watched_by_thieves>);

struct noted_piece {
  std::size_t begin;
  std::size_t end;
  std::uint64_t ticks;
};

/// Runs [0, n), whose element i takes ticks_of_element(i). Fails unless each is in one piece.
template <class Ticks>
std::vector<noted_piece> run_and_note(watched_by_thieves& here, std::size_t n, Ticks const& ticks_of_element,
                                      std::size_t most = 1) {
  std::vector<noted_piece> all;
  auto const note = [&](watched_by_thieves& h, std::size_t begin, std::size_t end) {
    std::uint64_t const before = h.now;
    for (std::size_t i = begin; i < end; ++i) h.now += ticks_of_element(i);
    all.push_back({begin, end, h.now - before});
  };
  run_usual_pieces(
      here, n, most,
      piece_body<watched_by_thieves>{[](void const* with, watched_by_thieves& h, std::size_t begin, std::size_t end) {
                                       (*static_cast<decltype(note)*>(with))(h, begin, end);
                                     },
                                     &note});
  std::vector<noted_piece> sorted = all;
  std::ranges::sort(sorted, {}, &noted_piece::begin);
  std::size_t end = 0;
  for (noted_piece const& p : sorted) {
    EXPECT_EQ(p.begin, end);
    end = p.end;
  }
  EXPECT_EQ(end, n);
  return all;
}

std::uint64_t longest_of(std::vector<noted_piece> const& all) {
  return std::ranges::max(all, {}, &noted_piece::ticks).ticks;
}

constexpr auto falling = [](std::size_t i) { return 40'000'000 / (i + 10); };

TEST(uneven_loops, are_divided_until_no_piece_holds_the_others) {
  for (std::size_t const n : {1000U, 10'000U, 100'000U}) {
    for (std::uint32_t const workers : {2U, 4U, 8U, 64U}) {
      SCOPED_TRACE(::testing::Message() << n << " elements, " << workers << " workers");
      watched_by_thieves here(workers, true);
      std::vector<noted_piece> const all = run_and_note(here, n, falling);
      EXPECT_LE(longest_of(all), here.now / 4)
          << "up to 32 elements are called before anything is known, a fifth of the work of 10,000";
    }
  }
}

TEST(uneven_loops, fork_no_more_while_thieves_find_something) {
  watched_by_thieves hungry(2, true);
  watched_by_thieves sated(2, false);
  static_cast<void>(run_and_note(hungry, 10'000, falling));
  static_cast<void>(run_and_note(sated, 10'000, falling));
  EXPECT_LT(2 * sated.forks, hungry.forks);
}

TEST(uneven_loops, whose_pieces_are_short_are_left_alone) {
  for (bool const hungry : {false, true}) {
    watched_by_thieves here(4, hungry);
    static_cast<void>(run_and_note(here, 100'000, [](std::size_t) { return std::uint64_t{1}; }));
    EXPECT_EQ(here.forks, 31) << "32 pieces of 3125 ticks";
  }
}

TEST(uneven_loops, whose_forks_the_policy_sees_have_the_same_tree_every_time) {
  watched_by_thieves here(2, true);
  here.policy_sees = true;
  EXPECT_EQ(run_and_note(here, 10'000, falling).size(), 16U);
}

TEST(uneven_loops, keep_to_the_grain) {
  for (std::size_t const most : {1U, 10U, 100U, 1000U}) {
    watched_by_thieves here(2, true);
    std::size_t least = 100'000;
    for (noted_piece const& p : run_and_note(here, 100'000, falling, most)) least = std::min(least, p.end - p.begin);
    EXPECT_GE(least, most / 2) << "a piece of more than " << most << " elements is halved at most once more";
  }
}

TEST(uneven_loops, call_each_element_once) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    dice random(seed);
    watched_by_thieves here(1 + static_cast<std::uint32_t>(random.below(16)), random.below(2) == 0);
    std::size_t const n = 1 + random.below(random.below(2) == 0 ? 2000U : 200'000U);
    std::uint64_t const step = 1 + random.below(static_cast<std::uint32_t>(n));
    std::uint64_t const high = random.below(100'000);
    std::vector<noted_piece> const all =
        run_and_note(here, n, [&](std::size_t i) { return i / step % 2 == 0 ? high : i % 7; }, 1 + random.below(50));
    EXPECT_LE(static_cast<std::uint64_t>(here.forks), usual_pieces(here.num_workers()) + here.now / 16'000);
  }
}

}  // namespace
}}}  // namespace skua::v0::runtime
