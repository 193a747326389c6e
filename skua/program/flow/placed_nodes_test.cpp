// SPDX-License-Identifier: MIT
// What a flow asks of a finish region that places tasks, gathers them and has teams, task by task, on a region without threads that writes it
// down. What pools make of it: gathered_nodes_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "skua/parts/base/dice.hpp"
#include "skua/program/flow/flow.hpp"
#include "skua/program/flow/traced_serial_test.hpp"
#include "skua/program/strategy/spawn_forms.hpp"

namespace skua { inline namespace v0 { namespace runtime {
namespace {

/// What was spawned, in order.
struct spawned {
  enum form : std::uint8_t { alone, gathered, beside, team } how;
  hint hinted;
  friend bool operator==(spawned const&, spawned const&) = default;
};

/// How a region behaves.
struct manner {
  bool gathers = false;
  bool keeps_all = true;                ///< false: only what has no place
  std::optional<bool> at_home{};        ///< none: drawn
  std::uint32_t width = 1;              ///< of teams
  std::optional<std::uint64_t> seed{};  ///< of the order of tasks; none: the newest first, as a worker that is alone
};

class placing_region;

/// Its finish regions write down what is spawned.
struct placing_serial : traced_serial {
  explicit placing_serial(manner m = {}) : how(m), roll(m.seed.value_or(1)) {}
  template <class Body>
  decltype(auto) finish(Body&& body);
  template <class... Args>
  void team(Args&&... args) {
    call_team(*this, std::forward<Args>(args)...);
  }

  manner how;
  dice roll;
  std::vector<spawned> log;
  hint running{};  ///< what the running task was spawned with
};

/// Members that run one after the other.
struct serial_team final : team_state {
  explicit serial_team(std::uint32_t width) : team_state(width), theirs(width) {}
  void barrier(std::uint32_t) noexcept override {}
  void const*& exposed(std::uint32_t member) noexcept override { return theirs[member]; }
  std::vector<void const*> theirs;
};

class placing_region : public spawn_forms<placing_region> {
 public:
  explicit placing_region(placing_serial& on) : on_(on) {}

  [[nodiscard]] placing_serial& here() noexcept { return on_; }
  [[nodiscard]] bool keeps(hint const& h, bool) const noexcept { return on_.how.keeps_all || !h.place; }
  [[nodiscard]] bool gathers(hint const&) const noexcept { return on_.how.gathers; }
  template <class F>
  void spawn_gathered(hint const& h, F f) {
    add(spawned::gathered, h, [this, f](placing_region& r) mutable { f(r, is_at_home()); });
  }
  template <class F>
  void spawn_beside(hint const& h, F f) {
    add(spawned::beside, h, [this, f](placing_region& r) mutable { f(r, is_at_home()); });
  }

  /// As a region: the first failure drops what has not begun.
  void run_all() {
    while (!waiting_.empty()) {
      if (on_.stop_requested()) throw cancelled{};
      std::size_t const last = waiting_.size() - 1;
      if (on_.how.seed)
        std::swap(waiting_[on_.roll.below(static_cast<std::uint32_t>(waiting_.size()))], waiting_[last]);
      auto const next = std::move(waiting_[last]);
      waiting_.pop_back();
      on_.running = next.first;
      next.second(*this);
    }
  }

 private:
  friend spawn_forms<placing_region>;

  template <strategy S, class F>
  void add_task(hint const& h, S const&, F&& f) {
    add(spawned::alone, h, [f = std::decay_t<F>(std::forward<F>(f))](placing_region& r) mutable { f(r); });
  }
  template <strategy S, class Body, class Done>
  void add_team(hint const& h, S const&, Body body, Done done) {
    add(spawned::team, h, [this, body, done](placing_region& r) mutable {
      serial_team all(on_.how.width);
      std::exception_ptr first;
      for (std::uint32_t m = 0; m < all.width(); ++m) {
        try {
          team<placing_serial> mine(on_, all, m);
          body(mine);
        } catch (...) {
          if (!first) first = std::current_exception();
        }
      }
      if (first) std::rethrow_exception(first);
      done(r);
    });
  }
  void add(spawned::form how, hint const& h, std::function<void(placing_region&)> f) {
    on_.log.push_back({how, h});
    waiting_.emplace_back(h, std::move(f));
  }
  [[nodiscard]] bool is_at_home() { return on_.how.at_home.value_or(on_.roll.below(2) == 0); }

