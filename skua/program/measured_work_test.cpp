// SPDX-License-Identifier: MIT
// Measured work hints: with a clock that only leaves advance, so every number is exact.
#include "skua/program/measured_work.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "skua/parts/base/dice.hpp"
#include "skua/program/recorder.hpp"
#include "skua/program/serial.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace {

using std::chrono::nanoseconds;

/// Has as many workers as there are children, and time passes only in leaves: a nanosecond per operation. Records the
/// work hints of the last group.
class virtual_time {
 public:
  [[nodiscard]] nanoseconds now() const noexcept { return now_; }
  friend double worker_speed(virtual_time const& here) noexcept { return here.speed; }
  std::vector<hint> said;
  double speed = 1;  ///< of the worker that runs what comes next

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
  void join_each(Range&& range, Body&& body) {
    join_each(range, [](auto&&) { return hint{}; }, body);
  }
  template <class Range, class HintOf, class Body>
  void join_each(Range&& range, HintOf&& hint_of, Body&& body) {
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
    void spawn(F&& f) {
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
  [[nodiscard]] std::uint32_t num_workers() const noexcept { return 1; }

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
  memory.join_each(here, uneven, spend);
  EXPECT_EQ(works(here), (std::vector<double>{-1, -1, -1}));
  memory.join_each(here, std::vector<double>{7, 7, 7}, spend);
  EXPECT_EQ(works(here), uneven);
  memory.join_each(here, uneven, spend);
  EXPECT_EQ(works(here), (std::vector<double>{7, 7, 7}));
  memory.forget();
  memory.join_each(here, uneven, spend);
  EXPECT_EQ(works(here), (std::vector<double>{-1, -1, -1}));
}

TEST(measured_work, counts_a_slow_workers_time_as_that_of_a_fast_one) {
  virtual_time here;
  work::measured memory;
  auto const on_worker = [](double speed, double work) {
    return [=](auto& h) {
      h.speed = speed;
      busy(h, work / speed);
    };
  };
  auto const with_a_group = [&](auto& h, work::measured& below) {
    h.speed = 0.5;
    busy(h, 8);  // 4 on a fast one
    below.join(h, on_worker(0.25, 10), on_worker(1, 6));
    h.speed = 0.5;
  };
  for (int iteration = 0; iteration < 2; ++iteration)
    memory.join(here, on_worker(1, 40), on_worker(0.5, 20), with_a_group);
  for (auto const& [child, ns] : {std::pair{0, 40}, std::pair{1, 20}, std::pair{2, 4 + 10 + 6}})
    EXPECT_EQ(memory.last(static_cast<std::size_t>(child)), nanoseconds(ns));
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
  memory.join_each(here, uneven, given, spend);
  EXPECT_EQ(works(here), (std::vector<double>{1, 2, -1}));
  memory.join_each(here, uneven, given, spend);
  EXPECT_EQ(works(here), uneven) << "10 ns per unit of given work";
  EXPECT_EQ(here.said[0].place, place_id{1});
  EXPECT_FALSE(here.said[2].place);
  memory.join_each(here, uneven, [](double) { return 3; }, spend);
  EXPECT_EQ(works(here), (std::vector<double>{3, 3, 3})) << "nothing is missing";
}

TEST(measured_work, a_hint_that_makes_no_sense_is_a_missing_one) {
  for (double const wrong : {-1.0, std::numeric_limits<double>::quiet_NaN()}) {
    virtual_time here;
    work::measured memory;
    for (int i = 0; i < 2; ++i) memory.join_each(here, uneven, [&](double) { return wrong; }, spend);
    EXPECT_EQ(works(here), uneven);
  }
  virtual_time here;
  work::measured memory;
  double const infinite = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 2; ++i) {
    memory.join_each(here, uneven, [&](double ns) { return ns < 20 ? hint{} : as_hint(work{infinite}); }, spend);
  }
  for (double const w : works(here)) EXPECT_TRUE(std::isfinite(w) && w > 0) << w;
}

TEST(measured_work, children_that_take_no_time_still_count) {
  virtual_time here;
  work::measured memory;
  for (int i = 0; i < 2; ++i) memory.join_each(here, std::vector<double>{0, 0, 0}, spend);
  EXPECT_EQ(works(here), (std::vector<double>{1, 1, 1}));
}

TEST(measured_work, a_range_may_change_its_size) {
  virtual_time here;
  work::measured memory;
  memory.join_each(here, uneven, spend);
  memory.join_each(here, std::vector<double>{10}, spend);
  EXPECT_EQ(works(here), (std::vector<double>{10}));
  memory.join_each(here, std::vector<double>{1, 1, 1, 1, 1}, spend);
  double const mean = (10.0 + 20 + 70) / 3;
  EXPECT_EQ(works(here), (std::vector<double>{10, 20, 70, mean, mean})) << "newcomers are as long as the others";
  memory.join_each(here, std::vector<double>{}, spend);
  EXPECT_TRUE(works(here).empty());
}

TEST(measured_work, a_child_that_throws_is_not_measured_and_the_others_are) {
  virtual_time here;
  work::measured memory;
  memory.join_each(here, uneven, spend);
  auto const fail = [](auto& h, double ns) {
    busy(h, 2 * ns);
    if (ns > 50) throw std::runtime_error("too long");
  };
  EXPECT_THROW(memory.join_each(here, uneven, fail), std::runtime_error);
  memory.join_each(here, uneven, spend);
  EXPECT_EQ(works(here), (std::vector<double>{20, 40, 70}));
}

TEST(measured_work, nested_groups_count_the_work_below_and_not_the_time_they_were_waited_for) {
  virtual_time here;
  work::measured memory;
  std::vector<int> const cells{1, 2, 4};
  for (int iteration = 0; iteration < 3; ++iteration) {
    memory.join_each(here, cells, [](auto& h, int children, work::measured& below) {
      busy(h, 3);
      for (int twice = 0; twice < 2; ++twice) {
        below.join_each(h, std::vector<double>(static_cast<std::size_t>(children), 10.0), spend);
      }
    });
  }
  // The virtual machine runs all children at once: each cell takes 23 ns, whatever is below it.
  EXPECT_EQ(works(here), (std::vector<double>{23, 43, 83}));
}

TEST(measured_work, a_child_of_a_nested_group_that_throws_did_not_work) {
  virtual_time here;
  work::measured memory;
  for (int iteration = 0; iteration < 2; ++iteration) {
    memory.join_each(here, std::vector<int>{1}, [](auto& h, int, work::measured& below) {
      below.join_each(h, std::vector<double>{10, 10}, spend);
      EXPECT_THROW(below.join_each(h, std::vector<double>{10, 7},
                                   [](auto& inner, double ns) {
                                     busy(inner, ns);
                                     if (ns < 10) throw std::runtime_error("this child");
                                   }),
                   std::runtime_error);
    });
  }
  EXPECT_EQ(works(here), (std::vector<double>{30}));
}

TEST(measured_work, a_group_that_is_begun_in_a_child_with_the_same_memory_runs_unmeasured) {
  virtual_time here;
  work::measured memory;
  int calls = 0;
  auto const again = [&](auto& h, double ns) {
    memory.join_each(h, uneven, [&](auto& inside, double, work::measured&) { busy(inside, (++calls, 1)); });
    memory.join(h, [&](auto&) { ++calls; }, [&](auto&, work::measured&) { ++calls; });
    busy(h, ns);
  };
  for (int i = 0; i < 2; ++i) memory.join_each(here, uneven, again);
  EXPECT_EQ(calls, 2 * 3 * (3 + 2));
  EXPECT_EQ(works(here), (std::vector<double>{11, 21, 71}));
}

TEST(measured_work, the_serial_elision_measures_on_the_steady_clock) {
  serial here;
  work::measured memory;
  std::vector<int> cells{3, 1, 2};
  memory.join_each(here, cells, [](auto&, int& x) { x *= 2; });
  EXPECT_EQ(cells, (std::vector<int>{6, 2, 4}));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_GT(memory.last(i).count(), 0);
}

TEST(measured_work, the_recorder_sees_the_hints_of_the_second_iteration_only) {
  work::measured memory;
  auto const iteration = [&](auto& h) { memory.join_each(h, uneven, spend); };
  auto const hinted = [](task_tree const& t) {
    int n = 0;
    for (tree_node_id id = 0; id < t.size(); ++id) n += t[id].hints.work.has_value() ? 1 : 0;
    return n;
  };
  EXPECT_EQ(hinted(record(iteration)), 0);
  EXPECT_EQ(hinted(record(iteration)), 3);
}

/// Two iterations: children that take -1 throw, and end the first one; hints of -1 are none. The works of the second.
std::vector<double> works_after(std::vector<double> const& takes, std::vector<double> const& given) {
  virtual_time here;
  work::measured memory;
  std::vector<std::size_t> numbers(takes.size());
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  bool is_first = true;
  auto const hint_of = [&](std::size_t i) { return given[i] < 0 ? hint{} : as_hint(work{given[i]}); };
  auto const body = [&](auto& h, std::size_t i) {
    if (is_first && takes[i] < 0) throw std::runtime_error("this child");
    busy(h, std::max(takes[i], 1.0));
  };
  try {
    memory.join_each(here, numbers, hint_of, body);
  } catch (std::runtime_error const&) {}
  is_first = false;
  memory.join_each(here, numbers, hint_of, body);
  return works(here);
}

TEST(measured_work, hints_are_scaled_by_what_is_both_given_and_measured_else_by_the_means) {
  using all = std::vector<double>;
  EXPECT_EQ(works_after({10, -1}, {-1, 4}), (all{10, 10}))
      << "the mean of what is given is the mean of what is measured";
  EXPECT_EQ(works_after({10, 30, -1, 0}, {-1, -1, 1, 3}), (all{10, 30, 10, 30}));
  EXPECT_EQ(works_after({10, -1, 0}, {2, 4, -1}), (all{10, 20, 10})) << "five for each unit that was measured";
  EXPECT_EQ(works_after({10, -1}, {0, -1}), (all{0, 10})) << "nothing is nothing in any unit";
  EXPECT_EQ(works_after({10, -1}, {-1, 0}), (all{10, 0}));
}

/// Any mixture of hints and measurements, against the rules in measured_work.md.
TEST(measured_work, whatever_is_given_and_measured_is_brought_to_one_unit) {
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    dice roll(seed);
    virtual_time here;
    work::measured memory;
    std::size_t const n = 1 + roll.below(8);
    std::vector<double> last(n);  // 0: not known
    std::vector<double> given(n);
    std::vector<std::size_t> numbers(n);
    std::iota(numbers.begin(), numbers.end(), std::size_t{0});
    for (int iteration = 0; iteration < 4; ++iteration) {
      std::vector<double> takes(n);
      for (double& t : takes)
        t = roll.below(iteration == 0 ? 2 : 9) == 0 ? -1 : 1 + roll.below(40);  // -1: it throws, and is not measured
      for (double& g : given) g = roll.below(2) == 0 ? -1 : roll.below(4);
      double ns = 0, known = 0, hinted = 0, hints = 0, both_ns = 0, both_hinted = 0;
      for (std::size_t i = 0; i < n; ++i) {
        ns += last[i];
        known += last[i] > 0 ? 1 : 0;
        if (given[i] < 0) continue;
        hinted += given[i];
        ++hints;
        if (last[i] > 0) both_ns += last[i], both_hinted += given[i];
      }
      std::vector<double> expected = given;
      if (known > 0 && hints < static_cast<double>(n)) {
        double const per_hinted = both_hinted > 0 ? both_ns / both_hinted
                                  : hinted > 0    ? ns / known / (hinted / hints)
                                                  : 0;
        for (std::size_t i = 0; i < n; ++i) {
          expected[i] = given[i] >= 0 ? given[i] * per_hinted : last[i] > 0 ? last[i] : ns / known;
        }
      }
      auto const hint_of = [&](std::size_t i) { return given[i] < 0 ? hint{} : as_hint(work{given[i]}); };
      std::size_t threw = n;
      try {
        memory.join_each(here, numbers, hint_of, [&](auto& h, std::size_t i) {
          threw = i;
          if (takes[i] < 0) throw std::runtime_error("this child");
          busy(h, takes[i]);
          last[i] = takes[i];
          threw = n;
        });
        std::vector<double> const said = works(here);
        ASSERT_EQ(said.size(), n);
        for (std::size_t i = 0; i < n; ++i) EXPECT_DOUBLE_EQ(said[i], expected[i]) << i;
      } catch (std::runtime_error const&) {
        EXPECT_LT(takes[threw], 0);
      }
      for (std::size_t i = 0; i < n; ++i) {
        EXPECT_EQ(memory.last(i).count(), static_cast<std::int64_t>(last[i])) << i;
      }
    }
  }
}

}}}}  // namespace skua::v0::runtime
