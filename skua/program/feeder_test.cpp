// SPDX-License-Identifier: MIT
// parallel_for_each with a feeder: every item is done once, whoever added it; failures, stops, items of every kind.
#include "skua/program/feeder.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <list>
#include <memory>
#include <new>
#include <ranges>
#include <sstream>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <vector>

#include "skua/program/executor_test.hpp"
#include "skua/program/parallel.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace {

template <class Executor>
class feeding_on : public ::testing::Test {};
using executors = ::testing::Types<testing::serial_executor, testing::toy_executor>;
TYPED_TEST_SUITE(feeding_on, executors);

TYPED_TEST(feeding_on, every_item_of_a_tree_is_done_once) {
  constexpr int n = 10'000;
  std::vector<std::atomic<int>> seen(n);
  std::vector<int> const roots{1, 2};
  on::parallel_for_each<TypeParam>(roots, [&](int i, feeder<int>& more) {
    seen[static_cast<std::size_t>(i)].fetch_add(1, std::memory_order_relaxed);
    for (int child : {2 * i + 1, 2 * i + 2}) {
      if (child < n) more.add(child);
    }
  });
  for (int i = 1; i < n; ++i) EXPECT_EQ(seen[static_cast<std::size_t>(i)], 1) << i;
}

TYPED_TEST(feeding_on, no_element_and_no_addition_are_fine) {
  std::atomic<int> calls{0};
  auto const body = [&](int, feeder<int>&) { calls.fetch_add(1, std::memory_order_relaxed); };
  on::parallel_for_each<TypeParam>(std::vector<int>{}, body);
  EXPECT_EQ(calls, 0);
  on::parallel_for_each<TypeParam>(std::vector<int>(7), body);
  EXPECT_EQ(calls, 7);
}

TYPED_TEST(feeding_on, iterators_and_bodies_of_every_kind) {
  std::atomic<int> sum{0};
  std::list<int> const linked{3, 3};
  on::parallel_for_each<TypeParam>(linked, [&](int const& i, auto& more) {
    sum += i;
    if (i > 1) more.add(i - 1);
  });
  EXPECT_EQ(sum, 12);
  std::istringstream text("3 3");
  on::parallel_for_each<TypeParam>(std::istream_iterator<int>(text), std::istream_iterator<int>(),
                                   [&](int&& i, feeder<int>& more) {
                                     sum += i;
                                     if (i > 1) more.add(i - 1);
                                   });
  EXPECT_EQ(sum, 24);
  std::vector<int> elements{3, 3};
  on::parallel_for_each<TypeParam>(elements, [&](int& i, feeder<int>& more) {
    sum += i;
    if (i > 1) more.add(i - 1);
    i = 0;
  });
  EXPECT_EQ(sum, 36);
  EXPECT_EQ(elements, (std::vector<int>{0, 0})) << "elements come as they are, not as copies";
}

TYPED_TEST(feeding_on, items_may_only_move_and_are_destroyed) {
  auto const alive = std::make_shared<int>(0);
  struct node {
    std::unique_ptr<int> depth;
    std::shared_ptr<int> shared;
  };
  std::atomic<int> calls{0};
  auto const body = [&](node const& n, feeder<node>& more) {
    ++calls;
    for (int i = 0; i < 2 && *n.depth > 0; ++i) more.add(node{std::make_unique<int>(*n.depth - 1), n.shared});
  };
  std::vector<node> roots(1);
  roots[0] = {std::make_unique<int>(6), alive};
  on::parallel_for_each<TypeParam>(roots, body);
  EXPECT_EQ(calls, 127);
  EXPECT_EQ(alive.use_count(), 2);
  EXPECT_THROW(on::parallel_for_each<TypeParam>(roots,
                                                [&](node const& n, feeder<node>& more) {
                                                  body(n, more);
                                                  if (*n.depth == 3) throw std::runtime_error("depth 3");
                                                }),
               std::runtime_error);
  EXPECT_EQ(alive.use_count(), 2) << "dropped items are destroyed, too";
}

struct walker {
  int left;
  std::atomic<int>* steps;
  void walk(feeder<walker>& more) {
    ++*steps;
    if (left > 0) more.add({left - 1, steps});
  }
};

TYPED_TEST(feeding_on, a_body_may_be_a_pointer_to_a_member) {
  std::atomic<int> steps{0};
  std::vector<walker> all(3, walker{4, &steps});
  on::parallel_for_each<TypeParam>(all, &walker::walk);
  EXPECT_EQ(steps, 15);
}

TYPED_TEST(feeding_on, an_exception_of_an_element_or_an_item_comes_out_and_drops_the_rest) {
  for (int const bad : {0, 1, 77}) {
    std::atomic<int> calls{0};
    try {
      on::parallel_for_each<TypeParam>(std::vector<int>{0}, [&](int i, feeder<int>& more) {
        ++calls;
        if (i == bad) throw std::out_of_range(std::to_string(i));
        more.add(i + 1);
      });
      ADD_FAILURE() << "it throws";
    } catch (std::out_of_range const& e) {
      EXPECT_EQ(e.what(), std::to_string(bad));
    }
    EXPECT_EQ(calls, bad + 1);
  }
}

