// SPDX-License-Identifier: MIT
// What an engine does with the blocks of serialized tasks, in a program that counts its memory and spoils what is given back.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include "skua/machine/ranks/protocol/counted_memory_for_test.hpp"
#include "skua/machine/ranks/protocol/one_engine_for_test.hpp"

namespace skua { inline namespace v0 { namespace ranks { namespace {

using counted_memory::alive, one_engine::one_rank, one_engine::sent_message;

constexpr slot_shape blocks{.task_bytes = sizeof(task_block*), .has_block = true};

std::span<std::byte const> bytes_of(std::string const& text) { return std::as_bytes(std::span(text)); }

struct rank_with_blocks : one_rank {
  explicit rank_with_blocks(rank_number me) : one_rank({.owner_answers = true, .me = me, .shape = blocks}) {}
  ~rank_with_blocks() { drop_all(queue, blocks); }
  rank_with_blocks(rank_with_blocks const&) = delete;
  rank_with_blocks& operator=(rank_with_blocks const&) = delete;

  void add(std::string const& task) {
    std::byte* const slot = queue.reserve();
    blocks.put(slot, bytes_of(task));
    blocks.set_mark(slot, {.origin = network.rank(), .spawned = 0});
    queue.commit();
  }
  std::vector<std::string> pop_texts() {
    std::vector<std::string> all;
    task_bytes slot(blocks.bytes());
    while (queue.pop(slot.data())) {
      auto const task = blocks.task_in(slot.data());
      all.emplace_back(reinterpret_cast<char const*>(task.data()), task.size());
      origins.push_back(blocks.mark_of(slot.data()).origin);
      blocks.drop(slot.data());
    }
    return all;
  }
  std::vector<rank_number> origins;
};

TEST(engine_memory, a_serialized_task_leaves_its_rank_whole_and_nothing_of_it_stays) {
  long const before = alive();
  {
    rank_with_blocks victim(1);
    rank_with_blocks thief(6);
    for (char const* const task : {"first", "", "a third one, which is longer", "4", "5"}) victim.add(task);
    victim.hear(kind::steal_request, 6, 100);
    sent_message const given = victim.network.take().at(0);
    ASSERT_EQ(given.head.a, 2U);
    EXPECT_FALSE(given.token);
    EXPECT_EQ(given.body.size(), 2 * (sizeof(slot_mark) + sizeof(std::uint64_t)) + 5);
    EXPECT_EQ(victim.pop_texts(), (std::vector<std::string>{"5", "4", "a third one, which is longer"}));
    thief.engine.ask(1, 0);
    thief.hear(kind::steal_reply, 1, given.head.a, given.text());
    EXPECT_EQ(thief.pop_texts(), (std::vector<std::string>{"", "first"}));
    EXPECT_EQ(thief.origins, (std::vector<rank_number>{1, 1}));
  }
  EXPECT_EQ(alive(), before);
}

TEST(engine_memory, slots_of_packed_tasks_are_used_again) {
  long const before = alive();
  {
    rank_with_blocks victim(1);
    for (int round = 0; round < 20; ++round) {
      for (int n = 0; n < 12; ++n) victim.add("task");
      victim.hear(kind::steal_request, 6, 100);
      EXPECT_EQ(victim.pop_texts().size(), 12 - victim.network.take().at(0).head.a);
    }
    EXPECT_EQ(victim.queue.capacity(), 16U);
    victim.add("waits");
    victim.add("waits, too");
  }
  EXPECT_EQ(alive(), before) << "what waits is dropped with its queue";
}

TEST(engine_memory, packed_bytes_know_where_a_task_ends) {
  task_bytes packed;
  task_bytes slot(blocks.bytes());
  blocks.put(slot.data(), bytes_of("task"));
  blocks.set_mark(slot.data(), {.origin = 3, .spawned = 1});
  blocks.pack(slot.data(), packed);
  blocks.drop(slot.data());
  std::size_t const size = packed.size();
  ASSERT_EQ(size, sizeof(slot_mark) + sizeof(std::uint64_t) + 4);
  for (std::size_t n = 0; n < size; ++n) EXPECT_FALSE(blocks.packed_bytes(std::span(packed).first(n))) << n;
  EXPECT_EQ(blocks.packed_bytes(packed), size);
  packed.push_back(std::byte{1});
  EXPECT_EQ(blocks.packed_bytes(packed), size);
  std::span<std::byte const> from(packed);
  blocks.unpack(from, slot.data());
  EXPECT_EQ(from.size(), 1U);
  EXPECT_EQ(blocks.mark_of(slot.data()).origin, 3U);
  EXPECT_EQ(blocks.mark_of(slot.data()).spawned, 1U);
  blocks.drop(slot.data());
  // A size that is no size.
  std::memset(packed.data() + sizeof(slot_mark), 0xFF, sizeof(std::uint64_t));
  EXPECT_FALSE(blocks.packed_bytes(packed));
  slot_shape const uniform{.task_bytes = 8};
  task_bytes one(sizeof(slot_mark) + 8);
  EXPECT_EQ(uniform.packed_bytes(one), one.size());
  EXPECT_FALSE(uniform.packed_bytes(std::span(one).first(one.size() - 1)));
}

TEST(engine_memory, a_queue_that_grows_keeps_the_ring_that_it_has_left_until_it_grows_again) {
  long const before = alive();
  split_queue queue(sizeof(std::uint64_t));
  for (std::uint64_t n = 0; n < 4096; ++n) queue.push(&n);
  EXPECT_EQ(queue.capacity(), 4096U);
  EXPECT_EQ(alive() - before, 1 + 2 * 2) << "their list, and two rings with their memory";
}

TEST(engine_memory, a_queue_that_cannot_grow_keeps_all_that_it_had) {
  for (long after = 0;; ++after) {
    split_queue queue(sizeof(std::uint64_t));
    std::uint64_t n = 0;
    for (; n < 16; ++n) queue.push(&n);
    bool failed = false;
    bool threw = false;
    {
      counted_memory::one_failure const fails(after);
      try {
        queue.push(&n);
      } catch (std::bad_alloc const&) {
        threw = true;
      }
      failed = fails.happened();
    }
    EXPECT_EQ(threw, failed);
    EXPECT_EQ(queue.size(), threw ? 16U : 17U);
    if (threw) queue.push(&n);
    for (std::uint64_t wanted = 17; wanted-- > 0;) {
      std::uint64_t got = 99;
      ASSERT_TRUE(queue.pop(&got));
      ASSERT_EQ(got, wanted);
    }
    if (!failed) break;
  }
}

}}}}  // namespace skua::v0::ranks
