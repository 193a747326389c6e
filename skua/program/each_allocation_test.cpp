// SPDX-License-Identifier: MIT
// What algorithms, groups and flows promise where memory runs out: each allocation of a use fails in turn. The use throws std::bad_alloc or does
// without, nothing leaks, and the next one is as any other.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "skua/parts/ordered/ordered_store.hpp"
#include "skua/program/algorithm/filter.hpp"
#include "skua/program/algorithm/here_test.hpp"
#include "skua/program/algorithm/scan.hpp"
#include "skua/program/algorithm/sort.hpp"
#include "skua/program/algorithm/stable_sort.hpp"
#include "skua/program/executor_test.hpp"
#include "skua/program/flow/flow.hpp"
#include "skua/program/measured_work.hpp"
#include "skua/program/parallel.hpp"
#include "skua/program/recorder.hpp"
#include "skua/program/task_group.hpp"

namespace {

/// How many allocations succeed before one fails; negative: all do.
long before_failure = -1;
/// Allocations that have not been given back.
long alive = 0;

/// What lies before a block, and behind it a tail that nobody may write to. The tail is no zeros, so that who reads it is led astray.
struct head {
  std::size_t bytes;
  std::size_t before;  ///< from the beginning of the memory to the block
};
constexpr std::size_t tail_bytes = 2304;  // more than what a sort of integers keeps for a block
constexpr int tail_value = 0xa5;

void give_back(void* p) {
  if (p == nullptr) return;
  --alive;
  auto* const block = static_cast<unsigned char*>(p);
  head const h = reinterpret_cast<head const*>(block)[-1];
  for (std::size_t i = 0; i < tail_bytes; ++i) {
    if (block[h.bytes + i] != tail_value) {
      std::fputs("somebody wrote behind the end of a block\n", stderr);
      std::abort();
    }
  }
  std::free(block - h.before);
}

void* memory(std::size_t bytes, std::size_t alignment) {
  if (before_failure >= 0 && before_failure-- == 0) throw std::bad_alloc{};
  std::size_t const before = std::max(alignment, sizeof(head));
  std::size_t const all = (before + bytes + tail_bytes + before - 1) / before * before;
  auto* const begin = static_cast<unsigned char*>(std::aligned_alloc(before, all));
  if (begin == nullptr) throw std::bad_alloc{};
  ++alive;
  unsigned char* const block = begin + before;
  reinterpret_cast<head*>(block)[-1] = {bytes, before};
  std::memset(block, tail_value, bytes + tail_bytes);
  return block;
}

}  // namespace

