// SPDX-License-Identifier: MIT
// Measured work hints: with a clock that only leaves advance, so every number is exact; and on real machines.
#include "skua/program/measured_work.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "skua/program/recorder.hpp"
#include "skua/program/serial.hpp"
#include "skua/skua.hpp"

namespace skua::inline v0::runtime {
namespace {

using std::chrono::nanoseconds;

/// Has as many workers as there are children, and time passes only in leaves: a nanosecond per operation. Records the
/// work hints of the last group.
class virtual_time {
 public:
  [[nodiscard]] nanoseconds now() const noexcept { return now_; }
  std::vector<hint> said;

  template <class... Args>
  auto join(Args&&... args) {
    said.clear();
    together all{*this};
    return std::apply(
        [&](auto&&... c) {
          (said.push_back(as_hint(c.hint)), ...);
          std::tuple<value_of<decltype(c.function), virtual_time&>...> results{
              all.run([&] { return call(std::forward<decltype(c.function)>(c.function), *this); })...};
          return std::apply([](auto&&... v) { return values(std::move(v)...); }, std::move(results));
        },
        children_of(std::forward<Args>(args)...));
  }
  template <class Range, class Body>
  void each(Range&& range, Body&& body) {
    each(range, [](auto&&) { return hint{}; }, body);
  }
  template <class Range, class HintOf, class Body>
  void each(Range&& range, HintOf&& hint_of, Body&& body) {
    std::vector<hint> told;
    for (auto&& x : range) told.push_back(element_hint(hint_of(x)));
    {
      together all{*this};
      for (auto&& x : range) all.run([&] { return (body(*this, x), 0); });
    }
    said = told;
  }
  struct forks_at_once {
    virtual_time& here;
    template <class F>
    void fork(F&& f) {
      f(here);
    }
  };
  template <class Body>
  decltype(auto) scope(Body&& body) {
    forks_at_once s{*this};
    return body(s);
  }
  template <class... Args>
  decltype(auto) leaf(Args&&... args) {
    (charge(args), ...);
    return call_kernel(std::forward<Args>(args)...);
  }
  template <class F>
  decltype(auto) with_stop(std::stop_token, F&& f) {
    return f(*this);
  }
  [[nodiscard]] bool stop_requested() const noexcept { return false; }
  [[nodiscard]] worker_id worker() const noexcept { return worker_id{0}; }
  [[nodiscard]] std::uint32_t workers() const noexcept { return 1; }

 private:
  /// Children that all begin at once; the group ends with the longest one.
  struct together {
    explicit together(virtual_time& h) : here(h), began(h.now_), latest(h.now_) {}
    ~together() { here.now_ = latest; }
    template <class F>
    auto run(F&& f) {
      here.now_ = began;
      struct ended {
        together& of;
        ~ended() { of.latest = std::max(of.latest, of.here.now_); }
      } const at_end{*this};
      return f();
    }
    virtual_time& here;
    nanoseconds began;
    nanoseconds latest;
  };

  void charge(flops f) { now_ += nanoseconds(static_cast<std::int64_t>(f.count)); }
  template <class Other>
  void charge(Other const&) {}

