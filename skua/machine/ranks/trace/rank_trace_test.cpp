// SPDX-License-Identifier: MIT
// Each rank writes a trace of its own: together they have every task, every iteration, and both ends of every message.
#include "skua/machine/ranks/trace/rank_trace.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "skua/machine/ranks/communicator/communicator_core.hpp"
#include "skua/machine/ranks/transport/loopback.hpp"
#include "skua/machine/ranks/transport/ranks_for_test.hpp"
#include "skua/parts/trace/trace_reader.hpp"
#include "skua/rank_pool.hpp"
#include "skua/ranks.hpp"

namespace skua { inline namespace v0 { namespace ranks { namespace {

using trace::kind;

constexpr std::uint32_t iterations = 3;
constexpr int first_tasks = 40;
constexpr int spawned_by_each = 3;

/// Some are long enough to be stolen; those that are spawned are short, and are noted in batches.
void busy(std::uint64_t rounds) {
  std::atomic<std::uint64_t> spins{0};
  while (spins.fetch_add(1, std::memory_order_relaxed) < rounds) {}  // relaxed: only to take time
}

void run(communicator& world) {
  task_collection<int> tasks(world, {}, [](task_site<int>& here, int const& n) {
    busy(n < 0 ? 10 : 20'000);
    for (int i = 0; n >= 0 && i < spawned_by_each; ++i) here.spawn(-1);
  });
  if (world.rank() == 0) {
    for (int i = 0; i < first_tasks; ++i) tasks.add(i);
  }
  for (std::uint32_t i = 0; i < iterations; ++i) {
    tasks.process();
    EXPECT_EQ(tasks.report().tasks, first_tasks * (1U + spawned_by_each));
    tasks.restore();
  }
}

/// What the files of all ranks say together.
struct sums {
  std::uint64_t tasks = 0;
  std::uint64_t executed = 0;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::array<std::uint64_t, 2>> sent,
      received;                  ///< by sender, receiver
  std::uint64_t in_replies = 0;  ///< tasks that came from other ranks
};

void add(sums& all, trace::trace_data const& of) {
  EXPECT_TRUE(of.is_complete) << of.path;
  EXPECT_NE(of.description.find(R"("distance_of_ranks":)" + std::to_string(stolen_from_rank)), std::string::npos);
  std::vector<std::uint64_t> began;
  std::vector<std::uint64_t> ended;
  for (trace::track_events const& t : of.tracks) {
    EXPECT_EQ(t.lost, 0u);
    for (trace::event const& e : t.events) {
      if (e.what == kind::task_ended) all.tasks += e.value;
      if (e.what == kind::iteration_began) began.push_back(e.value);
      if (e.what == kind::iteration_ended) {
        ended.push_back(e.value);
        all.executed += e.id;
      }
      if (e.what == kind::stolen && e.count == stolen_from_rank) all.in_replies += e.value;
      if (e.what != kind::message_sent && e.what != kind::message_received) continue;
      bool const out = e.what == kind::message_sent;
      auto& between = out ? all.sent[{of.rank, e.other}] : all.received[{e.other, of.rank}];
      ++between[0];
      between[1] += e.value;
    }
  }
  EXPECT_EQ(began, (std::vector<std::uint64_t>{1, 2, 3})) << of.path;
  EXPECT_EQ(ended, began) << of.path;
}

class traced_ranks : public on_each_number_of_ranks {};
INSTANTIATE_TEST_SUITE_P(ranks, traced_ranks, ::testing::ValuesIn(numbers_of_ranks()));

void expect_whole_traces(std::uint32_t ranks, std::function<void(communicator&)> const& program) {
  std::string where = (std::filesystem::temp_directory_path() / "skua_rank_trace_XXXXXX").string();
  std::filesystem::path const folder = ::mkdtemp(where.data());
  std::string const base = (folder / "t").string();
  ::setenv("SKUA_TRACE", base.c_str(), 1);
  ::setenv("SKUA_TRACE_SIZE", "4m", 1);
  on_ranks(ranks, program);
  ::unsetenv("SKUA_TRACE");
  ::unsetenv("SKUA_TRACE_SIZE");
  std::vector<std::string> const files = trace::files_of_trace(base);
  ASSERT_EQ(files.size(), ranks);
  sums all;
  for (std::uint32_t r = 0; r < ranks; ++r) {
    trace::trace_data const of = trace::read_trace(files[r]);
    EXPECT_EQ(of.rank, r);
    EXPECT_EQ(of.ranks, ranks);
    add(all, of);
  }
  std::filesystem::remove_all(folder);
  EXPECT_EQ(all.tasks, iterations * first_tasks * (1U + spawned_by_each));
  EXPECT_EQ(all.executed, all.tasks);
  EXPECT_EQ(all.sent, all.received) << "number and bytes, by sender and receiver";
  EXPECT_EQ(all.sent.empty(), ranks == 1);
}

TEST_P(traced_ranks, have_every_task_and_both_ends_of_every_message) { expect_whole_traces(GetParam(), run); }

TEST_P(traced_ranks, have_the_tasks_of_all_their_workers) {
  expect_whole_traces(GetParam(), [](communicator& world) {
    pool threads({.workers = 2, .trace = ""});
    rank_pool const workers(world, threads, world.rank() % 2 == 0 ? serving::server_thread : serving::between_tasks);
    run(world);
  });
}

TEST(traced_pool_of_a_rank, names_the_workers_that_it_lends) {
  std::string where = (std::filesystem::temp_directory_path() / "skua_rank_trace_XXXXXX").string();
  std::filesystem::path const folder = ::mkdtemp(where.data());
  std::string const file = (folder / "pool").string();
  on_ranks(1, [&](communicator& world) {
    pool threads({.workers = 2, .trace = file});
    rank_pool const workers(world, threads);
    run(world);
  });
  trace::trace_data const of = trace::read_trace(file);
  std::filesystem::remove_all(folder);
  std::size_t named = 0;
  for (trace::track_events const& t : of.tracks) {
    for (trace::event const& e : t.events)
      named += e.what == kind::task_began && of.name(e.other) == "rank_worker" ? 1 : 0;
  }
  EXPECT_GE(named, iterations) << "each iteration has the pool's workers";
}

TEST(clocks_of_ranks, differ_by_no_more_than_a_round_trip_where_there_is_one_clock) {
  auto const network = std::make_shared<loopback_network>(4, 1);
  std::vector<std::jthread> threads;
  for (std::uint32_t r = 0; r < 4; ++r) {
    threads.emplace_back([&, r] {
      communicator_core core(loopback_network::owned_end(network, r));
      clock_offset const measured = core.all().measure_clock();
      EXPECT_LE(static_cast<std::uint64_t>(std::abs(measured.ns)), measured.round_trip_ns / 2 + 1);
      EXPECT_TRUE(r > 0 || measured.ns == 0);
    });
  }
}

}}}}  // namespace skua::v0::ranks
