// SPDX-License-Identifier: MIT
// How many bodies of a construct begin after one of them has failed, or has requested a stop: at most as many as
// docs/guide/cancellation.md says, under every policy, whatever has been stolen.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <vector>

#include "skua/skua.hpp"
#include "tests/programs/every_policy.hpp"
#include "tests/programs/this_thread.hpp"
#include "tests/programs/wait_until.hpp"

namespace {

using skua::testing::this_thread_number;

struct failure : std::runtime_error {
  failure() : std::runtime_error("one body fails") {}
};

enum class ended_by : std::uint8_t { failure, stop };

/// The bodies of one construct. One of them ends it.
class bodies {
 public:
  bodies(ended_by how, int last) noexcept : how_(how), last_(last) {}

  /// A body of a construct that ends as soon as one of them fails, whatever the others do. It begins late if the end is known: the
  /// stop has been requested, or this thread has thrown the exception and does something else now, or the construct says that one
  /// has failed.
  void body(bool is_asked_to_end) { step(is_asked_to_end || failed_on_ == this_thread_number()); }
  void body(skua::fork_join auto& here) { body(here.stop_requested()); }
  /// A body of nested constructs, of which the inner one passes the exception on when it has ended.
  void nested_body(skua::fork_join auto& here) { step(here.stop_requested()); }

  [[nodiscard]] int late() const noexcept { return late_; }
  [[nodiscard]] int begun() const noexcept { return begun_; }
  [[nodiscard]] std::stop_token token() const noexcept { return source_.get_token(); }

 private:
  /// The stop counts from the return of request_stop(): before, the thread that requests it may be preempted, and some bodies see
  /// the request while others do not. The bodies behind it wait for that, so that there are some left.
  void step(bool is_late) {
    if (how_ == ended_by::failure ? is_late : is_stopped_.load()) ++late_;
    int const number = begun_.fetch_add(1);
    if (how_ == ended_by::stop && number > last_) {
      skua::testing::wait_until("the stop is requested", [&] { return is_stopped_.load(); });
    }
    if (number != last_) return;
    if (how_ == ended_by::failure) {
      failed_on_ = this_thread_number();
      throw failure();
    }
    source_.request_stop();
    is_stopped_ = true;
  }

  ended_by const how_;
  int const last_;
  std::stop_source source_;
  std::atomic<int> begun_{0};
  std::atomic<int> late_{0};
  std::atomic<bool> is_stopped_{false};
  std::atomic<long> failed_on_{0};
};

constexpr int all = 400;   ///< bodies, far more than begin late
constexpr int last = 100;  ///< the one that ends the construct

class promptness : public skua::testing::under_every_policy {
 protected:
  /// Runs the construct on 1, 2, 4 and 16 workers: construct(here, bodies). `most`: bodies that may begin late on that many.
  template <class Construct, class Most>
  void expect_at_most(Most const& most, Construct const& construct) {
    for (std::uint32_t const n : {1U, 2U, 4U, 16U}) {
      skua::pool pool(workers(n));
      for (ended_by const how : {ended_by::failure, ended_by::stop}) {
        for (int round = 0; round < 10; ++round) {
          bodies of(how, last);
          auto const call = [&] {
            pool.run([&](auto& h) { h.with_stop(of.token(), [&](auto& inside) { construct(inside, of); }); });
          };
          if (how == ended_by::failure) {
            EXPECT_THROW(call(), failure);
          } else {
            EXPECT_THROW(call(), skua::cancelled);
          }
          EXPECT_LE(of.late(), most(static_cast<int>(n), how)) << n << " workers, " << of.begun() << " begun";
        }
      }
    }
  }
};

/// Each of the other workers may have asked already, and begins.
constexpr auto one_for_each_other_worker = [](int workers, ended_by) { return workers - 1; };

std::vector<int> numbers(int n) {
  std::vector<int> v(static_cast<std::size_t>(n));
  std::iota(v.begin(), v.end(), 0);
  return v;
}

/// A complete tree of joins, whose leaves are the bodies.
void run_leaves(skua::fork_join auto& h, bodies& of, int depth) {
  if (depth == 0) return of.nested_body(h);
  h.join([&, depth](auto& g) { run_leaves(g, of, depth - 1); }, [&, depth](auto& g) { run_leaves(g, of, depth - 1); });
}

}  // namespace

