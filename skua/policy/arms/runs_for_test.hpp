// SPDX-License-Identifier: MIT
// For tests of arms: tasks of some types, where a policy puts them, and runs of them on one worker.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>

#include "skua/policy/arms/arms.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace arms_runs {

using arms::tag_fields;

inline constexpr task_type moldable{.number = 3, .moldable = 1};
inline constexpr task_type single{.number = 4};
inline constexpr arms_options by_product{.cost = arms::cost::product};
inline placement here(std::uint32_t w) { return {.worker = worker_id{w}, .lane = lane::inbox}; }
inline placement queued(std::uint32_t w) { return {.worker = worker_id{w}, .lane = lane::migrated}; }
inline placement team(std::uint32_t leader, std::uint16_t width) {
  return {.worker = worker_id{leader}, .lane = lane::inbox, .width = width};
}
inline task_tag tag_of(hint const& h) { return tag_fields{.address = h.address, .type = h.type}.written(); }

/// The worker takes the task from its own queue, and its leader runs it.
inline placement runs(adaptive_moldable& p, std::uint32_t w, task_tag task, std::uint64_t ns) {
  placement const to = p.of_worker(worker_id{w}).place(task, cause::chosen);
  p.of_worker(to.worker).learn(begun{.task = task});
  if (to.width > 1) p.of_worker(to.worker).learn(team_ended{.task = task, .duration_ns = ns});
  p.of_worker(to.worker).learn(ended{.task = task, .duration_ns = ns});
  return to;
}
/// Worker w runs tasks of this kind until each of its partitions is measured: one that runs alone, three per team.
inline void measure(adaptive_moldable& p, std::uint32_t w, task_tag task,
                    std::initializer_list<std::uint64_t> by_width) {
  std::uint16_t last = 0;
  for (std::uint64_t const ns : by_width) {
    placement const to = runs(p, w, task, ns);
    for (int again = 0; to.width > 1 && again < 2; ++again) EXPECT_EQ(runs(p, w, task, ns), to);
    EXPECT_GT(to.width, last);
    last = to.width;
  }
}

}}}}  // namespace skua::v0::policies::arms_runs
