// SPDX-License-Identifier: MIT
// Every leaf is logged once, under the worker that ran it, for every policy and number of workers. Without memory,
// leaves count as lost, and the program continues.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory_resource>
#include <new>
#include <string>
#include <vector>

#include "skua/parts/trace/track.hpp"
#include "skua/policy/combinations_for_test.hpp"
#include "skua/skua.hpp"

namespace {

constexpr std::size_t cells = 300;

/// One leaf per cell; each writes the number of its worker there.
void sign(skua::fork_join auto& here, std::uint32_t* first, std::size_t count) {
  if (count == 1) {
    here.leaf(skua::reads{first, 1}, skua::writes{first, sizeof *first}, skua::flops{2},
              [&] { *first = index(here.worker()); });
    return;
  }
  std::size_t const half = count / 2;
  here.join(
      skua::work{static_cast<double>(half)}, [=](auto& h) { sign(h, first, half); },
      skua::work{static_cast<double>(count - half)}, [=](auto& h) { sign(h, first + half, count - half); });
}

/// Per cell, the worker that logged it. A cell that was logged twice fails the test.
std::vector<std::uint32_t> noted(std::span<skua::leaf_rows const> rows, std::vector<std::uint32_t> const& signed_by) {
  constexpr std::uint32_t nobody = ~0U;
  std::vector<std::uint32_t> who(signed_by.size(), nobody);
  for (std::uint32_t worker = 0; worker < rows.size(); ++worker) {
    EXPECT_EQ(rows[worker].lost, 0U);
    for (skua::footprint const& leaf : rows[worker].ran) {
      auto const cell = static_cast<std::size_t>(static_cast<std::uint32_t const*>(leaf.written) - signed_by.data());
      EXPECT_LT(cell, who.size());
      EXPECT_EQ(who[cell], nobody) << "cell " << cell << " was noted twice";
      who[cell] = worker;
    }
  }
  return who;
}

TEST(leaf_record, notes_every_leaf_once_under_the_worker_that_ran_it) {
  for (std::string const& policy : skua::testing::whole_policies()) {
    for (std::uint32_t const workers : {1U, 2U, 7U, 64U}) {
      SCOPED_TRACE(policy + ", workers " + std::to_string(workers));
      skua::pool pool({.workers = workers, .policy = policy, .topology = "package:4 numa:1 core:16"});
      skua::leaf_record record(pool);
      std::vector<std::uint32_t> signed_by(cells);
      for (int round = 0; round < 3; ++round) {
        pool.run([&](auto& here) { sign(here, signed_by.data(), cells); });
        EXPECT_EQ(noted(record.take(), signed_by), signed_by);
      }
    }
  }
}

TEST(leaf_record, is_taken_between_the_iterations_of_a_run) {
  skua::pool pool({.workers = 7});
  skua::leaf_record record(pool);
  std::vector<std::uint32_t> signed_by(cells);
  pool.run([&](auto& here) {
    for (int iteration = 0; iteration < 50; ++iteration) {
      sign(here, signed_by.data(), cells);
      EXPECT_EQ(noted(record.take(), signed_by), signed_by);
    }
  });
  for (skua::leaf_rows const& of_worker : record.take()) EXPECT_TRUE(of_worker.ran.empty());
}

TEST(leaf_record, says_what_a_leaf_touches) {
  skua::pool pool({.workers = 1});
  skua::leaf_record record(pool);
  double a[4]{};
  pool.run([&](auto& here) {
    EXPECT_EQ(
        here.leaf(skua::flops{3}, skua::writes{a + 1, 8}, skua::reads{a, 16}, skua::writes{a, 8}, [] { return 5; }), 5);
    here.leaf([] {});
  });
  auto const& ran = record.take()[0].ran;
  ASSERT_EQ(ran.size(), 2U);
  EXPECT_EQ(ran[0].written, a + 1);
  EXPECT_EQ(ran[0].bytes_written, 16U);
  EXPECT_EQ(ran[0].bytes_read, 16U);
  EXPECT_EQ(ran[0].operations, 3);
  EXPECT_EQ(ran[1].written, nullptr);
}

TEST(leaf_record, nothing_is_noted_outside_of_its_life) {
  skua::pool pool({.workers = 2});
  std::vector<std::uint32_t> signed_by(cells);
  auto const run = [&] { pool.run([&](auto& here) { sign(here, signed_by.data(), cells); }); };
  run();
  {
    skua::leaf_record record(pool);
    for (skua::leaf_rows const& of_worker : record.take()) EXPECT_TRUE(of_worker.ran.empty());
    run();
  }
  run();
  skua::leaf_record another(pool);
  for (skua::leaf_rows const& of_worker : another.take()) EXPECT_TRUE(of_worker.ran.empty());
}

TEST(leaf_record, only_one_lives_at_a_time) {
  skua::pool pool({.workers = 2});
  std::vector<std::uint32_t> signed_by(cells);
  skua::leaf_record record(pool);
  EXPECT_THROW(skua::leaf_record{pool}, skua::usage_error);
  pool.run([&](auto& here) { sign(here, signed_by.data(), cells); });
  EXPECT_EQ(noted(record.take(), signed_by), signed_by) << "the refused one has disturbed the first";
}

TEST(leaf_record, pools_and_regions_are_told_apart) {
  skua::pool outer({.workers = 3});
  skua::pool inner({.workers = 2, .policy = "adws"});
  auto const region = outer.open_region("hierarchical", 2);
  skua::leaf_record of_outer(outer);
  skua::leaf_record of_inner(inner);
  std::vector<std::uint32_t> a(cells);
  std::vector<std::uint32_t> b(cells);
  outer.run([&](auto& here) {
    here.join([&](auto& h) { sign(h, a.data(), cells); },
              [&](auto&) { inner.run([&](auto& deep) { sign(deep, b.data(), cells); }); });
  });
  EXPECT_EQ(noted(of_outer.take(), a), a);
  EXPECT_EQ(noted(of_inner.take(), b), b);
  region.run([&](auto& here) { sign(here, a.data(), cells); });
  EXPECT_EQ(noted(of_outer.take(), a), a);
}

/// A memory resource that runs out.
class scarce final : public std::pmr::memory_resource {
 public:
  explicit scarce(std::size_t bytes) noexcept : left_(static_cast<std::ptrdiff_t>(bytes)) {}

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    auto const some = static_cast<std::ptrdiff_t>(bytes);
    // relaxed: only the sum counts.
    if (left_.fetch_sub(some, std::memory_order_relaxed) < some) {
      left_.fetch_add(some, std::memory_order_relaxed);  // relaxed: as above
      throw std::bad_alloc{};
    }
    return std::pmr::new_delete_resource()->allocate(bytes, alignment);
  }
  void do_deallocate(void* at, std::size_t bytes, std::size_t alignment) override {
    std::pmr::new_delete_resource()->deallocate(at, bytes, alignment);
  }
  [[nodiscard]] bool do_is_equal(memory_resource const& other) const noexcept override { return this == &other; }