TEST_P(promptness, of_a_scope) {
  expect_at_most(one_for_each_other_worker, [](auto& h, bodies& of) {
    h.scope([&](auto& s) {
      for (int i = 0; i < all; ++i) s.spawn([&](auto& g) { of.body(g); });
    });
  });
}

TEST_P(promptness, of_a_finish_region) {
  expect_at_most(one_for_each_other_worker, [](auto& h, bodies& of) {
    h.finish([&](auto& f) {
      for (int i = 0; i < all / 4; ++i) {
        f.spawn([&](auto& x) {
          for (int k = 0; k < 3; ++k) x.spawn([&](auto& y) { of.body(y.here()); });
          of.body(x.here());
        });
      }
    });
  });
}

TEST_P(promptness, of_a_task_group) {
  expect_at_most(one_for_each_other_worker, [](auto&, bodies& of) {
    skua::task_group group(of.token());
    for (int i = 0; i < all; ++i) group.run([&](skua::runtime::here& g) { of.body(g); });
    if (group.wait() == skua::task_group_status::canceled) throw skua::cancelled{};
  });
}

TEST_P(promptness, of_a_feeder) {
  expect_at_most(one_for_each_other_worker, [](auto&, bodies& of) {
    auto const roots = numbers(4);
    skua::parallel_for_each(roots.begin(), roots.end(), [&](int const& n, skua::feeder<int>& feeder) {
      if (n < all) {
        for (int i = 0; i < all / 4; ++i) feeder.add(all);
      } else {
        of.body(skua::is_current_task_group_canceling());
      }
    });
  });
}

/// An element fails while another one, which has added items, still runs: the items must be dropped without waiting for it.
TEST_P(promptness, of_a_feeder_whose_element_fails) {
  if (GetParam() == "checked:only:replay") GTEST_SKIP() << "without a record nobody steals";
  constexpr int items = 100;
  skua::pool pool(workers(2));
  for (int round = 0; round < 10; ++round) {
    std::atomic<int> ended{0};
    std::atomic<int> begun{0};
    std::atomic<bool> may_fail{false};
    std::atomic<bool> has_failed{false};
    auto const counts_its_end = [&] { return std::shared_ptr<int>(nullptr, [&](int*) { ++ended; }); };
    std::vector<std::shared_ptr<int>> elements(2);
    elements[0] = std::make_shared<int>(0);
    elements[1] = std::make_shared<int>(1);
    auto const body = [&](std::shared_ptr<int> const& item, skua::feeder<std::shared_ptr<int>>& feeder) {
      if (item == nullptr) {
        if (has_failed) ++begun;
      } else if (*item == 0) {
        for (int i = 0; i < items; ++i) feeder.add(counts_its_end());
        may_fail = true;
        skua::testing::wait_until("the other worker drops the items", [&] { return ended == items; });
      } else {
        skua::testing::wait_until("the items wait", [&] { return may_fail.load(); });
        has_failed = true;
        throw failure();
      }
    };
    EXPECT_THROW(pool.run([&](auto&) { skua::parallel_for_each(elements.begin(), elements.end(), body); }), failure);
    EXPECT_EQ(begun, 0);
  }
}

TEST_P(promptness, of_a_flow) {
  expect_at_most(one_for_each_other_worker, [](auto& h, bodies& of) {
    skua::flow graph(h);
    for (int i = 0; i < all / 2; ++i) {
      auto const first = graph.add([&](auto& g) { of.body(g); });
      graph.add(skua::after(first), [&](auto& g) { of.body(g); });
    }
    graph.run(h);
  });
}

