// SPDX-License-Identifier: MIT
// Nodes that go on with their successor, as one task (finish.md, "Nodes that go on"): what the policy hears, and what makes the
// successor a task of its own.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "skua/machine/threads/lane/turns.hpp"
#include "skua/skua.hpp"
#include "tests/programs/listening_policy.hpp"

namespace {

using skua::policies::begun, skua::policies::ended, skua::policies::probed;
using skua::policies::cause, skua::policies::event, skua::policies::lane, skua::policies::placement;
using skua::policies::task_tag;
using skua::testing::ears, skua::testing::open_listening;

/// Sends released tasks to this worker's `local`, and writes down what it hears, a letter each: u(nblocked), r(eleased),
/// n(ext), c(hosen), b(egun), e(nded), and p for a probe that got something.
class telling {
 public:
  explicit telling(std::uint32_t workers = 1) : pool_({.workers = workers}) {
    all_.needs = {.lanes = {lane::local}, .times = skua::policies::which_tasks::all, .chosen = skua::policies::which_tasks::all, .released = skua::policies::which_tasks::all};
    all_.heard = [this](skua::worker_id, event const& e) {
      if (auto const* const b = std::get_if<begun>(&e)) add('b'), keep(tags_, b->task);
      if (auto const* const d = std::get_if<ended>(&e)) add('e'), keep(ends_, d->task);
      auto const* const p = std::get_if<probed>(&e);
      if (p != nullptr && p->outcome == skua::runtime::outcome::got) add('p');
    };
    all_.placed = [this](skua::worker_id self, task_tag&, cause why) -> std::optional<placement> {
      if (why == cause::chosen) add('c');
      if (why == cause::released || why == cause::unblocked) {
        add(why == cause::released ? 'r' : 'u');
        return placement{.worker = self, .lane = lane::local};
      }
      if (why != cause::next) return std::nullopt;
      add('n');
      return next;
    };
    region_ = open_listening(pool_, all_);
  }
  void add(char what) {
    std::lock_guard const hold(changing_);
    if (is_told_) text_ += what;
  }
  void keep(std::vector<task_tag>& in, task_tag const& tag) {
    std::lock_guard const hold(changing_);
    in.push_back(tag);
  }
  /// What is told while f() runs, from its first node on.
  template <class F>
  std::string during(F&& f) {
    region_->run([&](auto& here) { f(here); });
    is_told_ = false;
    return text_;
  }
  /// Call it in the first node.
  void begin() {
    std::lock_guard const hold(changing_);
    is_told_ = true;
    tags_.clear();
    ends_.clear();
  }
  void end() {
    std::lock_guard const hold(changing_);
    is_told_ = false;
  }
  skua::pool& pool() { return pool_; }

  placement next{.worker = skua::worker_id{0}, .lane = lane::inbox};  ///< the answer to cause::next
  std::vector<task_tag> tags_, ends_;

 private:
  std::mutex changing_;
  bool is_told_ = false;
  std::string text_;
  skua::pool pool_;
  ears all_;
  std::optional<skua::region> region_;
};

}  // namespace

TEST(going_on, a_chain_is_one_task_of_which_the_policy_hears_each_node) {
  telling t;
  std::string const told = t.during([&](auto& here) {
    skua::flow g(here);
    auto const a = g.add([&](auto&) { t.begin(); });
    auto const b = g.add(skua::after(a), [&](auto&) { t.add('B'); });
    g.add_team(skua::after(b), [&](auto&) {
      t.add('C');
      t.end();
    });
    g.run(here);
  });
  EXPECT_EQ(told, "uenbBuenbC");
  ASSERT_GE(t.tags_.size(), 1U);
  ASSERT_GE(t.ends_.size(), 2U) << "of the first node only the end is told";
  EXPECT_EQ(t.tags_[0], t.ends_[1]) << "the second node ends with the tag with which it began";
}

TEST(going_on, its_nodes_are_counted_as_tasks) {
  telling t;
  std::uint64_t tasks = 0;
  std::uint64_t spawns = 0;
  t.during([&](auto& here) {
    skua::flow g(here);
    auto const a = g.add([&](auto&) {
      tasks = t.pool().counters()[0].tasks;
      spawns = t.pool().counters()[0].spawns;
    });
    g.add(skua::after(a), [&](auto&) {
      tasks = t.pool().counters()[0].tasks - tasks;
      spawns = t.pool().counters()[0].spawns - spawns;
    });
    g.run(here);
  });
  EXPECT_EQ(tasks, 1U);
  EXPECT_EQ(spawns, 1U);
}

TEST(going_on, one_successor_goes_on_and_the_others_are_placed) {
  telling t;
  int ran = 0;
  std::string const told = t.during([&](auto& here) {
    skua::flow g(here);
    auto const a = g.add([&](auto&) { t.begin(); });
    for (int i = 0; i < 2; ++i) g.add(skua::after(a), [&](auto&) { ++ran, t.add('B'); });
    g.run(here);
  });
  EXPECT_EQ(ran, 2);
  EXPECT_EQ(told.substr(0, 7), "uuenbBe") << told;
}

