// SPDX-License-Identifier: MIT
// What ranks that know different things of a loss decide together.
#include "skua/machine/ranks/protocol/loss_agreement.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "skua/parts/base/dice.hpp"

namespace skua { inline namespace v0 { namespace ranks { namespace {

known_of_rank in_step(std::uint32_t step) {
  known_of_rank k;
  k.step = step;
  return k;
}
known_of_rank that_left(std::uint32_t step) {
  known_of_rank k = in_step(step + 1);
  k.result.emplace();
  k.result->step = step;
  return k;
}
known_of_rank that_lost(std::uint32_t step, std::vector<rank_number> dead) {
  known_of_rank k = in_step(step + 1);
  k.losses.push_back({step, dead.back(), dead, "it died"});
  return k;
}

/// Of four ranks the first one has died; the answers of the others.
loss_agreement asked(std::vector<known_of_rank> all) {
  loss_agreement a;
  live_ranks live(4);
  live.remove(0);
  std::uint32_t const question = a.ask(live, 1, all.at(0));
  for (rank_number r = 2; r < 4; ++r) {
    EXPECT_FALSE(a.is_complete());
    a.hear(r, question, all.at(r - 1));
  }
  EXPECT_TRUE(a.is_complete());
  return a;
}

TEST(loss_agreement, ranks_of_one_step_throw_in_it) {
  auto const v = asked({in_step(7), in_step(7), in_step(7)}).decide();
  EXPECT_EQ(v.hindrance, "");
  EXPECT_EQ(v.step, 7U);
}

TEST(loss_agreement, a_rank_in_the_step_before_leaves_it_with_the_result_of_the_others) {
  auto const v = asked({in_step(6), that_left(6), in_step(6)}).decide();
  EXPECT_EQ(v.hindrance, "");
  EXPECT_EQ(v.step, 7U);
  ASSERT_TRUE(v.result);
  EXPECT_EQ(v.result->step, 6U);
}

TEST(loss_agreement, what_a_call_has_returned_on_some_ranks_only_ends_the_job) {
  EXPECT_NE(asked({in_step(7), in_step(6), in_step(7)}).decide().hindrance, "");
}

TEST(loss_agreement, a_loss_that_some_ranks_have_thrown_is_thrown_by_all_and_the_new_one_after_it) {
  auto const v = asked({in_step(6), that_lost(7, {0}), that_left(6)}).decide();
  EXPECT_EQ(v.hindrance, "");
  EXPECT_EQ(v.step, 8U);
  ASSERT_EQ(v.losses.size(), 1U);
  EXPECT_EQ(v.losses[0].step, 7U);
}

TEST(loss_agreement, a_rank_that_will_throw_a_loss_counts_as_one_that_has) {
  known_of_rank told = in_step(6);
  told.losses.push_back({7, 0, {0}, "it died"});
  told.result.emplace();
  told.result->step = 6;
  EXPECT_EQ(asked({in_step(6), told, in_step(6)}).decide().step, 8U);
}

TEST(loss_agreement, steps_wrap_around) {
  EXPECT_EQ(asked({in_step(~0U), that_left(~0U), in_step(~0U)}).decide().step, 0U);
}

TEST(loss_agreement, who_is_in_a_part_of_a_call_hinders_only_in_the_last_step) {
  known_of_rank part = in_step(6);
  part.is_in_part = true;
  part.hinders_here = "in a part";
  auto const v = asked({in_step(7), part, in_step(7)}).decide();
  EXPECT_EQ(v.hindrance, "");
  EXPECT_EQ(v.step, 7U);
  part.step = 8;
  EXPECT_EQ(asked({that_left(7), part, that_left(7)}).decide().hindrance, "in a part");
  known_of_rank never = in_step(6);
  never.result = that_left(6).result;
  never.hinders = "a matrix";
  EXPECT_EQ(asked({in_step(7), never, in_step(7)}).decide().hindrance, "a matrix");
}

TEST(loss_agreement, deaths_of_which_others_know_are_news_once) {
  known_of_rank k = that_lost(6, {0, 3});
  k.dead = {0, 3};
  EXPECT_EQ(asked({in_step(7), k, in_step(7)}).news(), (std::vector<rank_number>{3}));
  k = that_lost(6, {0});
  k.dead = {0};
  EXPECT_TRUE(asked({in_step(7), k, in_step(7)}).news().empty()) << "it was not asked";
}

TEST(loss_agreement, answers_to_an_older_question_are_dropped) {
  loss_agreement a;
  live_ranks live(3);
  live.remove(0);
  std::uint32_t const before = a.ask(live, 1, in_step(1));
  std::uint32_t const now = a.ask(live, 1, in_step(1));
  a.hear(2, before, that_left(1));
  EXPECT_FALSE(a.is_complete());
  a.hear(2, now, in_step(1));
  a.hear(2, now, in_step(9));
  EXPECT_EQ(a.decide().step, 1U);
}

// A model: ranks go through reductions, the lowest live one makes the results, each of which comes to each rank at some time, or never, and leaders
// die at any moment: before, while and after they ask and tell. What counts is that no two live ranks leave a step differently.
class model {
 public:
  explicit model(std::uint64_t seed)
      : dice_(seed), all_(3 + dice_.below(4)), live_(static_cast<rank_number>(all_.size())) {}

