// SPDX-License-Identifier: MIT
// Each message comes to the collection and the process() that it belongs to, or waits for them, or is too late.
#include "skua/machine/ranks/protocol/post_office.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "skua/machine/ranks/protocol/one_engine_for_test.hpp"

namespace skua { inline namespace v0 { namespace ranks { namespace {

using one_engine::numbers, one_engine::recording;

struct communicator_of_test final : receiver {
  void on_message(message const& m) override { heard.push_back(m.head.a); }
  void on_sent(std::uint64_t token) override { completed.push_back(token); }
  std::vector<std::uint64_t> heard;
  std::vector<std::uint64_t> completed;
};

/// Rank 0 of two: what it hears of rank 1 in a collection shows in the rounds and the failures of that engine.
struct office_of_test {
  office_of_test() : network(0, 2, {0, 2}), office(others) {}

  struct collection {
    collection(std::uint32_t n, transport& network)
        : queue(numbers.bytes()), engine({.collection = n, .owner_answers = true, .shape = numbers}, queue, network) {}
    split_queue queue;
    process_engine engine;
  };
  void hear(std::uint32_t collection, std::uint32_t epoch, kind what, std::uint64_t word = 0) {
    message_header const h{.kind = what, .collection = collection, .epoch = epoch, .sender = 1, .a = word};
    office.on_message({h, {}});
  }
  void open(std::uint32_t number, collection& c, std::uint32_t epoch) {
    c.engine.begin(epoch);
    office.open(number, c.engine);
  }
  /// The process() that it is in ends.
  void end(std::uint32_t number, collection& c) {
    hear(number, c.engine.epoch(), kind::vote, 1);
    c.engine.vote({});
    hear(number, c.engine.epoch(), kind::drained);
    c.engine.vote({});
    ASSERT_TRUE(c.engine.has_left());
  }

  recording network;
  communicator_of_test others;
  post_office office;
  collection a{1, network};
  collection b{2, network};
};

TEST(post_office, what_is_for_no_collection_is_for_the_communicator) {
  office_of_test t;
  t.hear(0, 0, kind::contribution, 7);
  EXPECT_EQ(t.others.heard, (std::vector<std::uint64_t>{7}));
  t.office.on_sent(12);
  EXPECT_EQ(t.others.completed, (std::vector<std::uint64_t>{12}));
}

TEST(post_office, what_comes_before_its_process_waits_for_it_and_comes_once) {
  office_of_test t;
  t.hear(1, 1, kind::cancel, 2);
  t.hear(1, 2, kind::cancel, 3);
  t.hear(1, 2, kind::steal_request, 1);
  t.hear(2, 1, kind::cancel, 4);
  t.open(1, t.a, 1);
  ASSERT_TRUE(t.a.engine.failed());
  EXPECT_EQ(t.a.engine.failed()->rank, 1U) << "of this process() of this collection";
  t.open(2, t.b, 1);
  ASSERT_TRUE(t.b.engine.failed());
  EXPECT_EQ(t.b.engine.failed()->rank, 3U);
  t.end(1, t.a);
  t.open(1, t.a, 2);
  ASSERT_TRUE(t.a.engine.failed());
  EXPECT_EQ(t.a.engine.failed()->rank, 2U);
  EXPECT_EQ(t.a.engine.counts().asked, 1U) << "once";
  t.end(1, t.a);
  t.open(1, t.a, 3);
  EXPECT_FALSE(t.a.engine.failed());
  EXPECT_TRUE(t.others.heard.empty());
}

TEST(post_office, what_comes_after_its_process_is_dropped) {
  office_of_test t;
  t.open(1, t.a, 1);
  t.end(1, t.a);
  t.open(1, t.a, 2);
  t.hear(1, 1, kind::cancel, 2);
  EXPECT_FALSE(t.a.engine.failed()) << "of the process() before";
  t.end(1, t.a);
  t.office.close(1);
  t.hear(1, 2, kind::cancel, 2);
  EXPECT_FALSE(t.a.engine.failed()) << "it has left";
  t.open(1, t.a, 3);
  EXPECT_FALSE(t.a.engine.failed());
}

TEST(post_office, completions_of_an_abandoned_process_are_dropped) {
  office_of_test t;
  t.open(1, t.a, 1);
  t.office.close(1);
  EXPECT_NO_THROW(t.office.on_sent(std::uint64_t{1} << 32));
  EXPECT_TRUE(t.others.completed.empty());
}

TEST(post_office, what_comes_in_its_process_is_heard_at_once_and_completions_find_their_collection) {
  office_of_test t;
  t.open(1, t.a, 1);
  t.open(2, t.b, 1);
  for (std::uint64_t n = 0; n < 3; ++n) {
    std::uint64_t const slot[2] = {n, 0};
    t.b.queue.push(slot);
  }
  t.hear(2, 1, kind::steal_request, 1);
  auto const given = t.network.take().at(0);
  ASSERT_EQ(given.head.a, 1U);
  std::byte slot[16];
  while (t.b.queue.pop(slot)) {}
  for (int round = 0; round < 2; ++round) {
    t.hear(2, 1, kind::vote, 1);
    t.b.engine.vote({3, 3});
  }
  t.hear(2, 1, kind::drained);
  t.b.engine.vote({3, 3});
  EXPECT_FALSE(t.b.engine.has_left());
  t.office.on_sent(given.token.value());
  EXPECT_TRUE(t.b.engine.has_left());
  EXPECT_FALSE(t.a.engine.has_left());
  EXPECT_TRUE(t.others.completed.empty());
}

}}}}  // namespace skua::v0::ranks
