// SPDX-License-Identifier: MIT
// Regions and loops of an OpenMP program: times of members, waits and serial time, from events in which they are plain to see.
#include "cli/report/constructs.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "cli/report/invented_test.hpp"

namespace skua::cli::traced { namespace {

using trace::construct;
using trace::id_of_member;

event construct_begins(construct what, std::uint64_t number, std::uint32_t member, std::uint32_t name = 0,
                       std::uint64_t value = 0) {
  return {.what = kind::construct_began,
          .detail = static_cast<std::uint8_t>(what),
          .count = 2,
          .other = name,
          .id = id_of_member(number, member),
          .value = value};
}
event construct_ends(construct what, std::uint64_t number, std::uint32_t member, std::uint64_t value = 0,
                     std::uint32_t chunks = 0) {
  return {.what = kind::construct_ended,
          .detail = static_cast<std::uint8_t>(what),
          .other = chunks,
          .id = id_of_member(number, member),
          .value = value};
}
std::uint64_t level_1(std::uint32_t member) { return std::uint64_t{1} << 32 | member; }

/// Region 1 of two members in [100, 200): member 0 works 100, member 1 works 40, of which 10 in a loop, and waits 20 for a lock.
std::vector<std::vector<event>> one_region() {
  return {{at(100, construct_begins(construct::parallel, 1, 0, 1, level_1(0))),
           at(200, construct_ends(construct::parallel, 1, 0))},
          {at(100, construct_begins(construct::parallel, 1, 1, 1, level_1(1))),
           at(110, construct_begins(construct::loop, 1, 1, 2, 64)),
           at(120, construct_ends(construct::loop, 1, 1, 48, 3)), at(120, construct_begins(construct::lock, 1, 1)),
           at(140, construct_ends(construct::lock, 1, 1)), at(160, construct_ends(construct::parallel, 1, 1))}};
}

TEST(constructs, members_of_a_region_are_busy_or_wait) {
  run const r = invented(one_region());
  openmp_times const all = openmp_times_of(r, replay(r));
  ASSERT_EQ(all.regions.size(), 1u);
  region_times const& region = all.regions[0];
  EXPECT_EQ(region.name, 1u);
  EXPECT_EQ(region.calls, 1u);
  EXPECT_EQ(region.members, 2u);
  EXPECT_EQ(region.level, 1u);
  EXPECT_EQ(region.total_ns, 100u);
  EXPECT_EQ(region.team_ns, 200u);
  EXPECT_EQ(region.longest_ns, 100u);
  EXPECT_EQ(region.mean_ns, 70u) << "of 100 and 40";
  EXPECT_EQ(region.lock_ns, 20u);
  EXPECT_EQ(region.barrier_ns, 40u) << "from the end of member 1 to that of the region";
  EXPECT_EQ(region.starting_ns, 0u);
  EXPECT_EQ(all.serial_ns, 100u) << "before it";
  ASSERT_EQ(all.loops.size(), 1u);
  EXPECT_EQ(all.loops[0].name, 2u);
  EXPECT_EQ(all.loops[0].runs, 1u);
  EXPECT_EQ(all.loops[0].iterations, 48u);
  EXPECT_EQ(all.loops[0].chunks, 3u);
  EXPECT_EQ(all.loops[0].total_ns, 10u);
}

TEST(constructs, a_wait_is_idle_and_no_task) {
  run const r = invented(one_region());
  history const h = replay(r);
  std::uint64_t idle = 0, work = 0;
  for (segment const& s : h.of_worker[1]) {
    if (s.what == activity::idle) idle += s.ns();
    if (s.what == activity::work && s.task != no_task) work += s.ns();
  }
  EXPECT_EQ(idle, 20u);
  EXPECT_EQ(work, 40u) << "behind the region nothing says what the worker does";
  EXPECT_TRUE(h.tasks.empty()) << "regions and loops are no tasks";
}

TEST(constructs, time_between_regions_is_serial) {
  auto events = one_region();
  for (std::uint32_t m = 0; m < 2; ++m) {
    events[m].push_back(at(300, construct_begins(construct::parallel, 2, m, 2, level_1(m))));
    events[m].push_back(at(350, construct_ends(construct::parallel, 2, m)));
  }
  run r = invented(events);
  openmp_times all = openmp_times_of(r, replay(r));
  ASSERT_EQ(all.regions.size(), 2u);
  EXPECT_EQ(all.regions[0].serial_before_ns, 0u) << "the first one";
  EXPECT_EQ(all.regions[1].serial_before_ns, 100u);
  EXPECT_EQ(all.serial_ns, 200u);
  EXPECT_EQ(all.known_ns, 350u);
  r.workers[0].lost = 1;  // perhaps a region before the first one
  all = openmp_times_of(r, replay(r));
  EXPECT_EQ(all.serial_ns, 100u);
  EXPECT_EQ(all.known_ns, 250u);
}

/// A task that a member runs while it waits counts for the region, and for the member that runs it.
TEST(constructs, tasks_belong_to_their_region) {
  run const r =
      invented({{at(0, construct_begins(construct::parallel, 1, 0, 1, level_1(0))),
                 at(10, construct_begins(construct::children, 1, 0)), at(20, {.what = kind::task_began, .id = 7}),
                 at(20, construct_begins(construct::task, 5, 0, 2, 1)), at(50, construct_ends(construct::task, 5, 0)),
                 at(50, {.what = kind::task_ended, .id = 7}), at(60, construct_ends(construct::children, 1, 0)),
                 at(60, construct_ends(construct::parallel, 1, 0))}});
  history const h = replay(r);
  openmp_times const all = openmp_times_of(r, h);
  ASSERT_EQ(all.regions.size(), 1u);
  EXPECT_EQ(all.regions[0].longest_ns, 40u) << "10 of its own, and the task's 30";
  EXPECT_EQ(all.regions[0].children_ns, 20u);
  ASSERT_EQ(h.tasks.size(), 1u) << "by its place, not the task of the runtime around it";
  EXPECT_EQ(h.tasks[0].name, 2u);
  EXPECT_EQ(h.tasks[0].own_ns, 30u);
}

TEST(constructs, what_began_before_the_oldest_event_is_left_out) {
  run const r =
      invented({{at(10, construct_ends(construct::loop, 1, 0)), at(20, construct_ends(construct::parallel, 1, 0)),
                 at(30, construct_begins(construct::parallel, 2, 0, 1, level_1(0)))}});
  EXPECT_TRUE(openmp_times_of(r, replay(r)).regions.empty());
  EXPECT_TRUE(openmp_json(r, replay(r)).is_null());
}

}}  // namespace skua::cli::traced