  /// Returns the number of losses.
  std::uint32_t run() {
    for (int n = 0; n < 120; ++n) dice_.below(12) == 0 && live_.size() > 1 ? lose() : leave_some();
    return losses_;
  }

 private:
  struct rank {
    std::uint32_t step = 1;
    std::vector<known_loss> losses;
    std::optional<known_result> result;
    std::map<std::uint32_t, std::string> left;  ///< how, by step
  };

  void leave(rank_number r, std::string const& how) {
    rank& me = all_[r];
    live_.each([&](rank_number other) {
      auto const at = all_[other].left.find(me.step);
      if (at != all_[other].left.end()) {
        EXPECT_EQ(at->second, how) << "rank " << r << " and " << other << " in step " << me.step;
      }
    });
    me.left[me.step++] = how;
  }
  /// Throws what it knows.
  void throw_losses(rank_number r) {
    rank& me = all_[r];
    auto const known = [&] { return std::ranges::find(me.losses, me.step, &known_loss::step) != me.losses.end(); };
    while (known()) leave(r, "loss");
  }
  /// A rank leaves a step with its result: that of the leader, once all have come to it, or that which another one has had.
  void leave_some() {
    rank_number const r = live_.at(dice_.below(live_.size()));
    std::uint32_t const step = all_[r].step;
    bool all_there = true;
    bool has_left = false;
    live_.each([&](rank_number o) {
      all_there = all_there && all_[o].step >= step;
      auto const how = all_[o].left.find(step);
      has_left = has_left || (how != all_[o].left.end() && how->second == "result");
    });
    if (!all_there || !(has_left || r == live_.at(0))) return;
    all_[r].result.emplace();
    all_[r].result->step = step;
    leave(r, "result");
  }
  [[nodiscard]] known_of_rank known(rank_number r) const {
    known_of_rank k = in_step(all_[r].step);
    k.losses = all_[r].losses;
    k.result = all_[r].result;
    return k;
  }
  /// The leader dies; its successor agrees with the others, or dies as well after it has told some of them.
  void lose() {
    live_.remove(live_.at(0));
    rank_number const leader = live_.at(0);
    loss_agreement a;
    std::uint32_t const question = a.ask(live_, leader, known(leader));
    live_.each([&](rank_number r) {
      if (r != leader) a.hear(r, question, known(r));
    });
    auto v = a.decide();
    ASSERT_EQ(v.hindrance, "");
    std::vector<rank_number> const dead(live_.dead().begin(), live_.dead().end());
    v.losses.push_back({v.step, dead.back(), dead, "it died"});
    bool const dies = live_.size() > 1 && dice_.below(2) == 0;
    live_.each([&](rank_number r) {
      if (dies && (r == leader || dice_.below(2) == 0)) return;
      all_[r].losses = v.losses;
      if (v.result && v.result->step == all_[r].step) {
        all_[r].result = v.result;
        leave(r, "result");
      }
      throw_losses(r);
      EXPECT_EQ(all_[r].step, v.step + 1);
    });
    ++losses_;
    if (dies) lose();
  }

  runtime::dice dice_;
  std::vector<rank> all_;
  live_ranks live_;
  std::uint32_t losses_ = 0;
};

TEST(loss_agreement, no_two_ranks_leave_a_step_differently_whichever_leaders_die) {
  std::uint32_t losses = 0;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    losses += model(seed).run();
    if (::testing::Test::HasFailure()) break;
  }
  EXPECT_GT(losses, 1000U);
}

}}}}  // namespace skua::v0::ranks
