// SPDX-License-Identifier: MIT
#include "skua/machine/ranks/simulated/simulated_ranks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "skua/machine/ranks/simulated/waiting_thieves.hpp"
#include "skua/parts/base/dice.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/policy/balance/locality.hpp"
#include "skua/policy/lifelines.hpp"

namespace skua { inline namespace v0 { namespace ranks { namespace {

std::vector<std::uint64_t> durations(std::uint32_t n, std::uint64_t mean_ns, std::uint64_t seed = 1) {
  runtime::dice dice(seed);
  std::vector<std::uint64_t> all(n);
  for (auto& d : all) d = mean_ns / 4 + dice.below(static_cast<std::uint32_t>(mean_ns * 3 / 2));
  return all;
}

void deal(simulated_ranks& s, std::uint32_t ranks, std::uint32_t tasks) {
  for (std::uint32_t t = 0; t < tasks; ++t) s.seed(t % ranks, t);
}

void expect_each_once(simulated_ranks const& s, std::uint32_t tasks) {
  std::vector<int> runs(tasks);
  for (auto const& rank : s.executed()) {
    for (std::uint32_t const t : rank) ++runs[t];
  }
  EXPECT_TRUE(std::ranges::all_of(runs, [](int n) { return n == 1; }));
}

TEST(simulated_ranks, run_every_task_once) {
  for (std::uint32_t const ranks : {1U, 2U, 3U, 24U, 25U, 500U}) {
    auto const d = durations(2000, 100'000);
    simulated_ranks s(cluster_named("hopper"), ranks, d, {});
    for (std::uint32_t t = 0; t < d.size(); ++t) s.seed(0, t);
    simulated_iteration const r = s.process();
    expect_each_once(s, 2000);
    EXPECT_GE(r.seconds, r.ideal_seconds);
    EXPECT_GE(r.seconds, r.last_task_s);
    EXPECT_LE(r.rounds, 50U);
    EXPECT_NEAR(r.tasks.mean, 2000.0 / ranks, 1e-9);
  }
}

TEST(simulated_ranks, on_lifelines_run_every_task_once) {
  for (std::uint32_t const ranks : {1U, 2U, 3U, 24U, 25U, 500U}) {
    auto const d = durations(2000, 100'000);
    simulated_ranks s(cluster_named("hopper"), ranks, d, {.lifelines = true});
    for (std::uint32_t t = 0; t < d.size(); ++t) s.seed(t % std::min(ranks, 2U), t);
    simulated_iteration const r = s.process();
    expect_each_once(s, 2000);
    // A rank asks a few at random and each buddy once until it gets tasks.
    double const most = policies::lifelines::random_tries + std::bit_width(ranks - 1);
    EXPECT_LE(r.attempted.mean * ranks, most * (static_cast<double>(r.moved) + ranks)) << ranks;
  }
}

TEST(simulated_ranks, on_lifelines_ask_no_more_often_where_a_task_takes_longer) {
  auto const attempts = [](bool lifelines, std::uint64_t task_ns) {
    std::vector<std::uint64_t> const d{task_ns};
    simulated_ranks s(cluster_named("hopper"), 100, d, {.lifelines = lifelines});
    s.seed(0, 0);
    return s.process().attempted.mean;
  };
  EXPECT_EQ(attempts(true, 1'000'000'000), attempts(true, 10'000'000));
  EXPECT_GT(attempts(false, 1'000'000'000), 20 * attempts(false, 10'000'000));
}

TEST(simulated_ranks, give_the_same_run_for_the_same_seed_and_another_for_another) {
  auto const d = durations(3000, 50'000);
  auto const once = [&](std::uint64_t seed) {
    simulated_ranks s(cluster_named("titan"), 100, d, {.seed = seed});
    for (std::uint32_t t = 0; t < d.size(); ++t) s.seed(t % 3, t);
    simulated_iteration const r = s.process();
    return std::pair(r.seconds, r.events);
  };
  EXPECT_EQ(once(7), once(7));
  EXPECT_NE(once(7), once(8));
}

TEST(simulated_ranks, end_with_what_is_thrown_in_the_middle) {
  auto const d = durations(20'000, 50'000);
  simulated_ranks s(cluster_named("titan"), 100, d, {.interruption_point = [] { throw std::runtime_error("stop"); }});
  for (std::uint32_t t = 0; t < d.size(); ++t) s.seed(0, t);
  EXPECT_THROW(static_cast<void>(s.process()), std::runtime_error);
}

// One rank: the time is what the durations and the overheads add up to.
TEST(simulated_ranks, of_one_rank_take_the_sum_of_its_tasks) {
  std::vector<std::uint64_t> const d{1000, 2000, 3000};
  cluster where = cluster_named("hopper");
  where.task_overhead_ns = 10;
  simulated_ranks s(where, 1, d, {});
  deal(s, 1, 3);
  EXPECT_DOUBLE_EQ(s.process().seconds, 6030e-9);
  EXPECT_EQ(s.executed()[0], (std::vector<std::uint32_t>{0, 1, 2}));
}

// Two ranks of different nodes, one task: four waves of termination, two votes up and down, and no more than that after the last attempt.
TEST(simulated_ranks, that_do_not_steal_end_after_the_slowest_and_two_rounds_of_messages) {
  std::vector<std::uint64_t> const d{1'000'000};
  cluster where = cluster_named("hopper");
  where.ranks_per_node = 1;
  where.nodes_per_switch = 1;
  where.task_overhead_ns = 0;
  simulated_ranks s(where, 2, d, {.steals = false});
  s.seed(0, 0);
  simulated_iteration const r = s.process();
  EXPECT_EQ(r.messages, 4U);  // vote, decision, drained, leave
  double const message_s = 1e-9 * static_cast<double>(where.in_system.latency_ns + where.handler_ns + 11);
  EXPECT_NEAR(r.seconds, 1e-3 + 3 * message_s, 1e-9);
}

// The code of real ranks chooses: rank 0 of them calls prefer_owners as this does.
TEST(simulated_ranks, start_tasks_near_their_data_at_the_same_load) {
  constexpr std::uint32_t ranks = 64;
  constexpr std::uint32_t tasks = ranks * 50;
  constexpr double tolerance = 0.02;
  auto const d = durations(tasks, 1'000'000);
  // A task needs two blocks: as pairs of tiles do, of a matrix by rows and of its transpose.
  std::vector<policies::balance::owner_footprint> needs;
  for (std::uint32_t t = 0; t < tasks; ++t) {
    std::vector<policies::balance::owner_footprint::share> shares{{3000, t / 50}};
    if (std::uint32_t const other = (t * 7 + 1) % ranks; other != t / 50) shares.push_back({1000, other});
    needs.push_back(policies::balance::footprint_of(shares));
  }
  simulated_ranks s(cluster_named("hopper"), ranks, d, {});
  deal(s, ranks, tasks);
  std::vector<std::uint64_t> away;
  std::vector<double> seconds;
  for (int iteration = 0; iteration < 3; ++iteration) {
    seconds.push_back(s.process().seconds);
    expect_each_once(s, tasks);
    std::vector<std::uint32_t> number;
    std::vector<policies::balance::placed_task> placed;
    for (std::uint32_t r = 0; r < ranks; ++r) {
      for (std::uint32_t const t : s.executed()[r]) {
        number.push_back(t);
        placed.push_back({d[t], r, needs[t]});
      }
    }
    auto const found = policies::balance::prefer_owners(placed, ranks, tolerance);
    away.push_back(found.away_before);
    for (std::size_t n = 0; n < number.size(); ++n) s.seed(found.ranks[n], number[n]);
    s.stealing(false);
  }
  EXPECT_LT(away[1], away[0] / 2) << "most tasks have gone to their data";
  EXPECT_LE(away[2], away[1]);
  EXPECT_LE(seconds[1], seconds[0] * (1 + tolerance));
}

TEST(simulated_ranks, that_retain_their_tasks_steal_less_in_each_iteration) {
  constexpr std::uint32_t ranks = 240;
  constexpr std::uint32_t tasks = 240 * 40;
  auto const d = durations(tasks, 1'000'000);
  simulated_ranks s(cluster_named("hopper"), ranks, d, {});
  for (std::uint32_t t = 0; t < tasks; ++t) s.seed(t % ranks / 2, t);  // half of the ranks have everything
  std::vector<simulated_iteration> all;
  for (int i = 0; i < 5; ++i) {
    all.push_back(s.process());
    expect_each_once(s, tasks);
    for (std::uint32_t r = 0; r < ranks; ++r) {
      for (std::uint32_t const t : s.executed()[r]) s.seed(r, t);
    }
  }
  EXPECT_GT(all[0].successful.mean, 3 * all[4].successful.mean);
  EXPECT_GE(all[4].efficiency, all[0].efficiency);
  EXPECT_GT(all[4].efficiency, 0.9);
}

TEST(simulated_ranks, whose_node_has_no_server_thread_answer_after_their_task) {
  auto const d = durations(100, 10'000'000);
  cluster served = cluster_named("hopper");
  cluster polling = served;
  polling.polling = true;
  auto const seconds = [&](cluster const& where) {
    simulated_ranks s(where, 48, d, {});
    for (std::uint32_t t = 0; t < d.size(); ++t) s.seed(0, t);
    return s.process().seconds;
  };
  EXPECT_LT(seconds(served), seconds(polling));
}

/// 50 tasks per rank, of 10 ms in the mean; those of rank 0 are the longest, and each rank runs its longest one last.
double over_ideal(std::uint32_t ranks, std::uint64_t patience_ns, std::uint64_t seed) {
  std::uint32_t const tasks = 50 * ranks;
  std::vector<std::uint64_t> d;
  for (std::uint32_t t = 0; t < tasks; ++t) {
    d.push_back(static_cast<std::uint64_t>(1e7 / 1.2 * (0.2 + 12 * std::exp(-12.0 * t / tasks))));
  }
  cluster where = cluster_named("hopper");
  where.polling = true;
  simulated_ranks s(where, ranks, d, {.seed = seed, .patience_ns = patience_ns});
  for (std::uint32_t t = tasks; t-- > 0;) s.seed(t / 50, t);
  simulated_iteration const r = s.process();
  return r.seconds / r.ideal_seconds;
}

TEST(simulated_ranks, that_answer_after_their_tasks_lose_less_time_if_thieves_ask_others_while_they_wait) {
  for (std::uint32_t const ranks : {4U, 16U, 64U}) {
    double waits = 0;
    double asks = 0;
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
      waits += over_ideal(ranks, 0, seed) / 30;
      asks += over_ideal(ranks, 1'000'000, seed) / 30;
    }
    EXPECT_LT(asks - 1, 0.85 * (waits - 1)) << ranks << " ranks: " << asks << " and " << waits;
    RecordProperty("over_ideal_of_" + std::to_string(ranks),
                   std::to_string(asks) + " instead of " + std::to_string(waits));
  }
}

TEST(simulated_ranks, are_busy_for_the_sum_of_their_tasks) {
  auto const d = durations(500, 200'000);
  simulated_ranks s(cluster_named("intrepid"), 16, d, {});
  deal(s, 16, 500);
  simulated_iteration const r = s.process();
  double const mean_busy = std::accumulate(r.busy.begin(), r.busy.end(), 0.0) / static_cast<double>(r.busy.size());
  EXPECT_NEAR(mean_busy * r.seconds, r.ideal_seconds + 1e-9 * 600 * 500 / 16, 0.02 * r.ideal_seconds);
}

struct mean_of_seeds {
  double seconds = 0;
  double successful = 0;
  double attempted = 0;
  double events = 0;
};

/// Two iterations on 480 ranks of which every eighth has all tasks, the second; over 12 seeds.
mean_of_seeds over_seeds(bool every_attempt) {
  constexpr std::uint32_t ranks = 480;
  constexpr double seeds = 12;
  mean_of_seeds mean;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    auto const d = durations(ranks * 12, 20'000'000, seed);
    simulated_ranks s(cluster_named("hopper"), ranks, d,
                      {.seed = seed, .longest_pause_ns = 500'000, .every_attempt = every_attempt});
    for (std::uint32_t t = 0; t < d.size(); ++t) s.seed(t % ranks / 8 * 8, t);
    for (int iteration = 0; iteration < 2; ++iteration) {
      simulated_iteration const r = s.process();
      expect_each_once(s, static_cast<std::uint32_t>(d.size()));
      mean.seconds += r.seconds / seeds;
      mean.successful += r.successful.mean / seeds;
      mean.attempted += r.attempted.mean / seeds;
      mean.events += static_cast<double>(r.events) / seeds;
      for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        for (std::uint32_t const t : s.executed()[rank]) s.seed(rank, t);
      }
    }
  }
  return mean;
}

// Means over seeds 1 to 12. The tolerances are about three times the spread of such a mean.
TEST(simulated_ranks, whose_failed_attempts_are_drawn_do_as_if_they_had_been_sent) {
  mean_of_seeds const sent = over_seeds(true);
  mean_of_seeds const drawn = over_seeds(false);
  EXPECT_NEAR(drawn.seconds, sent.seconds, 0.03 * sent.seconds);
  EXPECT_NEAR(drawn.successful, sent.successful, 0.05 * sent.successful);
  EXPECT_NEAR(drawn.attempted, sent.attempted, 0.10 * sent.attempted);
  EXPECT_LT(drawn.events, 0.5 * sent.events);
}

TEST(attempt_times, are_those_that_a_thief_without_luck_keeps) {
  attempt_times const times(1000, 100, 1600, 250);
  std::vector<std::uint64_t> const at{1000, 1250, 1500, 1900, 2700, 4300, 5900};
  for (std::uint64_t n = 0; n < at.size(); ++n) {
    EXPECT_EQ(times.at(n), at[n]);
    EXPECT_EQ(times.before(at[n]), n);
    EXPECT_EQ(times.before(at[n] + 1), n + 1);
  }
  EXPECT_EQ(times.before(0), 0U);
}

// One rank in ten gives, then all: so many requests of a thief fail before it asks.
TEST(waiting_thieves, ask_those_that_give_as_often_as_a_uniform_choice_would) {
  constexpr std::uint32_t ranks = 1001;
  waiting_thieves all(ranks, 3);
  for (std::uint32_t r = 1; r <= 100; ++r) static_cast<void>(all.note(r, true));
  std::vector<int> asked(ranks);
  double attempts = 0;
  for (int i = 0; i < 20'000; ++i) {
    for (;;) {
      static_cast<void>(all.wait(0, attempt_times(0, 1, 1, 1)));
      auto const drawn = all.request(0);
      attempts += static_cast<double>(drawn.earlier.attempts);
      if (!drawn.victim) continue;
      ++asked[*drawn.victim];
      break;
    }
  }
  EXPECT_NEAR(attempts / 20'000, 9, 0.3);
  for (std::uint32_t r = 1; r <= 100; ++r) EXPECT_NEAR(asked[r], 200, 80);
  EXPECT_EQ(std::accumulate(asked.begin() + 1, asked.begin() + 101, 0), 20'000);
}

TEST(clusters, are_found_by_name_or_refused_with_the_names_that_exist) {
  EXPECT_EQ(cluster_named("titan").ranks_per_node, 16U);
  try {
    static_cast<void>(cluster_named("summit"));
    FAIL();
  } catch (usage_error const& e) {
    EXPECT_NE(std::string(e.what()).find("hopper, intrepid, titan"), std::string::npos);
  }
}

/// What the reader says of the file of hopper with this text in place of that.
std::string refused(std::string const& that, std::string const& text) {
  std::string all = R"(name = "small"
about = "two cores"
[layout]
ranks_per_node = 2
nodes_per_switch = 1
[node]
latency_ns = { value = 5, assumed = true, low = 1, high = 9, source = "nobody" }
bytes_per_ns = 1.5
[switch]
latency_ns = 10
bytes_per_ns = 1
[system]
latency_ns = 20
bytes_per_ns = 1
[runtime]
server_thread = false
handler_ns = 3
task_overhead_ns = 0
balance_step_ns = 7
)";
  if (auto const at = all.find(that); !that.empty() && at != std::string::npos) all.replace(at, that.size(), text);
  try {
    cluster const c = parse_cluster(all, "small.toml");
    EXPECT_EQ(c.assumed, "node.latency_ns");
    EXPECT_EQ(c.in_node.latency_ns, 5U);
    EXPECT_EQ(c.in_node.bytes_per_s, 1.5e9);
    EXPECT_EQ(c.balance_step_ns, 7U);
    EXPECT_TRUE(c.polling);
    return "";
  } catch (usage_error const& e) {
    return e.what();
  }
}

TEST(clusters, are_read_from_files_or_refused_with_the_line) {
  EXPECT_EQ(refused("", ""), "");
  EXPECT_EQ(refused("handler_ns = 3", "handler = 3"),
            "small.toml:17: there is no key handler in [runtime]; allowed: handler_ns, task_overhead_ns, "
            "balance_step_ns, server_thread");
  EXPECT_EQ(refused("ranks_per_node = 2", "ranks_per_node = 2.5"),
            "small.toml:4: layout.ranks_per_node must be a whole number from 1 to 1000000");
  EXPECT_EQ(refused("bytes_per_ns = 1.5", "bytes_per_ns = nan"),
            "small.toml:8: node.bytes_per_ns must be a number from 0.000001 to 1000000");
  EXPECT_EQ(refused(", low = 1, high = 9", ""),
            "small.toml:7: node.latency_ns.low is missing; an assumed figure has low and high");
  EXPECT_EQ(refused("low = 1", "low = 6"), "small.toml:7: node.latency_ns: allowed: low <= value <= high");
  EXPECT_EQ(refused("[system]\nlatency_ns = 20\n", "[system]\n"),
            "small.toml:12: system.latency_ns is missing; allowed: a number from 0 to 1000000000000");
  EXPECT_EQ(refused("server_thread = false", "server_thread = 1"),
            "small.toml:16: runtime.server_thread must be true or false");
  EXPECT_TRUE(refused("[layout]", "[layout").starts_with("small.toml:3: this is not TOML"));
}

TEST(clusters, know_how_far_apart_two_ranks_are) {
  cluster const hopper = cluster_named("hopper");
  EXPECT_EQ(hopper.between(0, 23), cluster::level::node);
  EXPECT_EQ(hopper.between(0, 24), cluster::level::switch_);
  EXPECT_EQ(hopper.between(0, 48), cluster::level::system);
}

}}}}  // namespace skua::v0::ranks
