// SPDX-License-Identifier: MIT
// Random programs whose idle ranks wait on lifelines: plain tasks, serialized ones and ranges, that spawn, add, call progress and fail, on ranks of one
// worker or several, beside a collection that asks at random, started in every way.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "skua/machine/ranks/communicator/communicator.hpp"
#include "skua/parts/base/dice.hpp"
#include "skua/program/collection/task_collection.hpp"
#include "skua/rank_pool.hpp"

namespace skua { inline namespace v0 { namespace ranks { namespace lifeline_programs {

struct plain {
  std::uint64_t value = 0;
  std::uint64_t children = 0;
};

struct written {
  std::uint64_t value = 0;
  std::uint64_t children = 0;
  std::string text = {};

  template <class Archive>
  void serialize(Archive& archive) {
    archive(value, children, text);
  }
};

/// What the tasks of this rank know, and what they have summed up.
struct its_tasks {
  std::uint64_t fails_at = ~std::uint64_t{0};  ///< the value of the task that throws
  std::atomic<std::uint64_t> own{0};
  std::atomic<std::uint64_t> last{0};  ///< the value of one that ran here
};

/// Long enough for others to fall asleep.
inline void spend_time_on(std::uint64_t value) {
  if (value % 32 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
}

template <class Task>
void run_task(task_site<Task>& here, Task const& t, its_tasks& all) {
  if (t.value == all.fails_at) throw error("task " + std::to_string(t.value));
  all.last = t.value;
  all.own += t.value;
  for (std::uint64_t c = 0; c < t.children; ++c) here.spawn({.value = t.value + c, .children = 0});
  if (t.value % 3 == 0) here.progress();
  spend_time_on(t.value);
}

inline void run_task(task_site<index_range>& here, index_range const& r, its_tasks& all) {
  if (r.first <= all.fails_at && all.fails_at < r.last) throw error("task " + std::to_string(all.fails_at));
  all.last = r.first;
  for (std::uint64_t i = r.first; i < r.last; ++i) all.own += i;
  here.progress();
  spend_time_on(r.first);
}

/// Adds this rank's tasks; returns the sum of all ranks'.
template <class Task>
std::uint64_t add_tasks(communicator& world, task_collection<Task>& all, runtime::dice d) {
  std::uint64_t sum = 0;
  std::uint32_t const spread = d.below(3) == 0 ? world.size() : 1 + d.below(2);  // often few ranks have all
  for (std::uint64_t n = 0; n < 48; ++n) {
    std::uint64_t const value = n * 8 + d.below(8);
    std::uint64_t const children = d.below(3);
    bool const is_mine = d.below(spread) % world.size() == world.rank();
    for (std::uint64_t c = 0; c <= children; ++c) sum += c == 0 ? value : value + c - 1;
    if (is_mine) all.add(Task{.value = value, .children = children});
  }
  return sum;
}

inline std::uint64_t add_tasks(communicator& world, task_collection<index_range>& all, runtime::dice d) {
  std::uint64_t sum = 0;
  for (std::uint64_t n = 0; n < 4; ++n) {
    std::uint64_t const first = n * 100;
    std::uint64_t const last = first + 1 + d.below(99);
    std::uint64_t const grain = 1 + d.below(4);
    bool const is_mine = d.below(2) % world.size() == world.rank();
    for (std::uint64_t i = first; i < last; ++i) sum += i;
    if (is_mine) all.add_range(first, last, grain);
  }
  return sum;
}

/// Of a task that ran on some rank. Collective.
inline std::uint64_t a_value(communicator& world, its_tasks const& its) { return world.max(its.last.load()); }

/// Every rank throws in the iteration in which a task does.
template <class Task>
void expect_failure(communicator& world, task_collection<Task>& all) {
  std::string said;
  try {
    all.process();
  } catch (error const& e) {
    said = e.what();
  }
  EXPECT_NE(said.find("task "), std::string::npos) << said;
  EXPECT_EQ(world.sum(all.num_waiting()), 0U);
}

template <class Task>
void iterate(communicator& world, std::uint64_t seed) {
  static constexpr std::array<char const*, 7> starts{"",     "retentive",    "none",    "steal",
                                                     "auto", "hierarchical", "tempered"};
  runtime::dice d(seed * 3 + 1);
  its_tasks its;
  its_tasks others;
  task_collection<Task> all(world, {.name = "on lifelines", .seed = seed, .victims = steal_victims::lifelines},
                            [&](task_site<Task>& here, Task const& t) { run_task(here, t, its); });
  task_collection<plain> random(world, {.name = "at random", .seed = seed},
                                [&](task_site<plain>& here, plain const& t) { run_task(here, t, others); });
  std::uint64_t const wanted = add_tasks(world, all, runtime::dice(seed));
  std::uint64_t const wanted_of_others = add_tasks(world, random, runtime::dice(seed + 1));
  for (int iteration = 0; iteration < 3; ++iteration) {
    bool const one_rests = d.below(4) == 0;
    if (one_rests && d.below(world.size()) == world.rank()) all.enable_stealing(false);
    its.own = others.own = 0;
    all.process();
    EXPECT_EQ(world.sum(its.own.load()), wanted) << "iteration " << iteration;
    if (one_rests) all.enable_stealing(true);
    random.process();
    EXPECT_EQ(world.sum(others.own.load()), wanted_of_others) << "iteration " << iteration;
    std::string const start = starts[d.below(starts.size())];
    start.empty() ? all.restore() : all.restore(start);
    random.restore();
  }
  if (d.below(3) != 0) return;
  its.fails_at = a_value(world, its);
  expect_failure(world, all);
}

/// A whole program on this rank, the same on every rank. Collective.
inline void run(communicator& world, std::uint64_t seed) {
  runtime::dice d(seed);
  std::optional<pool> threads;
  std::optional<rank_pool> working;
  if (std::uint32_t const workers = d.below(3); workers > 0) {  // one; two and a server; two of which one serves
    threads.emplace(workers == 1 ? 2U : 1U);
    working.emplace(world, *threads, workers == 1 ? serving::server_thread : serving::between_tasks);
  }
  switch (d.below(3)) {
    case 0: return iterate<plain>(world, seed);
    case 1: return iterate<written>(world, seed);
    default: return iterate<index_range>(world, seed);
  }
}

}}}}  // namespace skua::v0::ranks::lifeline_programs