  placing_serial& on_;
  std::vector<std::pair<hint, std::function<void(placing_region&)>>> waiting_;
};

template <class Body>
decltype(auto) placing_serial::finish(Body&& body) {
  placing_region region(*this);
  if constexpr (std::is_void_v<std::invoke_result_t<Body, placing_region&>>) {
    body(region);
    region.run_all();
  } else {
    auto value = body(region);
    region.run_all();
    return value;
  }
}

}  // namespace

template <>
inline constexpr bool is_checked_fork_join<placing_serial> = true;

namespace {

using edges = std::multiset<std::pair<std::uint32_t, std::uint32_t>>;

/// One of eight hints, or none.
hint some_hint(dice& roll) {
  hint h;
  if (roll.below(2) == 0) h.address = address::at(roll.below(2) == 0 ? 0.25 : 0.75);
  if (roll.below(2) == 0) h.place = place_id{roll.below(2)};
  if (roll.below(2) == 0) h.type = task_type{static_cast<std::uint16_t>(roll.below(2))};
  return h;
}

std::size_t number_of(std::vector<spawned> const& log, spawned::form how) {
  return static_cast<std::size_t>(std::ranges::count(log, how, &spawned::how));
}

manner drawn_manner(dice& roll, std::uint64_t seed) {
  manner how{.gathers = roll.below(3) > 0, .keeps_all = roll.below(3) == 0, .width = 1 + roll.below(3), .seed = seed};
  if (roll.below(3) > 0) how.at_home = roll.below(2) == 0;
  return how;
}

/// A flow of random nodes, and what they note when they run.
struct drawn_flow {
  placing_serial here;
  flow<placing_serial> graph;
  std::vector<node<void>> nodes;
  std::vector<bool> is_team;
  edges made;
  std::vector<std::uint32_t> calls;
  std::vector<std::size_t> began_at, ended_at;
  std::size_t clock = 0;

