// SPDX-License-Identifier: MIT
// Each rank of a balancer runs alone, and its messages arrive in any order: together they make the plan of the balancer that does the steps
// of all ranks in one process, and no rank hears more than its share.
#include "skua/policy/balance/on_rank.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "skua/policy/balance/loads_for_test.hpp"
#include "skua/policy/balance/wave.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace balance { namespace {

std::vector<migration> sorted(std::vector<migration> all) {
  std::ranges::sort(all, {}, [](migration const& m) { return std::tuple(m.donor, m.task, m.receiver); });
  return all;
}

/// What a rank has heard at the end.
struct heard {
  std::uint64_t messages = 0;
  std::uint64_t times = 0;
};

/// A machine that delivers messages in a random order, or in the order in which they were sent.
class network {
 public:
  network(std::uint32_t ranks, std::optional<std::uint64_t> seed) : roll_(seed.value_or(0)), is_random_(seed) {
    for (std::uint32_t r = 0; r < ranks; ++r) ends_.push_back(std::make_unique<end>(*this, r, ranks));
  }
  rank_mail& mail_of(std::uint32_t rank) { return ends_[rank]->mail; }

  void deliver_all() {
    for (std::size_t first = 0; first < sent_.size();) {
      if (is_random_) {
        std::swap(sent_[roll_.below(static_cast<std::uint32_t>(sent_.size()))], sent_.back());
        auto [to, m] = std::move(sent_.back());
        sent_.pop_back();
        ends_[to]->mail.deliver(std::move(m));
      } else {
        auto [to, m] = std::move(sent_[first++]);
        ends_[to]->mail.deliver(std::move(m));
      }
    }
  }

 private:
  struct end final : mail_carrier {
    end(network& by, std::uint32_t rank, std::uint32_t ranks) : all(by), mail(*this, rank, ranks) {}
    void send(std::uint32_t to, rank_message m) override {
      EXPECT_NE(to, mail.rank());
      all.sent_.emplace_back(to, std::move(m));
    }
    network& all;
    rank_mail mail;
  };
  runtime::dice roll_;
  bool is_random_;
  std::vector<std::unique_ptr<end>> ends_;
  std::vector<std::pair<std::uint32_t, rank_message>> sent_;
};

struct outcome {
  std::vector<migration> migrations;
  std::vector<std::uint32_t> givers;
  std::vector<heard> ranks;
};

/// Runs the balancer on every rank; ranks begin in the reverse order.
outcome on_ranks(machine_loads const& loads, balancer const& by, std::uint64_t seed,
                 std::optional<std::uint64_t> order) {
  auto const ranks = static_cast<std::uint32_t>(loads.size());
  network all(ranks, order);
  std::vector<rank_steps<rank_share>> steps;
  for (std::uint32_t r = 0; r < ranks; ++r) steps.push_back(balance_on_rank(all.mail_of(r), loads[r], by, seed));
  for (std::uint32_t r = ranks; r-- > 0;) steps[r].start();
  all.deliver_all();
  outcome o;
  for (std::uint32_t r = 0; r < ranks; ++r) {
    EXPECT_TRUE(steps[r].is_done()) << "rank " << r << " waits for ever";
    if (!steps[r].is_done()) continue;
    EXPECT_TRUE(all.mail_of(r).is_empty());
    rank_share const share = steps[r].take();
    for (migration const& m : share.gives) EXPECT_EQ(m.donor, r);
    o.migrations.insert(o.migrations.end(), share.gives.begin(), share.gives.end());
    o.givers.push_back(share.givers);
    o.ranks.push_back({all.mail_of(r).messages_heard(), all.mail_of(r).times_heard()});
  }
  return o;
}