TEST(going_on, a_policy_that_wants_a_team_next_gets_it) {
  telling t(2);
  t.next = {.worker = skua::worker_id{0}, .lane = lane::inbox, .width = 2};
  std::atomic<std::uint32_t> width{0};
  std::atomic<int> after{0};
  t.during([&](auto& here) {
    skua::flow g(here);
    auto const a = g.add([](auto&) {});
    auto const b = g.add_team(skua::after(a), [&](auto& team) { width = team.width(); });
    g.add(skua::after(b), [&](auto&) { ++after; });
    g.run(here);
  });
  EXPECT_EQ(width, 2U);
  EXPECT_EQ(after, 1);
}

TEST(going_on, the_end_of_a_node_is_told_once_also_if_the_next_one_is_sent_away) {
  telling t(2);
  t.next = {.worker = skua::worker_id{1}, .lane = lane::inbox};  // no such task goes to an inbox, so it stays
  std::string const told = t.during([&](auto& here) {
    skua::flow g(here);
    auto const a = g.add([&](auto&) { t.begin(); });
    g.add(skua::after(a), [&](auto&) {
      t.add('B');
      t.end();
    });
    g.run(here);
  });
  EXPECT_EQ(told.substr(0, 3), "uen");
  EXPECT_EQ(std::ranges::count(told, 'e'), 1) << told;
}

TEST(going_on, a_node_at_another_place_is_a_task_of_its_own) {
  telling t;
  std::string const told = t.during([&](auto& here) {
    skua::flow g(here);
    auto const a = g.add([&](auto&) { t.begin(); });
    g.add(skua::after(a), skua::at{skua::place_id{0}}, [&](auto&) {
      t.add('B');
      t.end();
    });
    g.run(here);
  });
  EXPECT_EQ(told, "uepcbB");
}

TEST(going_on, what_a_node_adds_or_releases_while_it_runs_is_not_unblocked) {
  telling t;
  std::string const told = t.during([&](auto& here) {
    skua::flow g(here);
    auto const a = g.add([&](auto&) { t.begin(); });
    auto const b = g.add(skua::after(a), [&](auto& inner) {
      t.add('B');
      inner.finish([](auto& f) { f.spawn([](auto&) {}); });
      t.end();
    });
    static_cast<void>(b);
    g.run(here);
  });
  EXPECT_EQ(told.substr(0, 6), "uenbBr") << told;
}

TEST(going_on, another_regions_task_waits_for_a_turn_of_nodes_at_most) {
  telling t;
  std::string const told = t.during([&](auto& here) {
    skua::flow g(here);
    skua::runtime::node<void> last = g.add([&](auto&) {
      t.begin();
      t.pool().enqueue([&] { t.add('X'); });  // in the pool's first region
    });
    for (int i = 0; i < 100; ++i) last = g.add(skua::after(last), [&](auto&) { t.add('B'); });
    g.run(here);
  });
  std::size_t const at = told.find('X');
  ASSERT_NE(at, std::string::npos) << told;
  EXPECT_LE(std::ranges::count(told.substr(0, at), 'B'), skua::runtime::tasks_per_turn + 1) << told;
}

TEST(going_on, a_node_that_throws_ends_the_flow_and_the_next_ones_do_not_run) {
  telling t;
  bool has_run = false;
  EXPECT_THROW(t.during([&](auto& here) {
    skua::flow g(here);
    auto const a = g.add([](auto&) {});
    auto const b = g.add(skua::after(a), [](auto&) { throw std::runtime_error("b"); });
    g.add(skua::after(b), [&](auto&) { has_run = true; });
    g.run(here);
  }),
               std::runtime_error);
  EXPECT_FALSE(has_run);
}

TEST(going_on, a_chain_under_arms_has_the_same_end_whoever_waits) {
  for (char const* const policy : {"checked:arms", "checked:arms:width=1", "checked:adws", "checked:random"}) {
    skua::pool pool({.workers = 2, .policy = policy});
    std::vector<int> sum(8);
    pool.run([&](auto& here) {
      skua::flow g(here);
      for (std::size_t c = 0; c < sum.size(); ++c) {
        auto const add = [&](auto const&... words) {
          return g.add_team(skua::address::of(c, sum.size()), skua::task_type{1}, words..., [&sum, c](auto& team) {
            if (team.member() == 0) ++sum[c];
            team.here().join([](auto&) {}, [](auto&) {});
          });
        };
        auto last = add();
        for (int i = 1; i < 300; ++i) last = add(skua::after(last));
      }
      g.run(here, 3);
    });
    EXPECT_EQ(sum, std::vector<int>(8, 900)) << policy;
  }
}
