// SPDX-License-Identifier: MIT
// A rank dies at each of its messages in turn, within process() and between two of them: the others go on, all from the same call, and
// every iteration that they complete has each task once.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "skua/machine/ranks/collection/mortal_for_test.hpp"
#include "skua/machine/ranks/communicator/communicator.hpp"
#include "skua/machine/ranks/transport/loopback.hpp"
#include "skua/program/collection/task_collection.hpp"
#include "tests/programs/effort.hpp"

namespace skua { inline namespace v0 { namespace ranks { namespace {

using mortal::died, mortal::mortality, mortal::fates, mortal::mortal_transport, mortal::never;

constexpr std::uint32_t ranks = 5;  // rank 1 has children in the tree of ranks
constexpr std::uint32_t iterations = 5;
constexpr std::uint64_t seeds = 20;  // of each rank
constexpr double deadline_s = 2;

struct node {
  std::uint64_t value;
  std::uint64_t children;
};

/// What one rank saw.
struct seen {
  std::vector<std::uint64_t> sums;  ///< of the iterations that were complete
  std::uint32_t losses = 0;
  std::uint32_t live = 0;
  std::string error;
};

constexpr std::uint64_t sum_of_all() {
  std::uint64_t sum = 0;
  for (std::uint64_t r = 0; r < ranks; ++r) {
    for (std::uint64_t t = 0; t < seeds; ++t) {
      sum += r * 1000 + t;
      for (std::uint64_t c = 0; c < t % 3; ++c) sum += r * 1000 + t + c;
    }
  }
  return sum;
}

/// When a rank may die.
struct plan {
  std::vector<std::pair<rank_number, std::uint64_t>>
      deaths;  ///< the rank, and after how many messages of the iterations 1 and 2
  std::vector<std::pair<rank_number, std::uint64_t>> next = {};  ///< after how many messages since the first recover()
  std::string restores = "retentive";
  std::uint64_t seed = 1;  ///< of the order of messages
};

void iterate(communicator& world, plan const& how, mortality& mine, seen& out) {
  std::uint64_t sum = 0;
  auto next = how.next;
  task_collection<node> all(world, {.name = "nodes", .on_loss = lost_tasks::run_again},
                            [&](task_site<node>& here, node& n) {
                              sum += n.value;
                              for (std::uint64_t c = 0; c < n.children; ++c) here.spawn({n.value + c, 0});
                            });
  for (std::uint64_t t = 0; t < seeds; ++t) all.add({world.rank() * 1000 + t, t % 3});
  bool is_lost = false;
  for (std::uint32_t iteration = 0; iteration < iterations;) {
    mine.counts = iteration == 1 || iteration == 2;
    try {
      if (is_lost) {
        all.recover();
        for (auto const& [rank, after] : std::exchange(next, {})) {
          if (rank == world.rank()) mine.may_send = after;
        }
      }
      is_lost = false;
      sum = 0;
      all.process();
      std::uint64_t const total = world.sum(sum);
      out.sums.push_back(total);
      static_cast<void>(all.report());
      how.restores == "local" ? all.restore() : all.restore(how.restores);
      ++iteration;
    } catch (rank_lost const& lost) {
      ++out.losses;
      if (!lost.can_go_on()) throw;
      is_lost = true;
      iteration = static_cast<std::uint32_t>(out.sums.size());
    }
  }
}

std::vector<seen> run(plan const& how) {
  auto const network = std::make_shared<loopback_network>(ranks, 0, disorder{.seed = how.seed, .delays_one_in = 8});
  fates fate(ranks);
  for (auto const& [rank, after] : how.deaths) fate[rank].may_send = after;
  std::vector<seen> all(ranks);
  std::vector<std::jthread> threads;
  for (std::uint32_t r = 0; r < ranks; ++r) {
    threads.emplace_back([&, r] {
      try {
        communicator world(std::make_unique<mortal_transport>(loopback_network::owned_end(network, r), fate));
        world.watch(deadline_s);
        iterate(world, how, fate[r], all[r]);
        all[r].live = world.live();
      } catch (died const&) {
        all[r].error = "died";
      } catch (std::exception const& e) {
        all[r].error = e.what();
      }
    });
  }
  threads.clear();
  return all;
}

seen const& first_live(std::vector<seen> const& all) {
  return *std::ranges::find_if(all, [](seen const& s) { return s.error != "died"; });
}

/// The live ranks agree, and each complete iteration is right. Returns whether a rank died.
bool check(plan const& how, std::vector<seen> const& all, bool may_fail) {
  std::uint32_t dead = 0;
  for (seen const& s : all) dead += s.error == "died" ? 1 : 0;
  seen const& first = first_live(all);
  for (std::uint32_t r = 0; r < ranks; ++r) {
    SCOPED_TRACE("rank " + std::to_string(r) + " with seed " + std::to_string(how.seed));
    seen const& s = all[r];
    if (s.error == "died") continue;
    for (std::uint64_t const sum : s.sums) EXPECT_EQ(sum, sum_of_all());
    if (!may_fail) {
      EXPECT_EQ(s.error, "");
    }
    EXPECT_EQ(s.error.empty(), first.error.empty()) << s.error << first.error;
    if (!s.error.empty()) continue;
    EXPECT_EQ(s.sums.size(), iterations);
    EXPECT_EQ(s.live, ranks - dead);
    EXPECT_EQ(s.losses, first.losses);
  }
  return dead > 0;
}

constexpr std::uint64_t most_messages = 60;

class a_rank_that_dies : public ::testing::TestWithParam<rank_number> {};

TEST_P(a_rank_that_dies, at_any_of_its_messages_is_made_up_for) {
  std::uint32_t thrown = 0;
  for (std::uint64_t n = 0; n < most_messages; ++n) {
    SCOPED_TRACE("after message " + std::to_string(n));
    plan const how{.deaths = {{GetParam(), n}}, .restores = "local", .seed = n + 1};
    std::vector<seen> const all = run(how);
    thrown += first_live(all).losses;
    if (!check(how, all, false)) break;
  }
  EXPECT_GT(thrown, 0U) << "every death was within process()";
}

TEST_P(a_rank_that_dies, where_the_ranks_choose_the_start_is_made_up_for_too) {
  for (std::uint64_t n = 1; n < most_messages; n += 3) {
    SCOPED_TRACE("after message " + std::to_string(n));
    plan const how{.deaths = {{GetParam(), n}}, .restores = "retentive", .seed = n + 1};
    if (!check(how, run(how), false)) break;
  }
}

TEST_P(a_rank_that_dies, in_a_balancer_is_made_up_for_or_ends_the_job_on_every_rank) {
  for (std::uint64_t n = 2; n < most_messages; n += 3) {
    SCOPED_TRACE("after message " + std::to_string(n));
    plan const how{.deaths = {{GetParam(), n}}, .restores = "hierarchical", .seed = n + 1};
    if (!check(how, run(how), true)) break;
  }
}

INSTANTIATE_TEST_SUITE_P(root_inner_and_leaf, a_rank_that_dies, ::testing::Values(0, 1, 3));

/// The second one has taken over the tasks of the first one.
TEST(two_ranks, that_die_one_after_the_other_are_made_up_for) {
  std::uint32_t thrown = 0;
  for (std::uint64_t n = 0; n < 8; ++n) {
    SCOPED_TRACE("after message " + std::to_string(n));
    plan const how{.deaths = {{1, 0}}, .next = {{2, n}}, .restores = "local", .seed = n + 1};
    std::vector<seen> const all = run(how);
    thrown = std::max(thrown, all[0].losses);
    if (!check(how, all, false)) break;
  }
  EXPECT_EQ(thrown, 2U);
}

TEST(leaders, that_die_one_after_the_other_are_made_up_for) {
  std::uint32_t thrown = 0;
  for (std::uint64_t n = 0; n < 40; n += testing::full_or(1U, 3U)) {
    SCOPED_TRACE("after message " + std::to_string(n));
    plan const how{.deaths = {{0, 5 + n / 4}}, .next = {{1, n}}, .restores = "local", .seed = n + 1};
    std::vector<seen> const all = run(how);
    thrown = std::max(thrown, all[2].losses);
    check(how, all, false);
  }
  EXPECT_GE(thrown, 2U);
}

/// The copies of the first one die with the second one, unless the ranks have recovered between the two.
TEST(leaders, that_die_while_the_others_agree_are_made_up_for_or_end_the_job_on_every_rank) {
  std::uint32_t complete = 0;
  for (std::uint64_t n = 0; n < 60; n += testing::full_or(1U, 4U)) {
    SCOPED_TRACE("after message " + std::to_string(n));
    plan const how{.deaths = {{0, 5 + n % 7}, {1, n}}, .restores = "local", .seed = n + 1};
    std::vector<seen> const all = run(how);
    check(how, all, true);
    complete += all[2].error.empty() ? 1 : 0;
  }
  EXPECT_GT(complete, 0U);
}

TEST(two_ranks, that_die_are_made_up_for_unless_one_had_the_copy_of_the_other) {
  for (std::uint64_t n = 0; n < 12; ++n) {
    SCOPED_TRACE("after messages " + std::to_string(n) + " and " + std::to_string(3 * n));
    plan const apart{.deaths = {{1, n}, {3, 3 * n}}, .restores = "local", .seed = n + 1};
    check(apart, run(apart), true);
  }
}

}}}}  // namespace skua::v0::ranks