/// The machine's plan, and the givers of each rank in it.
void expect_the_plan_of_the_whole_machine(machine_loads const& loads, std::string const& how, std::uint64_t seed,
                                          std::optional<std::uint64_t> order) {
  SCOPED_TRACE(testing::Message() << how << " on " << loads.size() << " ranks, seed " << seed << ", order "
                                  << (order ? std::to_string(*order) : "as sent"));
  balancer const by = make_balancer(how);
  std::vector<migration> const whole = sorted(rebalance(loads, by, seed).migrations);
  outcome const got = on_ranks(loads, by, seed, order);
  EXPECT_EQ(sorted(got.migrations), whole);
  for (std::uint32_t r = 0; r < got.givers.size(); ++r) {
    std::vector<std::uint32_t> givers;
    for (migration const& m : whole) {
      if (m.receiver == r && (givers.empty() || givers.back() != m.donor)) givers.push_back(m.donor);
    }
    EXPECT_EQ(got.givers[r], givers.size()) << "rank " << r;
  }
}

constexpr char const* balancers_on_ranks[] = {
    "hierarchical",
    "hierarchical:arity=2,sweeps=1",
    "hierarchical:arity=7,binned",
    "hierarchical:as-published",
    "tempered",
    "tempered:iterations=2,exchanges=6,partners=3,trials=2,goal=1",
    "tempered:fanout=1,known=2,rounds=3,order=longest",
};

TEST(on_rank, in_any_order_of_messages_they_make_the_plan_of_the_whole_machine) {
  for (char const* const how : balancers_on_ranks) {
    for (std::uint32_t const ranks : {1U, 2U, 3U, 4U, 5U, 7U, 9U, 16U, 64U}) {
      for (std::uint64_t seed = 0; seed < (ranks < 20 ? 12U : 2U); ++seed) {
        machine_loads const loads = random_loads(ranks, 12, 20, seed);
        expect_the_plan_of_the_whole_machine(loads, how, seed, seed % 4 == 0 ? std::nullopt : std::optional(seed));
      }
    }
  }
}

TEST(on_rank, many_orders_on_a_few_ranks_make_the_same_plan) {
  machine_loads const loads{{40, 30, 30, 20, 9, 8, 8, 5}, {1}, {}, {25, 25}, {3, 3, 3}};
  for (char const* const how : {"hierarchical", "tempered:goal=1"}) {
    for (std::uint64_t order = 0; order < 400; ++order) expect_the_plan_of_the_whole_machine(loads, how, 3, order);
  }
}

TEST(on_rank, a_thousand_ranks_make_the_plan_of_the_whole_machine) {
  for (char const* const how : {"hierarchical", "tempered:iterations=3,exchanges=3"}) {
    expect_the_plan_of_the_whole_machine(random_loads(1000, 12, 20, 5), how, 5, 6);
  }
}

TEST(on_rank, ranks_without_tasks_and_times_that_are_no_times_end_like_any_other) {
  constexpr load_ns endless = std::numeric_limits<load_ns>::max();
  std::vector<machine_loads> const odd{{{}, {}, {}},
                                       {{0, 0, 0}, {}, {0}},
                                       {{}, {5, 5, 5, 5}, {}},
                                       {{endless, endless}, {}, {1}, {endless}},
                                       {{1}, {endless, 1, 0}, {}},
                                       {{7, 7}, {7, 7}, {7, 7}}};
  for (char const* const how : balancers_on_ranks) {
    for (machine_loads const& loads : odd) {
      for (std::uint64_t order = 0; order < 5; ++order) expect_the_plan_of_the_whole_machine(loads, how, 1, order);
    }
  }
}

TEST(on_rank, balanced_ranks_hear_of_no_task) {
  machine_loads const even(100, std::vector<load_ns>(40, 10));
  for (char const* const how : {"hierarchical", "tempered"}) {
    outcome const got = on_ranks(even, make_balancer(how), 1, 1);
    EXPECT_TRUE(got.migrations.empty());
    for (heard const& h : got.ranks) EXPECT_EQ(h.times, 0U) << how;
  }
}