  std::atomic<std::ptrdiff_t> left_;
};

TEST(leaf_record, where_memory_ends_leaves_are_lost_and_counted_and_the_program_goes_on) {
  for (std::size_t const bytes : {std::size_t{0}, std::size_t{5000}}) {
    scarce memory(bytes);
    skua::pool pool({.workers = 3});
    skua::leaf_record record(pool, &memory);
    std::vector<std::uint32_t> signed_by(cells, ~0U);
    pool.run([&](auto& here) { sign(here, signed_by.data(), cells); });
    EXPECT_EQ(std::ranges::count(signed_by, ~0U), 0);
    std::size_t kept = 0;
    std::uint64_t lost = 0;
    for (skua::leaf_rows const& of_worker : record.take()) {
      kept += of_worker.ran.size();
      lost += of_worker.lost;
    }
    EXPECT_EQ(kept + lost, cells);
    EXPECT_GT(lost, 0U);
  }
}

TEST(leaf_record, has_rows_for_every_worker_and_tells_each_loss_once) {
  scarce memory(0);
  skua::pool pool({.workers = 3});
  skua::leaf_record record(pool, &memory);
  std::vector<std::uint32_t> signed_by(cells);
  for (int round = 0; round < 4; ++round) {
    pool.run([&](auto& here) { sign(here, signed_by.data(), cells); });
    auto const rows = record.take();
    EXPECT_EQ(rows.size(), 3U);
    std::uint64_t lost = 0;
    for (skua::leaf_rows const& of_worker : rows) lost += of_worker.lost;
    EXPECT_EQ(lost, cells);
  }
}

TEST(leaf_log, leaves_cost_a_branch_unless_somebody_wants_them) {
  skua::runtime::leaf_log log;
  EXPECT_FALSE(log.is_recording());
  for (int round = 0; round < 2; ++round) {
    EXPECT_TRUE(log.start(std::pmr::new_delete_resource()));
    EXPECT_TRUE(log.is_recording());
    EXPECT_FALSE(log.start(std::pmr::new_delete_resource())) << "it records already";
    log.stop();
    EXPECT_FALSE(log.is_recording());
  }
}

TEST(leaf_log, of_a_traced_worker_goes_on_when_its_record_ends) {
  skua::trace::track track;
  skua::runtime::leaf_log log;
  log.trace_to(&track);
  EXPECT_TRUE(log.is_recording());
  EXPECT_TRUE(log.start(std::pmr::new_delete_resource()));
  log.stop();
  EXPECT_TRUE(log.is_recording());
}

}  // namespace
