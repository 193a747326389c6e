// SPDX-License-Identifier: MIT
// Collections of tasks that own memory and have any size, on ranks that are threads of the test and on ranks of MPI.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "skua/machine/ranks/queue/task_slot.hpp"
#include "skua/machine/ranks/transport/ranks_for_test.hpp"
#include "skua/parts/base/dice.hpp"
#include "skua/rank_pool.hpp"
#include "skua/ranks.hpp"

namespace skua { inline namespace v0 { namespace ranks { namespace {

struct path {
  std::string name;
  std::vector<std::uint64_t> steps;

  template <class Archive>
  void serialize(Archive& a) {
    a(name, steps);
  }
};

/// Of 0 to 300 steps, and now and then of many more than fit into a short message.
path path_of(std::uint64_t number) {
  runtime::dice dice(number);
  std::uint64_t const length = dice.next() % 300 + (number % 50 == 7 ? 20'000 : 0);
  path p{.name = "path " + std::to_string(number), .steps = std::vector<std::uint64_t>(length)};
  for (auto& s : p.steps) s = dice.next() % 1000;
  return p;
}

std::uint64_t value_of(path const& p) {
  return std::accumulate(p.steps.begin(), p.steps.end(), std::uint64_t{p.name.size()});
}

std::uint64_t value_of_first(std::uint64_t count) {
  std::uint64_t sum = 0;
  for (std::uint64_t n = 0; n < count; ++n) sum += value_of(path_of(n));
  return sum;
}

void spin(std::uint32_t units) {
  std::atomic<std::uint32_t> spun{0};
  for (std::uint32_t n = 0; n < units * 100; ++n) spun.fetch_add(1, std::memory_order_relaxed);
}

class serialized_tasks : public on_each_number_of_ranks {};

TEST_P(serialized_tasks, arrive_whole_wherever_they_run) {
  constexpr std::uint64_t tasks = 400;
  std::uint64_t const wanted = value_of_first(tasks);
  on_ranks(GetParam(), [&](communicator& world) {
    std::uint64_t sum = 0;
    task_collection<path> all(world, {}, [&](path const& p) {
      spin(3);
      sum += value_of(p);
    });
    if (world.rank() == 0) {
      for (std::uint64_t n = 0; n < tasks; ++n) all.add(path_of(n));
    }
    for (int iteration = 0; iteration < 5; ++iteration) {
      sum = 0;
      all.process();
      EXPECT_EQ(world.sum(sum), wanted);
      EXPECT_EQ(world.sum(all.num_recorded()), tasks);
      if (iteration == 1) all.rebalance("hierarchical");
      if (iteration == 2) all.rebalance("centralised");
      all.restore(iteration == 3 ? placement_of_tasks::original : placement_of_tasks::retained);
      if (iteration == 3) {
        EXPECT_EQ(all.num_waiting(), world.rank() == 0 ? tasks : 0);
      }
    }
  });  // and tasks that wait are dropped: the leak checker looks
}

TEST_P(serialized_tasks, spawn_others_and_may_be_null) {
  on_ranks(GetParam(), [&](communicator& world) {
    std::uint64_t runs = 0;
    task_collection<path> tree(world, {}, [&](auto& here, path const& p) {
      ++runs;
      for (std::uint64_t const s : p.steps) here.spawn({p.name + "/" + std::to_string(s), std::vector(s, s - 1)});
      return p.name == "null" ? task_outcome::null : task_outcome::done;
    });
    if (world.rank() == world.size() - 1) {
      tree.emplace(path{"root", {5}});
      tree.add({"null", {}});
    }
    tree.process();
    EXPECT_EQ(world.sum(runs), 1 + 1 + 1 + 5 + 20 + 60 + 120 + 120U);
    EXPECT_EQ(world.sum(tree.num_recorded()), 1U);
    tree.restore();
    runs = 0;
    tree.process();
    EXPECT_EQ(world.sum(runs), 1 + 1 + 5 + 20 + 60 + 120 + 120U);
  });
}

TEST_P(serialized_tasks, are_read_anew_in_each_iteration) {
  on_ranks(GetParam(), [&](communicator& world) {
    task_collection<path> all(world, {}, [&](path& p) {
      EXPECT_EQ(p.name, "as added");
      p.name = "changed";
    });
    all.add({"as added", {1, 2, 3}});
    for (int iteration = 0; iteration < 3; ++iteration) {
      all.process();
      all.restore();
    }
  });
}

TEST_P(serialized_tasks, run_on_several_workers_of_a_rank) {
  constexpr std::uint64_t tasks = 300;
  std::uint64_t const wanted = value_of_first(tasks);
  for (serving const how : {serving::server_thread, serving::between_tasks}) {
    on_ranks(GetParam(), [&](communicator& world) {
      pool threads(2);
      rank_pool const workers(world, threads, how);
      std::vector<std::uint64_t> sums(world.workers());
      task_collection<path> all(world, {.name = "several"}, [&](auto& here, path const& p) {
        spin(3);
        sums[here.worker()] += value_of(p);
      });
      if (world.rank() == 0) {
        for (std::uint64_t n = 0; n < tasks; ++n) all.add(path_of(n));
      }
      for (int iteration = 0; iteration < 3; ++iteration) {
        std::fill(sums.begin(), sums.end(), 0);
        all.process();
        EXPECT_EQ(world.sum(std::accumulate(sums.begin(), sums.end(), std::uint64_t{0})), wanted);
        if (iteration == 1) all.rebalance("hierarchical");
        all.restore();
      }
      all.add(path_of(0));  // never brought to a queue
    });
  }
}

TEST_P(serialized_tasks, go_on_in_another_job) {
  constexpr std::uint64_t tasks = 60;
  std::uint64_t const wanted = value_of_first(tasks);
  on_ranks(GetParam(), [&](communicator& world) {
    auto const number = world.max(world.rank() == 0 ? static_cast<double>(getpid()) : 0.0);
    std::string const file =
        (std::filesystem::temp_directory_path() / ("skua_paths_" + std::to_string(number))).string();
    std::uint64_t sum = 0;
    auto const add_up = [&](path const& p) { sum += value_of(p); };
    {
      task_collection<path> before(world, {.name = "paths"}, add_up);
      for (std::uint64_t n = world.rank(); n < tasks; n += world.size()) before.add(path_of(n));
      before.process();
      before.checkpoint(file);
    }
    sum = 0;
    task_collection<path> after(world, {.name = "paths"}, add_up);
    static_cast<void>(after.restart(file));
    after.restore();
    after.process();
    EXPECT_EQ(world.sum(sum), wanted);
    if (world.rank() == 0) {
      std::filesystem::resize_file(file, std::filesystem::file_size(file) - 3);
    }
    world.barrier();
    EXPECT_THROW(static_cast<void>(after.restart(file)), usage_error);
    world.barrier();
    if (world.rank() == 0) std::filesystem::remove(file);
  });
}

/// Its two directions disagree.
struct one_sided {
  std::int32_t reads_more = 0;  ///< 1: than was written; -1: less
  std::uint32_t extra = 0;
  std::string why_not_trivial;

  void serialize(output_archive& a) const {
    a(reads_more);
    if (reads_more < 0) a(extra);
  }
  void serialize(input_archive& a) {
    a(reads_more);
    if (reads_more > 0) a(extra);
  }
};

TEST_P(serialized_tasks, that_cannot_be_read_end_the_process_of_all_ranks) {
  on_ranks(GetParam(), [&](communicator& world) {
    for (std::int32_t const more : {1, -1}) {
      task_collection<one_sided> wrong(world, {.name = "wrong"}, [](one_sided const&) { spin(1); });
      for (int n = 0; n < 20; ++n) wrong.add({n == 9 && world.rank() == 0 ? more : 0, 0, {}});
      EXPECT_THROW(wrong.process(), error) << more;
      EXPECT_EQ(wrong.num_recorded(), 0U);
      EXPECT_EQ(wrong.num_waiting(), 0U);
    }
  });
}

TEST_P(serialized_tasks, are_refused_where_lost_ones_should_run_again) {
  on_ranks(GetParam(), [&](communicator& world) {
    EXPECT_THROW((task_collection<path>(world, {.on_loss = lost_tasks::run_again}, [](path const&) {})), usage_error);
  });
}

TEST_P(serialized_tasks, and_uniform_ones_are_different_types) {
  on_ranks(GetParam(), [&](communicator& world) {
    if (world.size() == 1) return;
    std::optional<task_collection<path>> paths;
    std::optional<task_collection<std::uint64_t>> numbers;
    if (world.rank() == 0) {
      EXPECT_THROW(paths.emplace(world, collection_options{}, [](path const&) {}), usage_error);
    } else {
      EXPECT_THROW(numbers.emplace(world, collection_options{}, [](std::uint64_t) {}), usage_error);
    }
  });
}

/// Trivially copyable, and yet its bytes are not what must travel.
struct row_of_a_table {
  double const* row = nullptr;
  std::uint32_t number = 0;

  static inline double const table[4] = {1, 10, 100, 1000};

  template <class Archive>
  void serialize(Archive& a) {
    a(number);
    row = table + number;
  }
};

TEST_P(serialized_tasks, are_all_that_have_a_serialize) {
  static_assert(std::is_trivially_copyable_v<row_of_a_table>);
  on_ranks(GetParam(), [&](communicator& world) {
    double sum = 0;
    task_collection<row_of_a_table> all(world, {}, [&](row_of_a_table const& t) {
      EXPECT_EQ(t.row, row_of_a_table::table + t.number);
      sum += *t.row;
    });
    if (world.rank() == 0) {
      for (std::uint32_t n = 0; n < 4; ++n) all.add({.row = nullptr, .number = n});
    }
    all.process();
    EXPECT_EQ(world.sum(sum), 1111);
  });
}

TEST_P(serialized_tasks, may_be_containers_as_they_are) {
  on_ranks(GetParam(), [&](communicator& world) {
    double sum = 0;
    task_collection<std::map<std::string, std::vector<double>>> all(world, {}, [&](auto const& columns) {
      for (double const x : columns.at("x")) sum += x;
    });
    for (int n = 0; n < 10; ++n) all.add({{"x", std::vector<double>(10, n)}, {"y", {}}});
    all.process();
    EXPECT_EQ(world.sum(sum), 450.0 * world.size());
  });
}

INSTANTIATE_TEST_SUITE_P(of_ranks, serialized_tasks, ::testing::ValuesIn(numbers_of_ranks()));

}}}}  // namespace skua::v0::ranks
