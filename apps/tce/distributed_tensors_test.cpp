// SPDX-License-Identifier: MIT
// The contraction whose tensors lie on all ranks against the one of which every rank has a copy, on ranks that are threads.
#include "apps/tce/distributed_tensors.hpp"

#include <gtest/gtest.h>

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "apps/ranks_plan.hpp"
#include "apps/tce/over_ranks.hpp"
#include "apps/tce/tensors.hpp"
#include "skua/machine/ranks/transport/ranks_for_test.hpp"

namespace skua::apps::tce { namespace {

constexpr std::uint64_t seed = 3;
// 324 tasks.
constexpr shape tiny{{4, 3, 0, 3}, {2, 3, 2, 2}, 2};

std::vector<double> serial_c(contraction const& on) {
  tensors with(on, seed);
  contraction_worker worker(on);
  for (tile_index const& task : on.tasks()) worker.run(task, with);
  return with.c().elements();
}

ranks_plan planned(std::string const& balance, std::uint32_t workers = 1) {
  return {.balance = balance, .workers = workers};
}

TEST(distributed_tce, has_the_numbers_of_the_copies_under_each_balance) {
  contraction const on(tiny);
  std::vector<double> const right = serial_c(on);
  gemm const by;
  for (auto const& [ranks, balance] : {std::pair{1U, "retentive"},
                                       {2U, "steal"},
                                       {3U, "none"},
                                       {4U, "retentive"},
                                       {2U, "hierarchical"},
                                       {3U, "auto"}}) {
    SCOPED_TRACE(std::to_string(ranks) + " ranks, " + balance);
    ranks::on_ranks(ranks, [&](communicator& world) {
      distributed_tensors with(world, on, seed);
      over_ranks(world, on, by, with, 2, planned(balance));
      std::vector<double> const c = with.gather_c(0);
      if (world.rank() == 0) {
        EXPECT_TRUE(c == right);
      }
      tensors copies(on, seed);
      over_ranks_with_copies(world, on, by, copies, 1, planned(balance));
      std::vector<double> of_all = copies.c().elements();
      world.sum(std::span(of_all));
      EXPECT_TRUE(of_all == right);
    });
  }
}

TEST(distributed_tce, has_them_with_several_workers_and_more_ranks_than_rows) {
  gemm const by;
  contraction const on(tiny);
  std::vector<double> const right = serial_c(on);
  for (auto const& [ranks, workers] : {std::pair{1U, 3U}, {3U, 2U}, {8U, 1U}}) {
    SCOPED_TRACE(std::to_string(ranks) + " ranks of " + std::to_string(workers));
    ranks::on_ranks(ranks, [&](communicator& world) {
      distributed_tensors with(world, on, seed);
      over_ranks(world, on, by, with, 2, planned("retentive", workers));
      std::vector<double> const c = with.gather_c(0);
      if (world.rank() == 0) {
        EXPECT_TRUE(c == right);
      }
    });
  }
}

// All tasks start on rank 0, so most of C is accumulated by ranks that do not own it, or stolen by those that do.
TEST(distributed_tce, adds_to_tiles_of_other_ranks_once) {
  contraction const on(tiny);
  std::vector<double> const right = serial_c(on);
  for (std::uint32_t const ranks : {2U, 4U}) {
    ranks::on_ranks(ranks, [&](communicator& world) {
      distributed_tensors with(world, on, seed);
      contraction_worker worker(on);
      worker_tiles tiles(with);
      task_collection<std::uint32_t> all(world, {.name = "all"},
                                         [&](std::uint32_t t) { worker.run(on.tasks()[t], tiles); });
      for (std::uint32_t t = 0; world.rank() == 0 && t < on.tasks().size(); ++t) all.add(t);
      all.enable_stealing(false);
      with.clear_c();
      all.process();
      with.complete_c();
      // Rank 0 accumulated what it does not own of C, and got each row of A and B that it does not own at least once.
      std::size_t const foreign =
          with.elements() - static_cast<std::size_t>(world.max(world.rank() == 0 ? double(with.own_elements()) : 0.0));
      EXPECT_GE(with.remote_bytes(), foreign * sizeof(double));
      std::vector<double> const c = with.gather_c(1);
      if (world.rank() == 1) {
        EXPECT_TRUE(c == right);
      }
    });
  }
}

TEST(distributed_tce, shares_all_elements_out_among_the_ranks) {
  contraction const on(small);
  for (std::uint32_t const ranks : {1U, 2U, 4U, 8U}) {
    ranks::on_ranks(ranks, [&](communicator& world) {
      distributed_tensors const with(world, on, seed);
      EXPECT_EQ(world.sum(with.own_elements()), with.elements());
      EXPECT_LE(world.max(with.own_elements()), with.elements() / ranks * 5 / 4);
    });
  }
}

TEST(distributed_tce, a_wrong_element_is_noticed_wherever_it_is) {
  contraction const on(tiny);
  gemm const by;
  for (std::size_t const task : {std::size_t{0}, on.tasks().size() / 2, on.tasks().size() - 1}) {
    ranks::on_ranks(3, [&](communicator& world) {
      distributed_tensors with(world, on, seed);
      std::vector<double> const a_b_x = with.a_b_times_random(seed + 1);
      tensors const copies(on, seed);
      EXPECT_EQ(a_b_x, copies.a_b_times_random(seed + 1));
      over_ranks(world, on, by, with, 1, planned("retentive"));
      EXPECT_EQ(difference(on, with.c_times_random(seed + 1), a_b_x), "");
      // Not on its owner: there it would be stored.
      tile_index const which = on.tasks()[task];
      std::vector<double> one(copies.c().tile_size(which));
      one.back() = 1;
      if (first_task(on, world.rank(), 3) > task || task >= first_task(on, world.rank() + 1, 3)) {
        if (world.rank() == (task < first_task(on, 1, 3) ? 1U : 0U)) with.add_to_c(which, one.data());
      }
      with.complete_c();
      EXPECT_NE(difference(on, with.c_times_random(seed + 1), a_b_x), "");
    });
  }
}

}}  // namespace skua::apps::tce
