// SPDX-License-Identifier: MIT
// Tasks that split: every part runs once in each iteration, and is kept with the rank that ran it (splitting.md).
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "skua/machine/ranks/transport/ranks_for_test.hpp"
#include "skua/rank_pool.hpp"
#include "skua/ranks.hpp"

namespace skua { inline namespace v0 { namespace ranks { namespace {

constexpr std::uint64_t indices = 1000;

/// How often each index ran, on any worker of this rank.
class ran_indices {
 public:
  void ran(index_range const& r) {
    std::scoped_lock const held(lock_);
    for (std::uint64_t i = r.first; i < r.last; ++i) ++times_.at(i);
  }
  /// Collective; forgets them.
  void expect_each_once(communicator& world, char const* when, std::uint64_t up_to = indices) {
    world.sum(std::span(times_));
    for (std::uint64_t i = 0; i < indices; ++i) ASSERT_EQ(times_[i], i < up_to ? 1U : 0U) << when << ", index " << i;
    times_.assign(indices, 0);
  }

 private:
  std::mutex lock_;
  std::vector<std::uint64_t> times_ = std::vector<std::uint64_t>(indices, 0);
};

void take_time(std::uint64_t turns) {
  std::atomic<std::uint64_t> spun{0};
  for (std::uint64_t n = 0; n < turns * 100; ++n)
    spun.fetch_add(1, std::memory_order_relaxed);  // relaxed: only takes time
}

class splitting : public on_each_number_of_ranks {};

TEST_P(splitting, runs_each_index_once_in_each_iteration_and_keeps_the_leaves) {
  for (std::uint64_t const grain : {1U, 7U, 1000U, 5000U}) {
    on_ranks(GetParam(), [&](communicator& world) {
      ran_indices seen;
      task_collection<index_range> all(world, {.name = "ranges"}, [&](index_range const& r) {
        EXPECT_LE(r.size(), grain);
        EXPECT_EQ(r.first % grain, 0U);
        take_time(r.size());
        seen.ran(r);
      });
      if (world.rank() == 0) all.add_range(0, indices, grain);
      EXPECT_EQ(all.num_waiting(), world.rank() == 0 ? 1U : 0U) << "one task stands for all";
      std::uint64_t const leaves = (indices + grain - 1) / grain;
      for (char const* const how : {"retentive", "steal", "hierarchical", "auto", "none"}) {
        all.process();
        seen.expect_each_once(world, how);
        EXPECT_EQ(world.sum(all.num_recorded()), leaves);
        EXPECT_EQ(all.report().tasks, leaves);
        all.restore(how);
        EXPECT_EQ(world.sum(all.num_waiting()), leaves);
        EXPECT_TRUE(std::string(how) != "steal" || all.num_waiting() == (world.rank() == 0 ? leaves : 0))
            << "where the range was added";
      }
    });
  }
}

TEST_P(splitting, of_each_ranks_part_begins_on_that_rank) {
  on_ranks(GetParam(), [&](communicator& world) {
    ran_indices seen;
    task_collection<index_range> all(world, {.name = "parts", .steals = false},
                                     [&](index_range const& r) { seen.ran(r); });
    index_range const mine = index_range{0, indices, 8}.part(world.rank(), world.size());
    all.add_range(mine.first, mine.last, mine.grain);
    for (int iteration = 0; iteration < 2; ++iteration) {
      all.process();
      seen.expect_each_once(world, "parts");
      EXPECT_EQ(all.num_recorded(), mine.leaves());
      all.restore();
    }
  });
}

/// Where a rank has several workers, and they steal from each other.
TEST_P(splitting, works_under_several_workers) {
  for (serving const how : {serving::server_thread, serving::between_tasks}) {
    on_ranks(GetParam(), [&](communicator& world) {
      pool threads(2);
      rank_pool const workers(world, threads, how);
      ran_indices seen;
      task_collection<index_range> all(world, {.name = "workers"}, [&](index_range const& r) {
        take_time(r.size());
        seen.ran(r);
      });
      if (world.rank() == world.size() - 1) all.add_range(0, indices, 5);
      for (int iteration = 0; iteration < 3; ++iteration) {
        all.process();
        seen.expect_each_once(world, "workers");
        EXPECT_EQ(world.sum(all.num_recorded()), indices / 5);
        all.restore();
      }
    });
  }
}

TEST_P(splitting, forgets_leaves_without_work) {
  on_ranks(GetParam(), [&](communicator& world) {
    ran_indices seen;
    task_collection<index_range> all(world, {.name = "null"}, [&](index_range const& r) {
      seen.ran(r);
      return r.first < 60 ? task_outcome::done : task_outcome::null;
    });
    if (world.rank() == 0) all.add_range(0, indices);
    all.process();
    seen.expect_each_once(world, "all");
    all.restore();
    all.process();
    seen.expect_each_once(world, "those with work", 60);
  });
}

TEST_P(splitting, of_a_spawned_task_happens_again_when_its_parent_runs_again) {
  on_ranks(GetParam(), [&](communicator& world) {
    ran_indices seen;
    task_collection<index_range> all(world, {.name = "spawned"},
                                     [&](task_site<index_range>& here, index_range const& r) {
                                       if (r.grain == indices) return here.spawn({0, indices, 9});
                                       take_time(r.size());
                                       seen.ran(r);
                                     });
    if (world.rank() == 0) all.add({0, indices, indices});
    for (int iteration = 0; iteration < 3; ++iteration) {
      all.process();
      seen.expect_each_once(world, "spawned");
      EXPECT_EQ(world.sum(all.num_recorded()), 1U) << "the parent alone";
      EXPECT_EQ(all.report().tasks, 1 + (indices + 8) / 9);
      all.restore();
    }
  });
}

/// Owns its data, and takes half of them along.
struct owner_of_indices {
  std::vector<std::uint64_t> mine;