  nanoseconds now_{1000};
};

void busy(auto& here, double ns) {
  here.leaf(flops{ns}, [] {});
}

std::vector<double> works(virtual_time const& here) {
  std::vector<double> all;
  for (hint const& h : here.said) all.push_back(h.work.value_or(-1));
  return all;
}

std::vector<double> const uneven{10, 20, 70};
auto const spend = [](auto& h, double ns) { busy(h, ns); };

TEST(measured_work, the_first_iteration_says_nothing_and_the_next_what_the_last_one_took) {
  virtual_time here;
  work::measured memory;
  memory.each(here, uneven, spend);
  EXPECT_EQ(works(here), (std::vector<double>{-1, -1, -1}));
  memory.each(here, std::vector<double>{7, 7, 7}, spend);
  EXPECT_EQ(works(here), uneven);
  memory.each(here, uneven, spend);
  EXPECT_EQ(works(here), (std::vector<double>{7, 7, 7}));
  memory.forget();
  memory.each(here, uneven, spend);
  EXPECT_EQ(works(here), (std::vector<double>{-1, -1, -1}));
}

TEST(measured_work, joins_return_their_values_and_remember_their_children) {
  virtual_time here;
  work::measured memory;
  for (int iteration = 0; iteration < 2; ++iteration) {
    auto [text, none, number] = memory.join(
        here, [](auto& h) { return busy(h, 5), std::string("a"); }, at{place_id{3}}, [](auto& h) { busy(h, 15); },
        [](auto& h, work::measured&) { return busy(h, 30), 7; });
    EXPECT_EQ(text + std::to_string(number), "a7");
    static_assert(std::is_same_v<decltype(none), nothing>);
  }
  EXPECT_EQ(works(here), (std::vector<double>{5, 15, 30}));
  EXPECT_EQ(here.said[1].place, place_id{3});
  EXPECT_EQ(memory.last(2), nanoseconds(30));
  EXPECT_EQ(memory.last(3), nanoseconds(0));
  memory.join(here, [](auto& h) { busy(h, 1); }, [](auto& h) { busy(h, 1); });  // void, as a statement
}

TEST(measured_work, what_was_given_is_kept_in_proportion_to_what_was_measured) {
  virtual_time here;
  work::measured memory;
  auto const given = [](double ns) -> hint { return ns < 50 ? hint{work{ns / 10} | at{place_id{1}}} : hint{}; };
  memory.each(here, uneven, given, spend);
  EXPECT_EQ(works(here), (std::vector<double>{1, 2, -1}));
  memory.each(here, uneven, given, spend);
  EXPECT_EQ(works(here), uneven) << "10 ns per unit of given work";
  EXPECT_EQ(here.said[0].place, place_id{1});
  EXPECT_FALSE(here.said[2].place);
  memory.each(here, uneven, [](double) { return 3; }, spend);
  EXPECT_EQ(works(here), (std::vector<double>{3, 3, 3})) << "nothing is missing";
}

TEST(measured_work, a_hint_that_makes_no_sense_is_a_missing_one) {
  for (double const wrong : {-1.0, std::numeric_limits<double>::quiet_NaN()}) {
    virtual_time here;
    work::measured memory;
    for (int i = 0; i < 2; ++i) memory.each(here, uneven, [&](double) { return wrong; }, spend);
    EXPECT_EQ(works(here), uneven);
  }
  virtual_time here;
  work::measured memory;
  double const infinite = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 2; ++i) {
    memory.each(here, uneven, [&](double ns) { return ns < 20 ? hint{} : as_hint(work{infinite}); }, spend);
  }
  for (double const w : works(here)) EXPECT_TRUE(std::isfinite(w) && w > 0) << w;
}

TEST(measured_work, children_that_take_no_time_still_count) {
  virtual_time here;
  work::measured memory;
  for (int i = 0; i < 2; ++i) memory.each(here, std::vector<double>{0, 0, 0}, spend);
  EXPECT_EQ(works(here), (std::vector<double>{1, 1, 1}));
}

TEST(measured_work, a_range_may_change_its_size) {
  virtual_time here;
  work::measured memory;
  memory.each(here, uneven, spend);
  memory.each(here, std::vector<double>{10}, spend);
  EXPECT_EQ(works(here), (std::vector<double>{10}));
  memory.each(here, std::vector<double>{1, 1, 1, 1, 1}, spend);
  double const mean = (10.0 + 20 + 70) / 3;
  EXPECT_EQ(works(here), (std::vector<double>{10, 20, 70, mean, mean})) << "newcomers are as long as the others";
  memory.each(here, std::vector<double>{}, spend);
  EXPECT_TRUE(works(here).empty());
}

TEST(measured_work, a_child_that_throws_is_not_measured_and_the_others_are) {
  virtual_time here;
  work::measured memory;
  memory.each(here, uneven, spend);
  auto const fail = [](auto& h, double ns) {
    busy(h, 2 * ns);
    if (ns > 50) throw std::runtime_error("too long");
  };
  EXPECT_THROW(memory.each(here, uneven, fail), std::runtime_error);
  memory.each(here, uneven, spend);
  EXPECT_EQ(works(here), (std::vector<double>{20, 40, 70}));
}

TEST(measured_work, nested_groups_count_the_work_below_and_not_the_time_they_were_waited_for) {
  virtual_time here;
  work::measured memory;
  std::vector<int> const cells{1, 2, 4};
  for (int iteration = 0; iteration < 2; ++iteration) {
    memory.each(here, cells, [](auto& h, int children, work::measured& below) {
      busy(h, 3);
      for (int twice = 0; twice < 2; ++twice) {
        below.each(h, std::vector<double>(static_cast<std::size_t>(children), 10.0), spend);
      }
    });
  }
  // The virtual machine runs all children at once: each cell takes 23 ns, whatever is below it.
  EXPECT_EQ(works(here), (std::vector<double>{23, 43, 83}));
}

TEST(measured_work, a_group_that_is_begun_in_a_child_with_the_same_memory_runs_unmeasured) {
  virtual_time here;
  work::measured memory;
  int calls = 0;
  auto const again = [&](auto& h, double ns) {
    memory.each(h, uneven, [&](auto& inside, double, work::measured&) { busy(inside, (++calls, 1)); });
    memory.join(h, [&](auto&) { ++calls; }, [&](auto&, work::measured&) { ++calls; });
    busy(h, ns);
  };
  for (int i = 0; i < 2; ++i) memory.each(here, uneven, again);
  EXPECT_EQ(calls, 2 * 3 * (3 + 2));
  EXPECT_EQ(works(here), (std::vector<double>{11, 21, 71}));
}

TEST(measured_work, the_serial_elision_measures_on_the_steady_clock) {
  serial here;
  work::measured memory;
  std::vector<int> cells{3, 1, 2};
  memory.each(here, cells, [](auto&, int& x) { x *= 2; });
  EXPECT_EQ(cells, (std::vector<int>{6, 2, 4}));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_GT(memory.last(i).count(), 0);
}

TEST(measured_work, the_recorder_sees_the_hints_of_the_second_iteration_only) {
  work::measured memory;
  auto const iteration = [&](auto& h) { memory.each(h, uneven, spend); };
  auto const hinted = [](task_tree const& t) {
    int n = 0;
    for (tree_node_id id = 0; id < t.size(); ++id) n += t[id].hints.work.has_value() ? 1 : 0;
    return n;
  };
  EXPECT_EQ(hinted(record(iteration)), 0);
  EXPECT_EQ(hinted(record(iteration)), 3);
}

long sum_below(auto& here, int depth, work::measured& memory, std::atomic<int>& calls) {
  calls.fetch_add(1, std::memory_order_relaxed);  // relaxed: read after the run
  if (depth == 0) return 1;
  auto [a, b] = memory.join(
      here, [&, depth](auto& h, work::measured& below) { return sum_below(h, depth - 1, below, calls); },
      [&, depth](auto& h, work::measured& below) { return sum_below(h, depth / 2, below, calls); });
  std::vector<long> parts(3, 0);
  here.each(parts, [](auto&, long& p) { p = 1; });
  return a + b + std::accumulate(parts.begin(), parts.end(), 0L);
}

TEST(measured_work, under_every_policy_answers_are_the_serial_ones_and_all_children_are_measured) {
  std::atomic<int> calls{0};
  work::measured fresh;
  serial here;
  long const right = sum_below(here, 12, fresh, calls);
  int const right_calls = calls.exchange(0, std::memory_order_relaxed);  // relaxed: one thread
  for (char const* policy : {"random", "hierarchical", "adws", "adws:no-steal", "numa-ws", "replay"}) {
    for (std::uint32_t const workers : {1U, 2U, 7U}) {
      SCOPED_TRACE(policy);
      pool p({.workers = workers, .policy = policy});
      work::measured memory;
      for (int iteration = 0; iteration < 5; ++iteration) {
        EXPECT_EQ(p.run([&](auto& h) { return sum_below(h, 12, memory, calls); }), right);
        EXPECT_EQ(calls.exchange(0, std::memory_order_relaxed), right_calls);  // relaxed: the run has ended
        EXPECT_GT(memory.last(0), nanoseconds(0));
        EXPECT_GT(memory.last(1), nanoseconds(0));
      }
    }
  }
}

TEST(measured_work, on_threads_an_exception_comes_out_and_the_memory_lives_on) {
  pool p({.workers = 3, .policy = "adws"});
  work::measured memory;
  std::vector<int> cells(50, 1);
  for (int round = 0; round < 20; ++round) {
    EXPECT_THROW(p.run([&](auto& h) {
      memory.each(h, cells, [&](auto&, int const& x) {
        if (&x == &cells[static_cast<std::size_t>(round)]) throw std::runtime_error("x");
      });
    }),
                 std::runtime_error);
  }
  std::atomic<int> calls{0};
  p.run([&](auto& h) {
    memory.each(h, cells, [&](auto&, int x) { calls.fetch_add(x, std::memory_order_relaxed); });  // relaxed: a count
  });
  EXPECT_EQ(calls.load(std::memory_order_relaxed), 50);
}

}  // namespace
}  // namespace skua::inline v0::runtime
