// SPDX-License-Identifier: MIT
#include "skua/machine/ranks/protocol/termination.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

namespace skua { inline namespace v0 { namespace ranks { namespace {

/// Idle ranks. Messages travel in steps: what is sent in one step arrives in the next.
class idle_ranks {
 public:
  explicit idle_ranks(rank_number ranks) {
    for (rank_number r = 0; r < ranks; ++r) all_.push_back(std::make_unique<member>(*this, r, ranks));
    for (auto& m : all_) m->end.begin();
  }

  /// Steps until all have left.
  std::uint32_t steps_to_leave() {
    std::uint32_t steps = 0;
    while (true) {
      bool all_left = true;
      for (auto& m : all_) {
        m->end.quiet({});
        all_left = all_left && m->end.left();
      }
      if (all_left) return steps;
      auto const arriving = std::exchange(sent_, {});
      for (auto const& deliver : arriving) deliver();
      messages += arriving.size();
      ++steps;
    }
  }

  termination& of(rank_number r) { return all_[r]->end; }
  std::uint64_t messages = 0;

 private:
  struct member final : tree_outbox {
    member(idle_ranks& s, rank_number r, rank_number ranks) : stage(s), end(r, ranks, *this) {}
    void send_vote(rank_number to, bool yes, task_count n) override {
      stage.sent_.push_back([this, to, yes, n] { stage.of(to).on_vote(yes, n); });
    }
    void send_decision(rank_number to, bool ended) override {
      stage.sent_.push_back([this, to, ended] { stage.of(to).on_decision(ended); });
    }
    void send_drained(rank_number to) override {
      stage.sent_.push_back([this, to] { stage.of(to).on_drained(); });
    }
    void send_leave(rank_number to) override {
      stage.sent_.push_back([this, to] { stage.of(to).on_leave(); });
    }
    idle_ranks& stage;
    termination end;
  };
  std::vector<std::unique_ptr<member>> all_;
  std::deque<std::function<void()>> sent_;
};

class any_number_of_ranks : public ::testing::TestWithParam<rank_number> {};

TEST_P(any_number_of_ranks, that_are_idle_and_clean_leave_after_one_round) {
  rank_number const ranks = GetParam();
  idle_ranks s(ranks);
  std::uint32_t const depth = std::bit_width(ranks) - 1U;
  EXPECT_LE(s.steps_to_leave(), 4 * depth);  // votes, decisions, drained, leave
  EXPECT_EQ(s.of(0).rounds(), 1U);
  EXPECT_EQ(s.messages, 4 * (std::uint64_t{ranks} - 1));
}

TEST_P(any_number_of_ranks, of_which_one_was_stolen_from_leave_after_two_rounds) {
  rank_number const ranks = GetParam();
  for (rank_number dirty : {rank_number{0}, ranks / 2, ranks - 1}) {
    idle_ranks s(ranks);
    s.of(dirty).stolen_from();
    std::uint32_t const depth = std::bit_width(ranks) - 1U;
    EXPECT_LE(s.steps_to_leave(), 6 * depth + 1);
    EXPECT_EQ(s.of(0).rounds(), 2U);
  }
}

INSTANTIATE_TEST_SUITE_P(powers_and_others, any_number_of_ranks,
                         ::testing::Values(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 31, 32, 33, 4096,
                                           16384));

TEST(termination, a_rank_that_is_not_quiet_holds_up_everybody) {
  termination* root = nullptr;
  struct sink final : tree_outbox {
    void send_vote(rank_number, bool, task_count) override {}
    void send_decision(rank_number, bool) override { ++decisions; }
    void send_drained(rank_number) override {}
    void send_leave(rank_number) override {}
    int decisions = 0;
  } out;
  termination end(0, 3, out);
  root = &end;
  end.begin();
  end.on_vote(true, {});
  end.quiet({});
  EXPECT_EQ(out.decisions, 0);
  end.on_vote(true, {});
  EXPECT_EQ(out.decisions, 0) << "the root itself is not quiet";
  root->quiet({});
  EXPECT_EQ(out.decisions, 2);
  EXPECT_TRUE(end.ended());
}

}}}}  // namespace skua::v0::ranks