TEST_P(promptness, of_a_loop_without_a_grain) {
  expect_at_most(one_for_each_other_worker, [](auto& h, bodies& of) {
    skua::for_each(h, 0, all, [&](auto& g, int) { of.body(g); }, skua::grain{1});
  });
}

/// A piece that has begun runs to its end; only the one that throws does not.
TEST_P(promptness, of_a_loop_in_pieces) {
  constexpr int piece = 10;
  auto const most = [](int workers, ended_by) { return workers * piece; };
  expect_at_most(most, [](auto& h, bodies& of) {
    skua::for_each(h, 0, 2 * all, [&](auto& g, int) { of.body(g); }, skua::grain{piece});
  });
}

TEST_P(promptness, of_a_conventional_loop) {
  expect_at_most(one_for_each_other_worker, [](auto&, bodies& of) {
    skua::parallel_for(
        0, all, [&](int) { of.body(skua::is_current_task_group_canceling()); }, skua::simple_partitioner{});
  });
}

TEST_P(promptness, of_a_loop_over_a_range_of_its_own_kind) {
  expect_at_most(one_for_each_other_worker, [](auto&, bodies& of) {
    skua::parallel_for(
        skua::blocked_range2d<int>(0, 20, 1, 0, all / 20, 1),
        [&](auto const&) { of.body(skua::is_current_task_group_canceling()); }, skua::simple_partitioner{});
  });
}

TEST_P(promptness, of_reductions_is_as_of_loops) {
  expect_at_most(one_for_each_other_worker, [](auto& h, bodies& of) {
    auto const one = [&](auto& g, int) {
      of.body(g);
      return 1;
    };
    static_cast<void>(skua::reduce(h, numbers(all), 0, std::plus<>{}, one, skua::grain{1}));
  });
  expect_at_most(one_for_each_other_worker, [](auto&, bodies& of) {
    static_cast<void>(skua::parallel_reduce(
        skua::blocked_range<int>(0, all, 1), 0,
        [&](auto const&, int sum) {
          of.body(skua::is_current_task_group_canceling());
          return sum + 1;
        },
        std::plus<>{}, skua::simple_partitioner{}));
  });
}

TEST_P(promptness, of_each_is_asked_for_every_child) {
  // A stop around the group: the last child of each part is not asked for, and adws makes parts for several workers.
  auto const most = [](int workers, ended_by how) { return how == ended_by::failure ? workers - 1 : 3 * workers; };
  expect_at_most(most, [](auto& h, bodies& of) { h.join_each(numbers(all), [&](auto& g, int) { of.body(g); }); });
}

TEST_P(promptness, of_joins_is_as_good_as_they_are_deep) {
  constexpr int depth = 9;  // 512 leaves
  auto const most = [](int workers, ended_by) { return workers * depth; };
  expect_at_most(most, [](auto& h, bodies& of) { run_leaves(h, of, depth); });
}

/// The stop comes while the task has parked, and the joins of another one take back the request to look for it.
TEST_P(promptness, of_a_join_after_a_wait_in_which_the_stop_came) {
  skua::pool pool(workers(1));
  skua::one_shot<> answer;
  std::stop_source source;
  int begun = 0;
  auto const call = [&] {
    pool.run([&](auto& h) {
      pool.enqueue([&](auto& other) {
        source.request_stop();
        for (int i = 0; i < 4; ++i) other.join([](auto&) {}, [](auto&) {});
        answer.set_value();
      });
      h.with_stop(source.get_token(), [&](auto& inside) {
        answer.wait(inside);
        inside.join([&](auto&) { ++begun; }, [&](auto&) { ++begun; });
      });
    });
  };
  EXPECT_THROW(call(), skua::cancelled);
  EXPECT_EQ(begun, 0);
}

INSTANTIATE_TEST_SUITE_P(policies, promptness, ::testing::ValuesIn(skua::testing::checked_policies()),
                         skua::testing::policy_in_a_name);
