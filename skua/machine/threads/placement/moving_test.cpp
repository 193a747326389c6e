// SPDX-License-Identifier: MIT
// What a policy writes on a task while mailboxes refuse it stays on the task.
#include "skua/machine/threads/placement/moving.hpp"

#include <gtest/gtest.h>

#include "skua/machine/threads/join/frame.hpp"

namespace skua::inline v0::runtime {
namespace {

/// A worker whose neighbour's mailbox is occupied, and whose policy counts refusals in the tag.
struct refused_slot {
  struct lane_of_entries {
    bool is_full = false;
    bool push(tagged_entry const&) { return !is_full; }
    bool push_if_empty(tagged_entry const&) { return !is_full; }
  };
  struct lane_of_frames {
    void push(frame&) {}
  };
  struct counting_policy {
    static constexpr std::uint64_t gives_up_after = 3;
    static bool preempts() { return false; }
    placement place(task_tag& task, cause) const {
      ++task.words[1];
      return {.worker = worker_id{task.words[1] < gives_up_after ? 1U : 0U}, .where = lane::mailbox};
    }
  } policy;
  worker_id id{0};
  std::uint32_t in_workers = 2;
  lane_of_entries mailbox{true};
  lane_of_entries local;
  lane_of_entries migrated;
  lane_of_frames inbox;
  refused_slot& neighbour(worker_id) { return *this; }
  void notify_owner() {}
  void request_attention() {}
};

TEST(moving, a_task_that_stays_after_refusals_has_the_tag_that_the_policy_left) {
  refused_slot mine;
  task some{nullptr};
  tagged_entry entry{&some, 1, {}};
  EXPECT_FALSE(moving::send(mine, entry, {.worker = worker_id{1}, .where = lane::mailbox}));
  EXPECT_EQ(entry.tag.words[1], mine.policy.gives_up_after);
}

}  // namespace
}  // namespace skua::inline v0::runtime