  drawn_flow(dice& roll, std::uint64_t seed) : here(drawn_manner(roll, seed)) {
    if (seed % 3 == 0) here.next_run = 0;
    std::uint32_t const n = 1 + roll.below(24);
    began_at.resize(n);
    ended_at.resize(n);
    for (std::uint32_t i = 0; i < n; ++i) {
      hint const h = some_hint(roll);
      is_team.push_back(roll.below(4) == 0);
      auto const f = [this, i](auto&) { runs(i); };
      nodes.push_back(is_team[i] ? graph.add_team(h, f) : node<void>(graph.add(h, f)));
      std::uint32_t const most = roll.below(2) == 0 ? 0 : 6;
      for (std::uint32_t from = 0; from < i; ++from) {
        if (roll.below(20) >= most) continue;
        graph.edge(nodes[from], nodes[i]);
        made.emplace(from, i);
      }
    }
  }
  [[nodiscard]] bool is_sent(std::uint32_t i) const {
    return !here.how.keeps_all && nodes[i].get().hints.place.has_value();
  }
  void runs(std::uint32_t i) {
    if (calls[i]++ == 0) began_at[i] = ++clock;
    ended_at[i] = ++clock;
    EXPECT_TRUE(!is_sent(i) || (here.running.place == nodes[i].get().hints.place &&
                                here.running.address == nodes[i].get().hints.address &&
                                here.running.type == nodes[i].get().hints.type))
        << i << " runs where its hints do not say";
  }
  void run() {
    calls.assign(nodes.size(), 0);
    here.log.clear();
    here.events.clear();
    graph.run(here);
  }
  void expect_ran() const {
    std::size_t teams = 0;
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
      bool const is_whole_team = is_team[i] && calls[i] == here.how.width;
      teams += is_team[i] && is_sent(i) ? 1 : 0;
      EXPECT_TRUE(is_whole_team || (calls[i] == 1 && !(is_team[i] && is_sent(i)))) << i << ": " << calls[i];
    }
    for (auto const& [from, to] : made) EXPECT_LT(ended_at[from], began_at[to]);
    EXPECT_GE(number_of(here.log, spawned::team), teams);
    std::size_t const gathered = number_of(here.log, spawned::gathered) + number_of(here.log, spawned::beside);
    EXPECT_TRUE(here.how.gathers || gathered == 0);
  }
  void expect_trace() const {
    edges in_trace;
    std::vector<std::uint32_t> begins(nodes.size());
    std::vector<std::uint32_t> ends(nodes.size());
    for (auto const& [e, function] : here.events) {
      auto const number = static_cast<std::uint32_t>(e.id);
      if (e.what == trace::kind::node_began) ++begins.at(number);
      EXPECT_TRUE(e.what != trace::kind::node_began || e.count == calls[number]);
      if (e.what == trace::kind::node_ended) ++ends.at(number);
      EXPECT_TRUE(e.what != trace::kind::released || e.count > 0) << "released nobody";
      trace::for_each_successor(e, [&](std::uint64_t to) { in_trace.emplace(number, static_cast<std::uint32_t>(to)); });
    }
    EXPECT_EQ(in_trace, made);
    EXPECT_EQ(begins, calls);
    EXPECT_EQ(ends, calls);
  }
};

/// Every node runs once, with its own hints where it may not stay, after its predecessors; the trace has each of them and each edge.
TEST(placed_nodes, run_once_where_their_hints_say_in_every_kind_of_region) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    dice roll(seed);
    drawn_flow drawn(roll, seed);
    for (int round = 0; round < 2; ++round) {
      drawn.run();
      drawn.expect_ran();
      if (drawn.here.next_run == 0) {
        EXPECT_TRUE(drawn.here.events.empty());
      } else {
        drawn.expect_trace();
      }
    }
  }
}

/// The roots of a flow, of which all have one place: which tasks they are spawned as.
struct roots {
  std::vector<int> ran;
  std::vector<spawned> log;
  roots(manner const& how, std::vector<hint> const& hints, std::set<int> const& teams = {}) {
    placing_serial here(how);
    here.next_run = 0;
    flow<placing_serial> graph;
    for (int i = 0; i < static_cast<int>(hints.size()); ++i) {
      auto const f = [this, i](auto&) { ran.push_back(i); };
      teams.contains(i) ? static_cast<void>(graph.add_team(hints[static_cast<std::size_t>(i)], f))
                        : static_cast<void>(graph.add(hints[static_cast<std::size_t>(i)], f));
    }
    graph.run(here);
    log = here.log;
  }
};

hint const one_hint = address::at(0.5) | at{place_id{1}} | task_type{3};

TEST(placed_nodes, with_the_same_hints_are_one_task_that_is_halved_at_home_and_left_one_by_one_elsewhere) {
  for (std::size_t n = 1; n <= 17; ++n) {
    std::vector<int> in_order;
    for (std::size_t i = 0; i < n; ++i) in_order.push_back(static_cast<int>(i));
    std::vector<hint> const hints(n, one_hint);
    roots const home({.gathers = true, .keeps_all = false, .at_home = true}, hints);
    EXPECT_EQ(home.ran, in_order) << "the newest first: each half after the nodes before it";
    EXPECT_EQ(number_of(home.log, spawned::gathered), n > 1 ? 1U : 0U);
    EXPECT_EQ(number_of(home.log, spawned::beside), n - 1);
    EXPECT_EQ(number_of(home.log, spawned::alone), n > 1 ? 0U : 1U);
    roots const stolen({.gathers = true, .keeps_all = false, .at_home = false}, hints);
    EXPECT_EQ(stolen.ran, in_order);
    EXPECT_EQ(number_of(stolen.log, spawned::gathered), n - 1);
    EXPECT_EQ(number_of(stolen.log, spawned::beside), 0U);
    EXPECT_EQ(number_of(stolen.log, spawned::alone), 1U) << "the last one";
    roots const apart({.gathers = false, .keeps_all = false}, hints);
    EXPECT_EQ(apart.log, std::vector(n, spawned{spawned::alone, one_hint}));
    for (auto const* r : {&home, &stolen}) {
      for (spawned const& s : r->log) EXPECT_EQ(s.hinted, one_hint);
    }
    // Those that may stay are one task, too, without hints.
    roots const kept({.gathers = true, .keeps_all = true}, hints);
    EXPECT_EQ(kept.ran, in_order);
    EXPECT_EQ(kept.log, std::vector(n, spawned{spawned::alone, hint{}}));
  }
}

/// A part is never more than half of what is there, or a thief would take all.
TEST(placed_nodes, that_may_stay_are_halved) {
  for (std::uint32_t const n : {2U, 3U, 4U, 8U, 9U, 16U}) {
    for (bool const gathers : {false, true}) {
      placing_serial here({.gathers = gathers, .keeps_all = !gathers, .at_home = true});
      flow<placing_serial> graph;
      std::vector<std::size_t> spawned_before;
      for (std::uint32_t i = 0; i < n; ++i)
        graph.add(one_hint, [&](auto&) { spawned_before.push_back(here.log.size()); });
      graph.run(here);
      ASSERT_EQ(spawned_before.size(), n);
      std::size_t first = 1;  // the task itself, and a part for each halving before its first node runs
      for (std::uint32_t left = n; left > 1; left /= 2) ++first;
      EXPECT_EQ(spawned_before.front(), first) << n;
    }
  }
}

TEST(placed_nodes, that_differ_in_one_hint_or_are_teams_are_tasks_of_their_own) {
  manner const how{.gathers = true, .keeps_all = false, .at_home = true};
  for (hint const& other : {one_hint | address::at(0.1), one_hint | at{place_id{2}}, one_hint | task_type{4}}) {
    roots const seen(how, {one_hint, one_hint, other, other, one_hint});
    EXPECT_EQ(seen.ran.size(), 5U);
    std::vector<spawned> const expected{
        {spawned::gathered, one_hint}, {spawned::gathered, other}, {spawned::alone, one_hint}};
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), seen.log.begin())) << "neighbours alone are gathered";
    EXPECT_EQ(number_of(seen.log, spawned::beside), 2U);
  }
  roots const by_work(how, {one_hint | work{1}, one_hint | work{2}});
  EXPECT_EQ(number_of(by_work.log, spawned::gathered), 1U) << "work says nothing of where";
  for (int const team : {0, 1, 2, 3}) {
    roots const seen(how, std::vector(4, one_hint), {team});
    EXPECT_EQ(seen.ran.size(), 4U);
    EXPECT_EQ(number_of(seen.log, spawned::team), 1U);
    EXPECT_EQ(number_of(seen.log, spawned::gathered), 1U);
    EXPECT_EQ(number_of(seen.log, spawned::alone), team == 1 || team == 2 ? 1U : 0U);
    EXPECT_EQ(seen.log.size(), (team == 0 || team == 3 ? 2U : 3U) + (team == 0 || team == 3 ? 2U : 1U));
  }
}