/// Every eighth rank has twice the tasks. Of hierarchical the root hears of tasks that are longer than the room that the average child has
/// left, at most one per rank.
TEST(on_rank, what_a_rank_hears_grows_with_its_tasks_and_not_with_those_of_the_machine) {
  for (auto const& [how, per_task, per_rank, messages] :
       {std::tuple("hierarchical", 3U, 1U, 60U), std::tuple("tempered", 12U, 0U, 1000U)}) {
    for (auto const& [ranks, tasks] :
         {std::pair(64U, 40U), std::pair(64U, 640U), std::pair(1024U, 40U), std::pair(2048U, 80U)}) {
      machine_loads loads(ranks, std::vector<load_ns>(tasks, 10));
      for (std::uint32_t r = 0; r < ranks; r += 8) loads[r].resize(2 * tasks, 10);
      outcome const got = on_ranks(loads, make_balancer(how), 1, std::nullopt);
      EXPECT_FALSE(got.migrations.empty());
      for (heard const& h : got.ranks) {
        EXPECT_LE(h.times, per_task * 2 * tasks + per_rank * ranks) << how << " on " << ranks << ", " << tasks;
        EXPECT_LE(h.messages, messages) << how << " on " << ranks << ", " << tasks;
      }
    }
  }
}

/// A wave ends on no rank before the posts of all ranks have been heard.
rank_steps<bool> wave_of_posts(rank_mail& mail, std::vector<std::uint32_t>& heard_by) {
  std::vector<post> posts;
  for (std::uint32_t to = 0; to < mail.ranks(); ++to) {
    if (to != mail.rank() && (to + mail.rank()) % 3 == 0)
      posts.push_back({to, {.head = {.kind = rank_message_kind::ask}}});
  }
  std::function<load_ns(rank_message const&)> const hear = [&](rank_message const& m) {
    ++heard_by[mail.rank()];
    return load_ns{100} + m.head.sender;
  };
  machine_totals const all = co_await wave(mail, {.sum_low = 1, .most = mail.rank()}, std::move(posts), hear);
  std::uint32_t expected = 0;
  for (std::uint32_t to = 0; to < mail.ranks(); ++to) {
    std::uint32_t of_to = 0;
    for (std::uint32_t from = 0; from < mail.ranks(); ++from) of_to += from != to && (to + from) % 3 == 0 ? 1 : 0;
    EXPECT_EQ(heard_by[to], of_to) << "rank " << mail.rank() << " has left";
    expected += of_to;
  }
  EXPECT_EQ(all.sum_low, mail.ranks());
  if (expected > 0) {
    EXPECT_GT(all.most, 99U) << "the load after a post counts";
  }
  co_return true;
}

TEST(wave, ends_when_every_post_was_heard_in_every_order) {
  for (std::uint32_t const ranks : {1U, 2U, 3U, 4U, 7U, 16U}) {
    for (std::uint64_t order = 0; order < 200; ++order) {
      SCOPED_TRACE(testing::Message() << ranks << " ranks, order " << order);
      network all(ranks, order);
      std::vector<std::uint32_t> heard_by(ranks, 0);
      std::vector<rank_steps<bool>> steps;
      for (std::uint32_t r = 0; r < ranks; ++r) steps.push_back(wave_of_posts(all.mail_of(r), heard_by));
      for (auto& s : steps) s.start();
      all.deliver_all();
      for (auto& s : steps) EXPECT_TRUE(s.is_done() && s.take());
    }
  }
}

TEST(wave, adds_up_more_than_64_bits) {
  machine_totals all;
  for (int i = 0; i < 6; ++i) all.add({.sum_low = ~std::uint64_t{0} - 1});
  EXPECT_EQ(all.sum_high, 5U);
  EXPECT_DOUBLE_EQ(all.average(6), 18446744073709551614.0);
}

rank_steps<bool> that_throws(rank_mail& mail) {
  static_cast<void>(co_await wave(mail, {}, {}, {}));
  throw std::bad_alloc();
  co_return true;
}
rank_steps<bool> that_awaits(rank_mail& mail) { co_return co_await that_throws(mail); }

TEST(rank_steps, what_is_thrown_inside_comes_out) {
  network alone(1, std::nullopt);
  rank_steps<bool> steps = that_awaits(alone.mail_of(0));
  steps.start();
  ASSERT_TRUE(steps.is_done());
  EXPECT_THROW(static_cast<void>(steps.take()), std::bad_alloc);
}

}}}}}  // namespace skua::v0::policies::balance