  [[nodiscard]] bool is_divisible() const { return mine.size() > 20; }
  [[nodiscard]] owner_of_indices split() {
    owner_of_indices other;
    auto const half = mine.begin() + static_cast<std::ptrdiff_t>(mine.size() / 2);
    other.mine.assign(half, mine.end());
    mine.erase(half, mine.end());
    return other;
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(mine);
  }
};

TEST_P(splitting, divides_the_data_of_serialized_tasks) {
  for (bool const has_threads : {false, true}) {
    on_ranks(GetParam(), [&](communicator& world) {
      std::optional<pool> threads;
      std::optional<rank_pool> workers;
      if (has_threads) workers.emplace(world, threads.emplace(2));
      ran_indices seen;
      task_collection<owner_of_indices> all(world, {.name = "data"}, [&](owner_of_indices const& t) {
        EXPECT_LE(t.mine.size(), 20U);
        for (std::uint64_t const i : t.mine) seen.ran({i, i + 1});
        take_time(t.mine.size());
      });
      if (world.rank() == 0) {
        owner_of_indices whole;
        for (std::uint64_t i = 0; i < indices; ++i) whole.mine.push_back(i);
        all.add(whole);
      }
      for (int iteration = 0; iteration < 3; ++iteration) {
        all.process();
        seen.expect_each_once(world, "data");
        EXPECT_EQ(world.sum(all.num_recorded()), 64U);
        all.restore();
      }
    });
  }
}

TEST_P(splitting, happens_once_whatever_the_function_makes_of_the_leaf) {
  on_ranks(GetParam(), [&](communicator& world) {
    ran_indices seen;
    task_collection<index_range> all(world, {.name = "changed"}, [&](index_range& r) {
      seen.ran(r);
      r.grain = 1;
    });
    if (world.rank() == 0) all.add_range(0, indices, 50);
    for (int iteration = 0; iteration < 2; ++iteration) {
      all.process();
      seen.expect_each_once(world, "changed");
      EXPECT_EQ(world.sum(all.num_recorded()), 20U);
      all.restore();
    }
  });
}

TEST_P(splitting, keeps_its_leaves_in_a_checkpoint) {
  std::string const path = (std::filesystem::temp_directory_path() /
                            ("skua_splitting_" + std::to_string(getppid()) + "_" + std::to_string(GetParam())))
                               .string();
  on_ranks(GetParam(), [&](communicator& world) {
    ran_indices seen;
    auto const make = [&] {
      return std::make_unique<task_collection<index_range>>(world, collection_options{.name = "kept"},
                                                            [&](index_range const& r) { seen.ran(r); });
    };
    auto first = make();
    if (world.rank() == 0) first->add_range(0, indices, 10);
    first->process();
    seen.expect_each_once(world, "first");
    first->checkpoint(path);
    first.reset();
    auto second = make();
    if (world.rank() == 0) second->add_range(0, indices, 10);
    static_cast<void>(second->restart(path));
    second->restore();
    EXPECT_EQ(world.sum(second->num_waiting()), 100U) << "the range that was added does not run";
    second->process();
    seen.expect_each_once(world, "second");
    world.barrier();
    if (world.rank() == 0) std::filesystem::remove(path);
  });
}

/// Never ends, and says so; and one that has no room for its parts.
struct endless {
  std::uint64_t depth = 0;
  [[nodiscard]] bool is_divisible() const { return depth < 1; }
  [[nodiscard]] endless split() { return {1}; }
};

TEST_P(splitting, that_does_not_end_or_finds_no_room_is_an_error_on_every_rank) {
  on_ranks(GetParam(), [&](communicator& world) {
    auto const refusal_of = [&](auto& all) -> std::string {
      try {
        all.process();
      } catch (std::exception const& e) {
        return e.what();
      }
      return {};
    };
    task_collection<endless> all(world, {.name = "endless"}, [](endless const&) {});
    if (world.rank() == 0) all.add({});
    EXPECT_NE(refusal_of(all).find("divisible after 1048576 calls of its split"), std::string::npos);
    task_collection<index_range> narrow(world, {.name = "narrow", .limit = 4, .steals = false},
                                        [](index_range const&) {});
    if (world.rank() == world.size() - 1) narrow.add_range(0, indices);
    EXPECT_NE(refusal_of(narrow).find("full, with its limit of 4 tasks"), std::string::npos);
    EXPECT_THROW(narrow.add_range(2, 1), usage_error);
    EXPECT_THROW(narrow.add_range(1, 2, 0), usage_error);
    narrow.add_range(3, 3);
    EXPECT_EQ(narrow.num_waiting(), 0U);
  });
}

INSTANTIATE_TEST_SUITE_P(of_ranks, splitting, ::testing::ValuesIn(numbers_of_ranks()));

}}}}  // namespace skua::v0::ranks