/// Of the nodes that become ready at once the last that may stay is called in the same task.
TEST(placed_nodes, go_on_in_the_same_task_where_they_may) {
  placing_serial here({.keeps_all = false});
  here.next_run = 0;
  flow<placing_serial> graph;
  auto const first = graph.add([](auto&) {});
  hint const elsewhere = as_hint(at{place_id{1}});
  auto const away = graph.add(elsewhere, after(first), [](auto&) {});
  auto const stays = graph.add(after(first), [](auto&) {});
  graph.add(after(first), [](auto&) {});
  graph.add(after(away), [](auto&) {});
  graph.add(elsewhere, after(stays), [](auto&) {});
  graph.run(here);
  EXPECT_EQ(number_of(here.log, spawned::alone), 4U) << "the root, one that may stay, two elsewhere";
  EXPECT_EQ(std::ranges::count(here.log, spawned{spawned::alone, elsewhere}), 2);
}

TEST(placed_nodes, teams_have_all_members_and_release_what_waits_for_them_once) {
  for (std::uint32_t const first_run : {7U, 0U}) {
    placing_serial here({.keeps_all = false, .width = 3});
    here.next_run = first_run;
    flow<placing_serial> graph;
    std::vector<std::uint32_t> members;
    int after_it = 0;
    auto const both = graph.add_team(one_hint, [&](auto& mine) {
      EXPECT_EQ(mine.width(), 3U);
      EXPECT_EQ(&mine.here(), &here);
      members.push_back(mine.member());
      mine.barrier();
    });
    graph.add(after(both), [&](auto&) { ++after_it; });
    graph.add(one_hint, after(both), [&](auto&) { ++after_it; });
    graph.run(here);
    EXPECT_EQ(members, (std::vector<std::uint32_t>{0, 1, 2}));
    EXPECT_EQ(after_it, 2);
    EXPECT_EQ(here.log, (std::vector<spawned>{{spawned::team, one_hint}, {spawned::alone, one_hint}}));
  }
}

TEST(placed_nodes, a_member_that_throws_ends_in_the_trace_and_nothing_follows) {
  for (std::uint32_t const first_run : {7U, 0U}) {
    placing_serial here({.keeps_all = false, .width = 3});
    here.next_run = first_run;
    flow<placing_serial> graph;
    auto const bad = graph.add_team(one_hint, [](auto& mine) {
      if (mine.member() == 1) throw std::out_of_range("member 1");
    });
    bool followed = false;
    graph.add(after(bad), [&](auto&) { followed = true; });
    EXPECT_THROW(graph.run(here), std::out_of_range);
    EXPECT_FALSE(followed);
    std::array<int, 4> seen{};
    for (auto const& [e, function] : here.events) {
      seen[0] += e.what == trace::kind::node_began ? 1 : 0;
      seen[1] += e.what == trace::kind::node_ended ? 1 : 0;
      seen[2] += e.what == trace::kind::released ? 1 : 0;
      seen[3] += e.what == trace::kind::flow_ended ? 1 : 0;
    }
    EXPECT_EQ(seen, (first_run == 0 ? std::array{0, 0, 0, 0} : std::array{3, 3, 0, 1}));
  }
}

TEST(placed_nodes, a_team_of_fork_join_has_the_hints_that_stand_before_it) {
  placing_serial here({.width = 2});
  int members = 0;
  here.team(address::at(0.5), at{place_id{1}}, task_type{3}, [&](auto&) { ++members; });
  EXPECT_EQ(members, 2);
  here.team([&](auto&) { ++members; });
  EXPECT_EQ(here.log, (std::vector<spawned>{{spawned::team, one_hint}, {spawned::team, hint{}}}));
  EXPECT_THROW(here.team([](auto& mine) { mine.member() == 1 ? throw std::out_of_range("member 1") : 0; }),
               std::out_of_range);
}

}  // namespace
}}}  // namespace skua::v0::runtime
