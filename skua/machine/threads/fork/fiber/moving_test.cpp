// SPDX-License-Identifier: MIT
// What mailboxes refuse, and that what a policy writes on a refused task stays on it.
#include "skua/machine/threads/fork/fiber/moving.hpp"

#include <gtest/gtest.h>

#include "skua/machine/threads/fork/fiber/frame.hpp"
#include "skua/parts/queue/tagged_queue.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace {

/// A worker and its neighbour with lanes as workers have them, and a policy that keeps what is refused.
struct slot_with_a_mailbox {
  struct keeping_policy {
    static bool preempts() { return false; }
    placement place(task_tag&, cause why) {
      if (why == cause::refused) ++refusals;
      return {.worker = worker_id{0}, .lane = lane::local};
    }
    int refusals = 0;
  } policy;
  struct lane_of_frames {
    void push(frame&) {}
  } inbox;
  worker_id id{0};
  std::uint32_t in_workers = 2;
  tagged_queue<tagged_entry> mailbox{1};
  tagged_queue<tagged_entry> local{1};
  tagged_queue<tagged_entry> migrated{1};
  tagged_queue<tagged_entry> nodes{1};
  slot_with_a_mailbox* other = nullptr;
  int notified = 0;
  slot_with_a_mailbox& neighbour(worker_id) { return *other; }
  void notify_owner() { ++notified; }
  void request_attention() {}
};

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
      return {.worker = worker_id{task.words[1] < gives_up_after ? 1U : 0U}, .lane = lane::mailbox};
    }
  } policy;
  worker_id id{0};
  std::uint32_t in_workers = 2;
  lane_of_entries mailbox{true};
  lane_of_entries local;
  lane_of_entries migrated;
  lane_of_entries nodes;
  lane_of_frames inbox;
  refused_slot& neighbour(worker_id) { return *this; }
  void notify_owner() {}
  void request_attention() {}
};

TEST(moving, a_task_that_stays_after_refusals_has_the_tag_that_the_policy_left) {
  refused_slot mine;
  task some{nullptr};
  tagged_entry entry{&some, 1, {}};
  EXPECT_FALSE(moving::send(mine, entry, {.worker = worker_id{1}, .lane = lane::mailbox}));
  EXPECT_EQ(entry.tag.words[1], mine.policy.gives_up_after);
}

TEST(moving, a_mailbox_that_holds_a_task_refuses_the_next_one) {
  slot_with_a_mailbox mine;
  slot_with_a_mailbox theirs;
  mine.other = &theirs;
  task first{nullptr};
  task second{nullptr};
  placement const there{.worker = worker_id{1}, .lane = lane::mailbox};
  EXPECT_TRUE(moving::send(mine, tagged_entry{&first, 1, {}}, there));
  EXPECT_EQ(mine.policy.refusals, 0);
  EXPECT_FALSE(moving::send(mine, tagged_entry{&second, 1, {}}, there)) << "the policy keeps it";
  EXPECT_EQ(mine.policy.refusals, 1);
  EXPECT_EQ(theirs.notified, 1) << "the neighbour hears of the task that it got";
  tagged_entry got;
  auto const any = [](tagged_entry const&) { return true; };
  EXPECT_EQ(theirs.mailbox.take_oldest(got, any), outcome::got);
  EXPECT_EQ(got.item, &first);
  EXPECT_EQ(theirs.mailbox.take_oldest(got, any), outcome::empty);
  placement went;
  EXPECT_TRUE(moving::send(mine, tagged_entry{&second, 1, {}}, there, &went)) << "an emptied mailbox takes another one";
  EXPECT_EQ(went.worker, there.worker);
  EXPECT_EQ(went.lane, there.lane);
}

}}}}  // namespace skua::v0::runtime