// Out of line: where the compiler inlines only one of the two, it calls them a mismatched pair.
[[gnu::noinline]] void* operator new(std::size_t bytes) { return memory(bytes, alignof(std::max_align_t)); }
[[gnu::noinline]] void* operator new(std::size_t bytes, std::align_val_t a) {
  return memory(bytes, static_cast<std::size_t>(a));
}
[[gnu::noinline]] void operator delete(void* p) noexcept { give_back(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { give_back(p); }
[[gnu::noinline]] void operator delete(void* p, std::align_val_t) noexcept { give_back(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t, std::align_val_t) noexcept { give_back(p); }

namespace skua { inline namespace v0 { namespace runtime { namespace {

/// use() with its first allocation failing, then with its second, and so on until it needs no more. after(threw) each time. How often
/// it threw.
int fail_each_allocation(std::function<void()> const& use, std::function<void(bool threw)> const& after) {
  int threw = 0;
  for (long k = 0;; ++k) {
    SCOPED_TRACE(::testing::Message() << "allocation " << k << " fails");
    bool failed = false;
    before_failure = k;
    try {
      use();
    } catch (std::bad_alloc const&) {
      failed = true;
    }
    bool const is_last = before_failure >= 0;  // it did not come to that one
    before_failure = -1;
    after(failed);
    threw += failed ? 1 : 0;
    if (is_last || ::testing::Test::HasFailure()) return threw;
  }
}

TEST(each_allocation, of_a_run_of_a_flow_leaves_it_as_it_was) {
  serial here;
  flow<serial> graph;
  int ran = 0;
  auto const a = graph.add([&](auto&) { ++ran; });
  auto const b = graph.add(after(a), [&](auto&) { ++ran; });
  graph.add(after(a, b), [&](auto&) { ++ran; });
  int changed = 0;
  graph.add([&](auto&) {
    ++ran;
    try {
      graph.name(a, "a change beside a run");
      ++changed;
    } catch (usage_error const&) {}
  });
  EXPECT_GE(fail_each_allocation([&] { graph.run(here); },
                                 [&](bool) {
                                   ran = 0;
                                   graph.run(here);
                                   EXPECT_EQ(ran, 4);
                                   EXPECT_EQ(changed, 0);
                                 }),
            1);
}

/// Some edges of the new node may be there already: it does nothing in any run, and the flow is whole.
TEST(each_allocation, of_an_addition_to_a_flow_leaves_at_most_a_node_that_does_nothing) {
  auto const shared = std::make_shared<int>(0);
  int const blocks[3] = {};
  for (bool const is_team : {false, true}) {
    std::unique_ptr<flow<serial>> graph;
    int ran = 0;
    serial here;
    int before = 0;
    EXPECT_GE(fail_each_allocation(
                  [&] {
                    long const left = std::exchange(before_failure, -1);
                    graph = std::make_unique<flow<serial>>();
                    before = 0;
                    auto const count = [&](auto&) { ++before; };
                    auto const a = graph->add(writes{&blocks[0], 1}, count);
                    graph->add(reads{&blocks[0], 1}, count);
                    ran = 0;
                    auto const f = [&ran, &before, shared](auto&) {
                      EXPECT_EQ(before, 2);
                      ++ran;
                    };
                    before_failure = left;
                    if (is_team) {
                      graph->add_team(after(a), writes{&blocks[0], 1}, writes{&blocks[1], 1}, reads{&blocks[2], 1}, f);
                    } else {
                      graph->add(after(a), writes{&blocks[0], 1}, writes{&blocks[1], 1}, reads{&blocks[2], 1}, f);
                    }
                  },
                  [&](bool threw) {
                    for (int run = 0; run < 3; ++run) {
                      before = ran = 0;
                      graph->run(here);
                      EXPECT_EQ(before, 2);
                      EXPECT_EQ(ran, threw ? 0 : 1);
                    }
                    EXPECT_GE(graph->nodes(), threw ? 2U : 3U);
                    EXPECT_EQ(graph->bottom_levels().size(), graph->nodes());
                    EXPECT_NE(graph->to_dot().find("n0 -> n1"), std::string::npos);
                    graph.reset();
                    EXPECT_EQ(shared.use_count(), 1);
                  }),
              1);
  }
}

TEST(each_allocation, of_a_group_s_run_starts_nothing) {
  basic_task_group<testing::serial_executor> group;
  int ran = 0;
  auto const shared = std::make_shared<int>(0);
  EXPECT_GE(fail_each_allocation([&] { group.run([&ran, shared] { ++ran; }); },
                                 [&](bool threw) {
                                   EXPECT_EQ(group.wait(), complete);
                                   EXPECT_EQ(std::exchange(ran, 0), threw ? 0 : 1);
                                   EXPECT_EQ(shared.use_count(), 1);
                                 }),
            1);
}

TEST(each_allocation, of_a_feeder_s_addition_comes_out_of_the_loop) {
  auto const shared = std::make_shared<int>(0);
  struct item {
    std::shared_ptr<int> held;
    int left;
  };
  std::vector<item> const roots{{shared, 3}, {shared, 3}};
  int calls = 0;
  EXPECT_GE(fail_each_allocation(
                [&] {
                  calls = 0;
                  on::parallel_for_each<testing::serial_executor>(roots, [&](item const& i, feeder<item>& more) {
                    ++calls;
                    for (int n = 0; n < i.left; ++n) more.add({i.held, i.left - 1});
                  });
                },
                [&](bool threw) {
                  EXPECT_TRUE(threw || calls == 32);
                  EXPECT_EQ(shared.use_count(), 3);
                }),
            1);
}

TEST(each_allocation, of_a_sort_of_integers_is_done_without) {
  std::vector<int> const drawn = testing::numbers(100'000, 5);
  std::vector<int> data;
  data.reserve(drawn.size());
  serial here;
  fail_each_allocation(
      [&] {
        data = drawn;
        sort(here, data);
      },
      [&](bool threw) {
        EXPECT_TRUE(threw || std::ranges::is_sorted(data));
        EXPECT_EQ(std::accumulate(data.begin(), data.end(), 0L), std::accumulate(drawn.begin(), drawn.end(), 0L));
      });
  before_failure = 0;  // the buffer, for which there is a way without it
  data = drawn;
  EXPECT_NO_THROW(sort(here, data));
  before_failure = -1;
  EXPECT_TRUE(std::ranges::is_sorted(data));
}

/// Of which the largest bucket has one value: who reads behind what a level has counted would divide it for ever.
TEST(each_allocation, of_a_sort_of_few_integers_is_not_read_behind_its_end) {
  std::vector<int> data = testing::numbers(200'000, 5, 2);
  serial alone;
  sort(alone, data);
  EXPECT_TRUE(std::ranges::is_sorted(data));
  data = testing::numbers(200'000, 6, 2);
  shuffled several{3, 4};
  sort(several, data);
  EXPECT_TRUE(std::ranges::is_sorted(data));
}

TEST(each_allocation, of_a_stable_sort_leaves_the_range_untouched) {
  std::vector<int> const drawn = testing::numbers(5'000, 5);
  std::vector<int> data;
  data.reserve(drawn.size());
  serial here;
  EXPECT_GE(fail_each_allocation(
                [&] {
                  data = drawn;
                  stable_sort(here, data);
                },
                [&](bool threw) { EXPECT_TRUE(threw ? data == drawn : std::ranges::is_sorted(data)); }),
            1);
}

TEST(each_allocation, of_the_others_leaks_nothing) {
  serial here;
  shuffled several{3, 4};
  auto const held = std::make_shared<int>(1);
  using shared = std::shared_ptr<int>;
  std::vector<shared> const in(20, held);
  std::vector<shared> out(20);
  auto const newest = [](shared const&, shared const& b) { return b; };
  auto const uses = std::vector<std::function<void()>>{
      [&] { static_cast<void>(filter(here, in, [](shared const&) { return true; }, grain{3})); },
      [&] { static_cast<void>(inclusive_scan(several, in, out.begin(), shared(), newest, grain{3})); },
      [&] { static_cast<void>(exclusive_scan(here, in, out.begin(), shared(), newest, grain{3})); },
      [&] { measured_work().join_each(here, in, [](auto&, shared const&) {}); },
      [&] { measured_work().join_each(here, in, [](auto&, shared const&, measured_work&) {}); }};
  for (auto const& use : uses) {
    fail_each_allocation(use, [&](bool) {
      std::ranges::fill(out, nullptr);
      EXPECT_EQ(held.use_count(), 21);
    });
  }
}

TEST(each_allocation, of_an_ordered_store_and_its_readers_is_given_back) {
  long left = 0;
  EXPECT_GE(fail_each_allocation(
                [&] {
                  long const before = alive;
                  try {
                    ordered_store<> const store(requester{.worker = worker_id{0}});
                    ordered_store<>::reader const thief(requester{.worker = worker_id{1}, .steals = true});
                  } catch (std::bad_alloc const&) {
                    left = alive - before;
                    throw;
                  }
                  left = alive - before;
                },
                [&](bool) { EXPECT_EQ(left, 0); }),
            3);
}

TEST(each_allocation, of_algorithms_is_given_back) {
  serial here;
  std::vector<int> const drawn = testing::numbers(3'000, 5);
  std::vector<int> data(drawn.size());
  long left = 0;
  auto const uses = std::vector<std::function<void()>>{
      [&] { stable_sort(here, data, std::less<>{}, grain{64}); }, [&] { sort(here, data); },
      [&] { static_cast<void>(filter(here, data, [](int x) { return x % 2 == 0; }, grain{64})); },
      [&] {
        std::vector<std::string> texts(50, "a text that is longer than one without memory of its own");
        stable_sort(here, texts, std::less<>{}, grain{8});
      }};
  for (auto const& use : uses) {
    fail_each_allocation(
        [&] {
          std::ranges::copy(drawn, data.begin());
          long const before = alive;
          try {
            use();
          } catch (std::bad_alloc const&) {
            left = alive - before;
            throw;
          }
          left = alive - before;
        },
        [&](bool) { EXPECT_EQ(left, 0); });
  }
}

TEST(each_allocation, of_a_mark_is_a_mark_that_is_not_there) {
  recorder here;
  before_failure = 0;
  mark(here, "lost", 1);
  before_failure = -1;
  mark(here, "kept", 2);
  task_tree const tree = here.take();
  ASSERT_EQ(tree.marks().size(), 1U);
  EXPECT_STREQ(tree.marks().front().name, "kept");
}

}}}}  // namespace skua::v0::runtime
