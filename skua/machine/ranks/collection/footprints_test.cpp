// SPDX-License-Identifier: MIT
// What tasks use of matrices is counted by owner, for the task that uses it, before any cache; and tasks go where it lies. On ranks of one and of several
// workers.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "skua/distributed_matrix.hpp"
#include "skua/machine/ranks/collection/checkpoint.hpp"
#include "skua/machine/ranks/transport/ranks_for_test.hpp"
#include "skua/policy/balance/locality.hpp"
#include "skua/policy/balance/relocation_pace.hpp"
#include "skua/rank_pool.hpp"
#include "skua/ranks.hpp"

namespace skua { inline namespace v0 { namespace ranks { namespace {

/// Rows of one rank.
constexpr std::uint64_t rows_each = 8;
constexpr std::uint64_t columns = 4;
constexpr std::uint64_t row_bytes = columns * sizeof(double);

using policies::balance::owner_footprint;

struct reader {
  std::uint64_t row;
};

class footprints : public on_each_number_of_ranks {};

TEST_P(footprints, count_what_each_task_uses_and_not_what_a_cache_saves) {
  on_ranks(GetParam(), [&](communicator& world) {
    distributed_matrix<double> m(world, rows_each * world.size(), columns, matrix_distribution::by_rows());
    distributed_matrix<double> to(world, rows_each * world.size(), columns, matrix_distribution::by_rows());
    matrix_cache<double> kept(m);
    matrix_accumulator<double> sums(to, 0);  // sends at once, within the task
    task_collection<reader> all(world, {.name = "uses", .steals = false, .footprints = true}, [&](reader const& t) {
      auto const block = kept.get({t.row, 0, 2, columns});
      sums.accumulate({t.row, 0, 1, columns}, block->data(), columns);
      m.note_use({t.row + 1, 0, 1, 1});
    });
    std::uint64_t const next = rows_each * ((world.rank() + 1) % world.size());
    for (int again = 0; again < 3; ++again) all.add({next});
    all.process();
    to.sync();
    rank_report const own = all.own_report();
    std::uint64_t const each = 3 * row_bytes + sizeof(double);
    std::uint64_t const remote = world.size() == 1 ? 0 : 1;
    EXPECT_EQ(own.needed, 3 * each);
    EXPECT_EQ(own.needed_remotely, 3 * each * remote);
    EXPECT_EQ(own.got, 2 * row_bytes * remote) << "once";
    EXPECT_EQ(own.accumulated, 3 * row_bytes * remote);
    collection_report const sums_of_all = all.report();
    EXPECT_EQ(sums_of_all.needed, 3 * each * world.size());
    EXPECT_EQ(sums_of_all.needed_remotely, 3 * each * remote * world.size());
    EXPECT_EQ(sums_of_all.remote_bytes, 5 * row_bytes * remote * world.size());
    all.restore();
    all.process();
    EXPECT_EQ(all.own_report().needed, own.needed) << "of the last process() alone";
    to.sync();
  });
}

TEST_P(footprints, of_nobody_are_nothing) {
  on_ranks(GetParam(), [&](communicator& world) {
    distributed_matrix<double> m(world, rows_each * world.size(), columns, matrix_distribution::by_rows());
    task_collection<reader> all(world, {.name = "unasked", .steals = false}, [&](reader const& t) {
      static_cast<void>(m.get({t.row, 0, 1, columns}));
      m.note_use({t.row, 0, 1, columns});
    });
    all.add({rows_each * ((world.rank() + 1) % world.size())});
    all.process();
    EXPECT_EQ(all.own_report().needed, 0U);
    EXPECT_EQ(all.report().needed_remotely, 0U);
    all.rebalance("none");
    EXPECT_EQ(all.num_recorded(), 1U);
    EXPECT_EQ(world.sum(all.own_report().sent), 0U);
    m.note_use({0, 0, 1, 1});  // outside tasks
    EXPECT_THROW(m.note_use({0, 0, 1, columns + 1}), usage_error);
  });
}

/// Tasks of each rank that need rows of the next one.
template <class Between>
void expect_to_come_home(std::uint32_t ranks, Between between) {
  on_ranks(ranks, [&](communicator& world) {
    distributed_matrix<double> m(world, rows_each * world.size(), columns, matrix_distribution::by_rows());
    task_collection<reader> all(world, {.name = "home", .steals = false, .footprints = true, .footprint_tolerance = 1},
                                [&](reader const& t) { static_cast<void>(m.get({t.row, 0, 1, columns})); });
    for (std::uint64_t n = 0; n < 40; ++n) {
      all.add({rows_each * ((world.rank() + 1) % world.size()) + n % rows_each});
    }
    all.process();
    collection_report const before = all.report();
    EXPECT_EQ(before.needed, 40 * row_bytes * world.size());
    EXPECT_EQ(before.needed_remotely, world.size() == 1 ? 0 : before.needed);
    EXPECT_EQ(before.remote_bytes, before.needed_remotely);
    between(all);
    all.enable_stealing(false);
    all.process();
    collection_report const now = all.report();
    EXPECT_EQ(now.tasks, before.tasks);
    EXPECT_EQ(now.needed, before.needed);
    EXPECT_EQ(now.remote_bytes, now.needed_remotely);
    if (world.size() > 1) {
      EXPECT_LT(now.needed_remotely, before.needed_remotely);
    }
  });
}

TEST_P(footprints, bring_tasks_to_their_data_from_a_retained_start) {
  expect_to_come_home(GetParam(), [](auto& all) { all.restore("retentive"); });
}

TEST_P(footprints, bring_tasks_to_their_data_without_a_balancer) {
  expect_to_come_home(GetParam(), [](auto& all) {
    all.rebalance("none");
    all.rebalance("none");  // footprints travel with their tasks
    all.restore();
  });
}

TEST_P(footprints, leave_none_where_tasks_ran) {
  on_ranks(GetParam(), [&](communicator& world) {
    distributed_matrix<double> m(world, rows_each * world.size(), columns, matrix_distribution::by_rows());
    task_collection<reader> all(world, {.name = "stay", .steals = false, .footprints = true},
                                [&](reader const& t) { static_cast<void>(m.get({t.row, 0, 1, columns})); });
    for (int n = 0; n < 8; ++n) all.add({rows_each * ((world.rank() + 1) % world.size())});
    for (int iteration = 0; iteration < 3; ++iteration) {
      all.process();
      EXPECT_EQ(all.own_report().tasks, 8U);
      all.restore("none");
    }
  });
}

TEST_P(footprints, go_with_every_balancer_and_auto) {
  on_ranks(GetParam(), [&](communicator& world) {
    distributed_matrix<double> m(world, rows_each * world.size(), columns, matrix_distribution::by_rows());
    std::uint64_t const tasks = 30 * world.size();
    std::vector<double> runs(tasks);
    task_collection<reader> all(world, {.name = "all", .footprints = true}, [&](reader const& t) {
      static_cast<void>(m.get({t.row % m.rows(), 0, 1, columns}));
      ++runs[t.row];
    });
    if (world.rank() == 0) {
      for (std::uint64_t n = 0; n < tasks; ++n) all.add({n});
    }
    for (char const* const how :
         {"centralised", "hierarchical", "tempered", "auto", "retentive", "auto", "steal", "auto"}) {
      runs.assign(tasks, 0);
      all.process();
      world.sum(runs);
      EXPECT_EQ(runs, std::vector<double>(tasks, 1)) << "before " << how;
      all.restore(how);
    }
  });
}

TEST_P(footprints, that_differ_or_have_no_possible_tolerance_are_refused) {
  on_ranks(GetParam(), [&](communicator& world) {
    auto const none = [](reader const&) {};
    for (double const wrong : {-0.1, 1.5, std::numeric_limits<double>::quiet_NaN()}) {
      EXPECT_THROW(
          (task_collection<reader>(world, {.name = "wrong", .footprints = true, .footprint_tolerance = wrong}, none)),
          usage_error);
    }
    if (world.size() > 1) {
      EXPECT_THROW((task_collection<reader>(world, {.name = "differ", .footprints = world.rank() == 1}, none)),
                   usage_error);
    }
    task_collection<reader> all(world, {.name = "right", .footprints = true}, none);
    all.process();
  });
}

/// A task waits for blocks of another rank while its worker runs others, which need something else.
TEST_P(footprints, of_several_workers_are_those_of_the_task_that_waits) {
  for (serving const how : {serving::server_thread, serving::between_tasks}) {
    on_ranks(GetParam(), [&](communicator& world) {
      pool threads(2);
      rank_pool const workers(world, threads, how);
      distributed_matrix<double> m(world, rows_each * world.size(), columns, matrix_distribution::by_rows());
      task_collection<reader> all(world,
                                  {.name = "waits", .steals = false, .footprints = true, .footprint_tolerance = 1},
                                  [&](reader const& t) {
                                    for (int again = 0; again < 3; ++again)
                                      static_cast<void>(m.get({t.row, 0, 1, columns}));
                                  });
      for (std::uint64_t n = 0; n < 60; ++n) all.add({n % m.rows()});
      all.process();
      collection_report const before = all.report();
      EXPECT_EQ(before.needed, 60 * 3 * row_bytes * world.size());
      EXPECT_EQ(before.needed_remotely, before.remote_bytes);
      all.rebalance("none");
      all.restore();
      all.process();
      collection_report const now = all.report();
      EXPECT_EQ(now.needed, before.needed);
      EXPECT_EQ(now.needed_remotely, now.remote_bytes);
      EXPECT_LE(now.needed_remotely, before.needed_remotely);
      m.sync();
    });
  }
}

INSTANTIATE_TEST_SUITE_P(of_ranks, footprints, ::testing::ValuesIn(numbers_of_ranks()));

TEST(footprints_of_a_record, travel_with_their_tasks) {
  slot_shape const shape{.task_bytes = sizeof(std::uint64_t)};
  auto const needing = [](std::uint32_t owner) {
    std::vector<owner_footprint::share> shares{{100 + std::uint64_t{owner}, owner}};
    return policies::balance::footprint_of(shares);
  };
  task_record from(shape);
  std::vector<std::byte> slot(shape.bytes());
  for (std::uint32_t n = 0; n < 4; ++n) from.add(slot.data(), 10 * n, needing(n));
  std::vector<std::uint64_t> const entries{3, 1};
  task_record to(shape);
  to.add(slot.data(), 7);  // its own was never measured
  decode(encode_with_footprints(from, entries), to);
  ASSERT_EQ(to.size(), 3U);
  EXPECT_EQ(to.footprint_of(0), owner_footprint{});
  EXPECT_EQ(to.footprint_of(1), needing(3));
  EXPECT_EQ(to.footprint_of(2), needing(1));
  from.remove({false, true, false, true});
  ASSERT_EQ(from.size(), 2U);
  EXPECT_EQ(from.footprint_of(1), needing(2));
  from.append(to);
  EXPECT_EQ(from.footprint_of(2), owner_footprint{});
  EXPECT_EQ(from.footprint_of(3), needing(3));
  EXPECT_FALSE(to.has_footprints());
  from.release_last();
  from.add(slot.data(), 1);
  EXPECT_EQ(from.footprint_of(4), owner_footprint{});
  task_record restarted(shape);
  decode(encode(from), restarted);
  EXPECT_EQ(restarted.size(), 5U);
  EXPECT_FALSE(restarted.has_footprints()) << "checkpoints have none";
}

TEST(relocation_pace, looks_ever_more_rarely_until_there_is_a_gain) {
  policies::balance::relocation_pace pace;
  std::vector<int> waits;
  for (int look = 0; look < 6; ++look) {
    int waited = 0;
    while (!pace.is_due()) ++waited;
    waits.push_back(waited);
    pace.looked(false);
  }
  EXPECT_EQ(waits, (std::vector<int>{0, 1, 3, 7, 15, 15}));
  pace.looked(true);
  EXPECT_TRUE(pace.is_due());
}

}}}}  // namespace skua::v0::ranks
