// SPDX-License-Identifier: MIT
// Which exception leaves a construct of which two parts end badly at once: one that says what went wrong goes before `cancelled`,
// which only says that something was dropped. Whichever part throws it, whichever comes first, and whichever worker runs it.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <functional>
#include <stdexcept>

#include "skua/parts/base/sync.hpp"
#include "skua/skua.hpp"
#include "tests/programs/every_policy.hpp"
#include "tests/programs/wait_until.hpp"

namespace {

struct real_failure : std::runtime_error {
  real_failure() : std::runtime_error("one part fails") {}
};

/// Two parts of a construct that run at once. One throws `cancelled`, as it would if something inside had been stopped.
class two_parts {
 public:
  two_parts(bool second_fails, bool failure_is_first) noexcept
      : second_fails_(second_fails), failure_is_first_(failure_is_first) {}

  void run(int part) {
    ++running_;
    skua::testing::wait_until("both parts run", [&] { return running_ >= 2; });
    bool const fails = (part == 1) == second_fails_;
    if (fails != failure_is_first_) {
      skua::testing::wait_until("the other part throws", [&] { return one_throws_.load(); });
      for (int i = 0; i < 2000; ++i) skua::runtime::relax();  // most often it has arrived by then
    }
    one_throws_ = true;
    if (fails) throw real_failure();
    throw skua::cancelled{};
  }

 private:
  bool const second_fails_;
  bool const failure_is_first_;
  std::atomic<int> running_{0};
  std::atomic<bool> one_throws_{false};
};

class which_exception : public skua::testing::under_every_policy {
 protected:
  /// construct(here, parts), in each of the four ways.
  template <class Construct>
  void expect_the_failure_of(Construct const& construct) {
    skua::pool pool(workers(2));
    for (int round = 0; round < 5; ++round) {
      for (bool const second_fails : {false, true}) {
        for (bool const failure_is_first : {false, true}) {
          two_parts parts(second_fails, failure_is_first);
          EXPECT_THROW(pool.run([&](auto& h) { construct(h, parts); }), real_failure)
              << "of part " << second_fails << (failure_is_first ? ", which throws first" : ", which throws later");
        }
      }
    }
  }
};

constexpr std::array both{0, 1};

}  // namespace

TEST_P(which_exception, of_a_join_is_the_failure) {
  expect_the_failure_of(
      [](auto& h, two_parts& parts) { h.join([&](auto&) { parts.run(0); }, [&](auto&) { parts.run(1); }); });
}

TEST_P(which_exception, of_joins_in_joins_is_the_failure) {
  expect_the_failure_of([](auto& h, two_parts& parts) {
    h.join([&](auto& g) { g.join([](auto&) {}, [&](auto&) { parts.run(0); }); },
           [&](auto& g) { g.join([](auto&) {}, [&](auto&) { parts.run(1); }); });
  });
}

TEST_P(which_exception, of_each_is_the_failure) {
  expect_the_failure_of(
      [](auto& h, two_parts& parts) { h.join_each(both, [&](auto&, int part) { parts.run(part); }); });
}

TEST_P(which_exception, of_a_join_of_three_is_the_failure) {
  expect_the_failure_of([](auto& h, two_parts& parts) {
    h.join([](auto&) {}, [&](auto&) { parts.run(0); }, [&](auto&) { parts.run(1); });
  });
}

TEST_P(which_exception, of_two_children_of_a_scope_is_the_failure) {
  expect_the_failure_of([](auto& h, two_parts& parts) {
    h.scope([&](auto& s) {
      for (int const part : both) s.spawn([&parts, part](auto&) { parts.run(part); });
    });
  });
}

/// The body's own failure is what its caller waits for; its `cancelled` says less than a child's failure.
TEST_P(which_exception, of_a_scopes_body_and_child_is_the_failure) {
  expect_the_failure_of([](auto& h, two_parts& parts) {
    h.scope([&](auto& s) {
      s.spawn([&](auto&) { parts.run(0); });
      parts.run(1);
    });
  });
}

TEST_P(which_exception, of_two_tasks_of_a_finish_region_is_the_failure) {
  expect_the_failure_of([](auto& h, two_parts& parts) {
    h.finish([&](auto& f) {
      for (int const part : both) f.spawn([&parts, part](auto&) { parts.run(part); });
    });
  });
}

TEST_P(which_exception, of_a_finish_regions_body_and_task_is_the_failure) {
  expect_the_failure_of([](auto& h, two_parts& parts) {
    h.finish([&](auto& f) {
      f.spawn([&](auto&) { parts.run(0); });
      parts.run(1);
    });
  });
}

TEST_P(which_exception, of_two_nodes_of_a_flow_is_the_failure) {
  expect_the_failure_of([](auto& h, two_parts& parts) {
    skua::flow graph(h);
    for (int const part : both) graph.add([&parts, part](auto&) { parts.run(part); });
    graph.run(h);
  });
}

TEST_P(which_exception, of_loops_is_the_failure) {
  expect_the_failure_of([](auto& h, two_parts& parts) {
    skua::for_each(h, 0, 2, [&](auto&, int part) { parts.run(part); }, skua::grain{1});
  });
  expect_the_failure_of([](auto&, two_parts& parts) {
    skua::parallel_for(0, 2, [&](int part) { parts.run(part); }, skua::simple_partitioner{});
  });
  expect_the_failure_of([](auto& h, two_parts& parts) {
    auto const one = [&](auto&, int part) {
      parts.run(part);
      return 1;
    };
    static_cast<void>(skua::reduce(h, both, 0, std::plus<>{}, one, skua::grain{1}));
  });
}

TEST_P(which_exception, of_a_conventional_call_with_a_context_is_the_failure) {
  expect_the_failure_of([](auto&, two_parts& parts) {
    skua::task_group_context context;
    skua::parallel_for(0, 2, [&](int part) { parts.run(part); }, skua::simple_partitioner{}, context);
  });
}

TEST_P(which_exception, of_elements_of_a_feeder_is_the_failure) {
  expect_the_failure_of([](auto&, two_parts& parts) {
    skua::parallel_for_each(both.begin(), both.end(), [&](int part, skua::feeder<int>&) { parts.run(part); });
  });
}

TEST_P(which_exception, of_items_of_a_feeder_is_the_failure) {
  expect_the_failure_of([](auto&, two_parts& parts) {
    constexpr std::array one{2};
    skua::parallel_for_each(one.begin(), one.end(), [&](int part, skua::feeder<int>& feeder) {
      if (part < 2) return parts.run(part);
      for (int const p : both) feeder.add(p);
    });
  });
}

TEST_P(which_exception, of_tasks_of_a_group_is_the_failure) {
  expect_the_failure_of([](auto&, two_parts& parts) {
    skua::task_group group;
    for (int const part : both) group.run([&parts, part] { parts.run(part); });
    static_cast<void>(group.wait());
  });
}

INSTANTIATE_TEST_SUITE_P(policies, which_exception, ::testing::ValuesIn(skua::testing::checked_greedy_policies()),
                         skua::testing::policy_in_a_name);
