// SPDX-License-Identifier: MIT
// What a collection reports of each rank agrees with what it reports of all, and with what other parts have counted.
#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "skua/distributed_matrix.hpp"
#include "skua/machine/ranks/transport/ranks_for_test.hpp"
#include "skua/rank_pool.hpp"
#include "skua/ranks.hpp"

namespace skua { inline namespace v0 { namespace ranks { namespace {

struct reported_task {
  std::uint64_t id;
  std::uint64_t turns;
};
/// The task, its mark, and nothing to pad: what travels of each.
constexpr std::uint64_t slot_bytes_of_reported = 32;

void turn(std::uint64_t turns) {
  std::atomic<std::uint64_t> spun{0};
  for (std::uint64_t n = 0; n < turns * 100; ++n)
    spun.fetch_add(1, std::memory_order_relaxed);  // relaxed: only takes time
}

class reports : public on_each_number_of_ranks {};

std::uint64_t total(ranks_report const& r, std::uint64_t rank_report::* figure) {
  std::uint64_t sum = 0;
  for (rank_report const& one : r.ranks) sum += one.*figure;
  return sum;
}

TEST_P(reports, of_the_ranks_add_up_to_the_report_of_all) {
  on_ranks(GetParam(), [&](communicator& world) {
    task_collection<reported_task> all(world, {.name = "reported"}, [](reported_task const& t) {
      turn(t.turns);
      return t.id % 5 == 0 ? task_outcome::null : task_outcome::done;
    });
    if (world.rank() == 0) {
      for (std::uint64_t id = 0; id < 200; ++id) all.add({id, 1 + id % 30});
    }
    for (std::uint32_t iteration = 1; iteration <= 3; ++iteration) {
      all.process();
      collection_report const sums = all.report();
      ranks_report const each = all.report_by_rank();
      EXPECT_EQ(each.iteration, iteration);
      std::vector<rank_report> const everywhere = world.allgather(all.own_report());
      EXPECT_EQ(everywhere[world.rank()].rank, world.rank());
      EXPECT_EQ(everywhere[world.rank()].kept, all.num_recorded());
      if (world.rank() != 0) {
        EXPECT_TRUE(each.ranks.empty());
      } else {
        ASSERT_EQ(each.ranks.size(), world.size());
        for (std::uint32_t r = 0; r < world.size(); ++r) {
          EXPECT_EQ(each.ranks[r].rank, r);
          EXPECT_EQ(each.ranks[r].tasks, everywhere[r].tasks);
          EXPECT_LE(each.ranks[r].busy, each.ranks[r].seconds * 1.000001);
        }
        EXPECT_EQ(total(each, &rank_report::tasks), sums.tasks);
        EXPECT_EQ(total(each, &rank_report::kept), sums.kept);
        EXPECT_EQ(total(each, &rank_report::attempted), sums.attempted);
        EXPECT_EQ(total(each, &rank_report::successful), sums.successful);
        EXPECT_EQ(total(each, &rank_report::stolen), sums.moved);
        EXPECT_EQ(total(each, &rank_report::given), sums.moved);
        EXPECT_EQ(total(each, &rank_report::received), sums.moved * slot_bytes_of_reported);
        EXPECT_EQ(total(each, &rank_report::sent), sums.moved * slot_bytes_of_reported);
        EXPECT_EQ(each.of(&rank_report::seconds).greatest, sums.seconds);
        EXPECT_NEAR(each.of(&rank_report::busy).mean, sums.mean_busy, 1e-9);
        EXPECT_NEAR(each.of(&rank_report::busy).greatest, sums.most_busy, 1e-8);
        EXPECT_NE(in_words(each).find("imbalance of busy"), std::string::npos);
      }
      all.restore();
    }
  });
}

TEST_P(reports, count_what_balancing_moves_until_the_next_process) {
  on_ranks(GetParam(), [&](communicator& world) {
    task_collection<reported_task> all(world, {.name = "balanced", .steals = false},
                                       [](reported_task const& t) { turn(t.turns); });
    EXPECT_EQ(all.own_report().tasks, 0U) << "before the first process()";
    EXPECT_EQ(all.own_report().rank, world.rank());
    if (world.rank() == 0) {
      for (std::uint64_t id = 0; id < 60; ++id) all.add({id, 20});
    }
    all.process();
    EXPECT_EQ(all.own_report().balancing, 0);
    all.rebalance("hierarchical");
    all.restore();
    std::uint64_t const moved = world.sum(world.rank() == 0 ? std::uint64_t{0} : all.num_waiting());
    EXPECT_EQ(all.own_report().sent, 0U) << "that of the last process()";
    all.process();
    rank_report const own = all.own_report();
    EXPECT_EQ(own.sent > 0, moved > 0 && world.rank() == 0);
    EXPECT_EQ(world.sum(own.sent), world.sum(own.received));
    EXPECT_GE(world.sum(own.sent), moved * sizeof(reported_task));
    EXPECT_GT(own.balancing, 0);
    EXPECT_EQ(own.stolen, 0U);
    all.restore();
    all.process();
    EXPECT_EQ(all.own_report().sent, 0U) << "nothing moved since";
  });
}

TEST_P(reports, count_transfers_of_the_tasks_only) {
  on_ranks(GetParam(), [&](communicator& world) {
    std::uint64_t const n = 8 * world.size();
    distributed_matrix<double> m(world, n, 4, matrix_distribution::by_rows(), {.name = "reported"});
    task_collection<reported_task> all(world, {.name = "gets", .steals = false}, [&](reported_task const& t) {
      std::vector<double> rows = m.get({t.id, 0, 2, 4});
      m.accumulate({t.id, 0, 1, 4}, rows.data(), 4);
      m.put({t.id + 1, 0, 1, 3}, rows.data(), 4);
    });
    // Its neighbour's part: with one rank its own.
    all.add({(8 * (world.rank() + 1)) % n, 0});
    static_cast<void>(m.get({0, 0, n, 4}));
    m.sync();
    m.reset_traffic();
    all.process();
    rank_report const own = all.own_report();
    matrix_traffic const counted = m.traffic();
    m.sync();
    EXPECT_EQ(own.got, counted.remote_get.bytes);
    EXPECT_EQ(own.got, world.size() == 1 ? 0U : 8 * sizeof(double));
    EXPECT_EQ(own.accumulated, world.size() == 1 ? 0U : 4 * sizeof(double));
    EXPECT_EQ(own.put, world.size() == 1 ? 0U : 3 * sizeof(double));
    all.restore();
    all.process();
    EXPECT_EQ(all.own_report().got, own.got) << "of the last process() alone";
    m.sync();
  });
}

TEST_P(reports, of_ranks_with_several_workers_have_the_mean_of_them) {
  on_ranks(GetParam(), [&](communicator& world) {
    pool threads(2);
    rank_pool const workers(world, threads);
    task_collection<reported_task> all(world, {.name = "of workers"}, [](reported_task const& t) { turn(t.turns); });
    for (std::uint64_t id = 0; id < 40; ++id) all.add({id, 5});
    all.process();
    rank_report const own = all.own_report();
    EXPECT_EQ(own.workers, 2U);
    EXPECT_EQ(world.sum(own.tasks), 40U * world.size());
    EXPECT_LE(own.busy, own.seconds * 1.000001);
  });
}

INSTANTIATE_TEST_SUITE_P(of_ranks, reports, ::testing::ValuesIn(numbers_of_ranks()));

TEST(a_report_of_ranks, has_least_mean_and_greatest_of_each_figure) {
  ranks_report r{
      .iteration = 3,
      .ranks = {
          {.rank = 0, .tasks = 4, .busy = 3}, {.rank = 2, .tasks = 1, .busy = 1}, {.rank = 3, .tasks = 1, .busy = 2}}};
  spread const busy = r.of(&rank_report::busy);
  EXPECT_EQ(busy.least, 1);
  EXPECT_DOUBLE_EQ(busy.mean, 2);
  EXPECT_EQ(busy.greatest, 3);
  EXPECT_DOUBLE_EQ(busy.imbalance(), 1.5);
  EXPECT_DOUBLE_EQ(r.of(&rank_report::tasks).imbalance(), 2);
  EXPECT_EQ(r.of(&rank_report::got).imbalance(), 1) << "all have nothing";
  EXPECT_EQ(r.of([](rank_report const& one) { return one.busy * 2; }).least, 2);
  EXPECT_EQ(ranks_report{}.of(&rank_report::busy).greatest, 0);
}

TEST(a_report_of_ranks, is_a_table) {
  ranks_report r{.iteration = 1,
                 .ranks = {{.rank = 0, .tasks = 4, .seconds = 2, .busy = 1.5, .received = 1536},
                           {.rank = 2, .tasks = 2, .seconds = 2, .busy = 0.5}}};
  std::string const table = in_words(r);
  EXPECT_EQ(table.substr(0, table.find('\n')),
            "rank             tasks      stolen       given        busy   process()   balancing    received        sent"
            "         got         put       added");
  EXPECT_NE(table.find("\n0                    4           0           0       1.5 s         2 s         0 s     1.5 "
                       "KiB         0 B"),
            std::string::npos)
      << table;
  EXPECT_NE(table.find("\n2 "), std::string::npos);
  EXPECT_NE(table.find("\nleast                2"), std::string::npos);
  EXPECT_NE(table.find("\nmean                 3"), std::string::npos);
  EXPECT_NE(table.find("imbalance of busy (greatest / mean): 1.500\n"), std::string::npos);
  std::string const short_table = in_words(r, 1);
  EXPECT_EQ(short_table.find("\n2 "), std::string::npos) << "more ranks than rows";
  EXPECT_NE(short_table.find("\ngreatest"), std::string::npos);
  EXPECT_EQ(in_words(ranks_report{}), "");
}

}}}}  // namespace skua::v0::ranks
