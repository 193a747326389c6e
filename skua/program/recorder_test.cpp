// SPDX-License-Identifier: MIT
#include "skua/program/recorder.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "skua/parts/base/error.hpp"
#include "skua/program/mark.hpp"
#include "tests/programs/outline.hpp"

namespace skua { inline namespace v0 { namespace {

long fib(auto& here, int n) {
  if (n < 2) return n;
  auto [a, b] = here.join([n](auto& h) { return fib(h, n - 1); }, [n](auto& h) { return fib(h, n - 2); });
  return a + b;
}

TEST(recorder, refuses_a_leaf_that_says_what_cannot_be) {
  double const nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(record([&](auto& here) { here.leaf(flops{nan}, [] {}); }), usage_error);
  EXPECT_THROW(record([&](auto& here) { here.leaf(flops{1}, flops{-1}, [] {}); }), usage_error);
  EXPECT_THROW(record([&](auto& here) { here.leaf(reads{&nan, std::size_t{1} << 40}, [] {}); }), usage_error);
}

/// A program that uses every operation, and whose trace shows the order in which its parts ran.
std::string everything(auto& here) {
  std::string trace;
  auto [text, none, number] =
      here.join([&](auto&) { return std::string("a"); }, work{2}, [&](auto&) { trace += "b"; }, at{place_id{3}},
                work{1}, [&](auto& h) { return h.leaf(flops{4}, [&] { return (trace += "c").size(); }); });
  std::vector<int> range{1, 2, 3};
  here.join_each(range, [&](auto& h, int& x) { h.leaf(flops{1.0 * x}, [&] { x *= 2; }); });
  here.join_each(
      std::as_const(range), [](int x) { return x; }, [&](auto&, int const& x) { trace += std::to_string(x); });
  trace += here.scope([&](auto& s) {
    s.spawn([&](auto&) { trace += "d"; });
    here.leaf(reads{range.data(), 12}, writes{&trace, 8}, flops{5}, flops{6}, [&] { trace += "e"; });
    s.spawn(work{9}, [&](auto& h) { trace += std::to_string(fib(h, 3)); });
    return "f";
  });
  static_assert(std::is_same_v<decltype(none), nothing>);
  return trace + text + std::to_string(number);
}

TEST(recorder, values_are_those_of_the_serial_elision) {
  serial plain;
  recorder here;
  EXPECT_EQ(fib(here, 15), fib(plain, 15));
  EXPECT_EQ(everything(here), everything(plain));
}

TEST(recorder, the_tree_of_fib_is_the_tree_of_its_calls) {
  totals const t = record([](auto& h) { fib(h, 10); }).weigh(unit::leaves);
  EXPECT_EQ(t.work, 89);  // leaves of fib(10)
  EXPECT_EQ(t.span, 1);
  EXPECT_EQ(t.forks, 88U);
  EXPECT_EQ(t.tasks, 177U);
}

TEST(recorder, spawned_tasks_are_children_of_their_spawners_and_name_their_region) {
  std::ostringstream text;
  std::string ran;
  text << record([&](auto& h) {
    int const value = h.finish([&](auto& f) {
      f.spawn(strategies::order{2, 0}, [&](auto& g) { g.here().leaf(flops{1}, [&] { ran += "b"; }); });
      f.spawn(strategies::order{1, 0}, [&](auto& g) {
        g.spawn(strategies::order{3, 0}, [&](auto& k) { k.here().leaf(flops{3}, [&] { ran += "c"; }); });
        g.here().leaf(flops{2}, [&] { ran += "a"; });
      });
      return 7;
    });
    EXPECT_EQ(value, 7);
  });
  EXPECT_EQ(ran, "abc");
  EXPECT_EQ(text.str(),
            "0 task\n"
            "  1 finish\n"
            "    2 task of 1\n"
            "    3 task of 1\n"
            "      4 task of 1\n"
            "      5 leaf 2 flops\n"
            "      6 leaf 1 flops\n"
            "        7 leaf 3 flops\n");
}

TEST(recorder, groups_hints_and_footprints_are_written_down) {
  std::ostringstream text;
  text << record([](auto& h) { everything(h); });
  EXPECT_EQ(text.str(),
            "0 task\n"
            "  1 join\n"
            "    2 task\n"
            "    3 task work 2\n"
            "    4 task work 1 place 3\n"
            "      5 leaf 4 flops\n"
            "  6 each\n"
            "    7 task\n"
            "      8 leaf 1 flops\n"
            "    9 task\n"
            "      10 leaf 2 flops\n"
            "    11 task\n"
            "      12 leaf 3 flops\n"
            "  13 each\n"
            "    14 task work 2\n"
            "    15 task work 4\n"
            "    16 task work 6\n"
            "  17 scope\n"
            "    18 task\n"
            "    19 leaf 11 flops reads 12 B writes 8 B\n"
            "    20 task work 9\n"
            "      21 join\n"
            "        22 task\n"
            "          23 join\n"
            "            24 task\n"
            "            25 task\n"
            "        26 task\n");
}

TEST(recorder, addresses_are_those_of_the_run) {
  std::array<int, 4> data{};
  task_tree const t = record([&](auto& h) { h.leaf(writes{&data, sizeof data}, [] {}); });
  EXPECT_EQ(t.touches(),
            (std::vector{touch{.address = reinterpret_cast<std::uintptr_t>(&data), .bytes = 16, .written = true}}));
}

TEST(recorder, an_exception_passes_through_and_the_recorder_goes_on) {
  recorder here;
  bool later = false;
  auto const failing = [&](auto& h) {
    h.join([](auto&) {}, [](auto& inner) { inner.leaf([] { throw std::runtime_error("no"); }); },
           [&](auto&) { later = true; });
  };
  EXPECT_THROW(failing(here), std::runtime_error);
  EXPECT_FALSE(later) << "siblings that have not started are dropped";
  EXPECT_EQ(fib(here, 2), 1);
  task_tree const t = here.take();
  EXPECT_EQ(t[t.last_child(0)].kind, tree_node_kind::join) << "the second join stands beside the first, below the root";
  EXPECT_NE(t[0].first, t.last_child(0));
}

TEST(recorder, a_stop_is_seen_below_and_dropped_work_is_not_recorded) {
  recorder here;
  std::stop_source source;
  EXPECT_EQ(here.with_stop(source.get_token(), [](auto& h) { return h.stop_requested() ? 1 : 2; }), 2);
  source.request_stop();
  EXPECT_THROW(here.with_stop(source.get_token(), [](auto& h) { h.leaf([] {}); }), cancelled);
  EXPECT_FALSE(here.stop_requested());
  EXPECT_EQ(here.take().weigh(unit::leaves).leaves, 0U);
}

TEST(recorder, references_and_move_only_values_pass_through) {
  recorder here;
  int x = 0;
  static_assert(std::is_same_v<decltype(here.leaf([&]() -> int& { return x; })), int&>);
  EXPECT_EQ(&here.leaf([&]() -> int& { return x; }), &x);
  auto [p, q] =
      here.join([](auto&) { return std::make_unique<int>(1); }, [](auto&) { return std::make_unique<int>(2); });
  EXPECT_EQ(*p + *q, 3);
}

TEST(recorder, what_no_tree_can_express_is_refused) {
  recorder here;
  EXPECT_THROW(here.leaf([&] { here.leaf([] {}); }), usage_error);
  EXPECT_THROW(here.scope([&](auto& s) { here.join([&](auto&) { s.spawn([](auto&) {}); }, [](auto&) {}); }),
               usage_error);
  EXPECT_EQ(fib(here, 5), 5);
}

TEST(recorder, take_starts_a_new_tree) {
  recorder here;
  fib(here, 5);
  EXPECT_GT(here.take().size(), 1U);
  EXPECT_EQ(here.take().size(), 1U);
}

TEST(recorder, with_timing_the_time_is_booked_where_it_was_spent) {
  using namespace std::chrono_literals;
  auto const nap = [] { std::this_thread::sleep_for(2ms); };
  task_tree const t = record(
      [&](auto& h) {
        nap();
        h.join([&](auto& g) { g.leaf(nap); }, [&](auto&) { nap(); });
        nap();
      },
      timing::on);
  totals const all = t.weigh(unit::ns);
  EXPECT_GE(all.work, 8e6);
  EXPECT_GE(all.span, 6e6);
  EXPECT_LE(all.span, all.work - 2e6);
  for (tree_node_id i = 0; i < t.size(); ++i) {
    bool const bears_time = t[i].kind == tree_node_kind::leaf || t[i].kind == tree_node_kind::step;
    EXPECT_TRUE(bears_time || t[i].ns == 0) << i;
  }
  EXPECT_EQ(t.weigh(unit::leaves).work, 2) << "a task that is nothing but a step counts as a leaf";
}

TEST(recorder, a_team_is_a_task_of_a_region_with_its_hints) {
  task_tree const tree =
      record([](auto& here) { here.team(at{place_id{3}}, [](auto& team) { team.here().leaf([] {}); }); });
  ASSERT_EQ(tree.size(), 4U);
  EXPECT_EQ(tree[1].kind, tree_node_kind::finish);
  EXPECT_EQ(tree[2].kind, tree_node_kind::task);
  EXPECT_EQ(tree[2].region, 1U);
  EXPECT_EQ(tree[2].hints.place, place_id{3});
  EXPECT_EQ(tree[3].kind, tree_node_kind::leaf);
}

TEST(recorder, keeps_marks_in_front_of_the_next_node) {
  task_tree const tree = record([](auto& here) {
    mark(here, "first", 7);
    here.leaf([] {});
    mark(here, "second");
    here.join([](auto& h) { mark(h, "inner"); }, [](auto&) {});
  });
  std::vector<std::pair<tree_node_id, std::string>> found;
  for (auto const& m : tree.marks()) found.emplace_back(m.before, m.name);
  EXPECT_EQ(found, (decltype(found){{1, "first"}, {2, "second"}, {4, "inner"}}));
  EXPECT_EQ(tree.marks()[0].number, 7u);
}

}}}  // namespace skua::v0