TYPED_TEST(feeding_on, a_stop_ends_an_endless_feed) {
  std::stop_source source;
  std::atomic<int> calls{0};
  auto const endless = [&](int i, feeder<int>& more) {
    if (++calls == 100) source.request_stop();
    more.add(i + 1);
    more.add(i + 1);
  };
  EXPECT_THROW(on::parallel_for_each<TypeParam>(std::vector<int>{0}, endless, source.get_token()), cancelled);
  EXPECT_GE(calls, 100);
  int const before = calls;
  EXPECT_THROW(on::parallel_for_each<TypeParam>(std::vector<int>{0}, endless, source.get_token()), cancelled);
  EXPECT_EQ(calls, before);
  task_group_context context;
  on::parallel_for_each<TypeParam>(
      std::vector<int>{0},
      [&](int i, feeder<int>& more) {
        if (++calls == before + 100) context.cancel_group_execution();
        more.add(i);
      },
      context);
  EXPECT_GE(calls, before + 100);
}

TYPED_TEST(feeding_on, a_late_stop_that_drops_nothing_is_no_cancellation) {
  std::stop_source source;
  std::atomic<int> calls{0};
  EXPECT_NO_THROW(on::parallel_for_each<TypeParam>(
      std::vector<int>{1},
      [&](int i, feeder<int>& more) {
        ++calls;
        if (i > 0) more.add(i - 1);
        if (i == 0) source.request_stop();
      },
      source.get_token()));
  EXPECT_EQ(calls, 2);
}

TYPED_TEST(feeding_on, a_stop_that_drops_elements_is_reported) {
  std::stop_source source;
  std::atomic<int> calls{0};
  EXPECT_THROW(on::parallel_for_each<TypeParam>(
                   std::vector<int>(1000),
                   [&](int, feeder<int>&) {
                     if (++calls == 5) source.request_stop();
                   },
                   source.get_token()),
               cancelled);
  EXPECT_LT(calls, 1000);
}

/// Another cause than a stop of this call: a body that waited for something which was cancelled, say.
TYPED_TEST(feeding_on, a_body_that_throws_cancelled_is_reported) {
  for (int const bad : {0, 1}) {
    EXPECT_THROW(on::parallel_for_each<TypeParam>(std::vector<int>{0},
                                                  [&](int i, feeder<int>& more) {
                                                    if (i == bad) throw cancelled{};
                                                    if (i == 0) more.add(1);
                                                  }),
                 cancelled);
  }
}

TYPED_TEST(feeding_on, an_iterator_that_throws_is_a_failure) {
  std::vector<int> const numbers{0, 1, 2, 3};
  auto const all = numbers | std::views::transform([](int i) {
                     if (i == 2) throw std::out_of_range("2");
                     return i;
                   });
  EXPECT_THROW(on::parallel_for_each<TypeParam>(all.begin(), all.end(), [](int, feeder<int>&) {}), std::out_of_range);
}

using eager = testing::eager_executor;

TEST(feeding_at_once, an_item_that_fails_drops_the_elements_that_have_not_begun) {
  std::vector<int> elements;
  EXPECT_THROW(on::parallel_for_each<eager>(std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8},
                                            [&](int i, feeder<int>& more) {
                                              if (i < 0) throw std::out_of_range("an item");
                                              elements.push_back(i);
                                              more.add(-i);
                                            }),
               std::out_of_range);
  EXPECT_EQ(elements.size(), 1U);
}

TEST(feeding_at_once, an_element_that_fails_drops_the_items_of_others) {
  int items = 0;
  EXPECT_THROW(on::parallel_for_each<testing::serial_executor>(std::vector<int>{1, 2},
                                                               [&](int i, feeder<int>& more) {
                                                                 if (i < 0) ++items;
                                                                 more.add(-i);
                                                                 throw std::out_of_range("an element");
                                                               }),
               std::out_of_range);
  EXPECT_EQ(items, 0);
}

TEST(feeding_at_once, an_item_under_a_stop_is_dropped_and_reported) {
  std::stop_source source;
  std::vector<int> calls;
  EXPECT_THROW(on::parallel_for_each<eager>(
                   std::vector<int>{0},
                   [&](int i, feeder<int>& more) {
                     calls.push_back(i);
                     if (i == 1) source.request_stop();
                     if (i < 3) more.add(i + 1);
                   },
                   source.get_token()),
               cancelled);
  EXPECT_EQ(calls, (std::vector{0, 1}));
}

TEST(feeding_at_once, a_loop_in_an_item_that_a_stop_ends_is_reported_once) {
  std::stop_source source;
  task_group_context context;
  auto const body = [&](int i, feeder<int>& more) {
    if (i == 0) return more.add(1);
    on::parallel_for<eager>(
        0, 100,
        [&](int k) {
          if (k == 3) {
            source.request_stop();
            context.cancel_group_execution();
          }
        },
        simple_partitioner{});
  };
  EXPECT_THROW(on::parallel_for_each<eager>(std::vector<int>{0}, body, source.get_token()), cancelled);
  EXPECT_NO_THROW(on::parallel_for_each<eager>(std::vector<int>{0}, body, context))
      << "whoever cancels a context knows";
}

TEST(feeding_at_once, an_addition_that_cannot_be_spawned_adds_nothing) {
  auto const shared = std::make_shared<int>(0);
  int calls = 0;
  int refused = 0;
  on::parallel_for_each<eager>(std::vector<std::shared_ptr<int>>(1), [&](std::shared_ptr<int> const& i, auto& more) {
    ++calls;
    if (i != nullptr) return;
    eager::has_no_threads = true;
    try {
      more.add(shared);
    } catch (std::bad_alloc const&) {
      ++refused;
    }
    eager::has_no_threads = false;
    EXPECT_EQ(shared.use_count(), 1);
    more.add(shared);
  });
  EXPECT_EQ(refused, 1);
  EXPECT_EQ(calls, 2);
}

}}}}  // namespace skua::v0::runtime
