// SPDX-License-Identifier: MIT
// Where a recorder with a clock books time: what was spent in a leaf or a step is booked there, and no time is booked twice, whatever the
// program is made of.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <numeric>
#include <vector>

#include "skua/parts/base/dice.hpp"
#include "skua/program/recorder.hpp"

namespace skua { inline namespace v0 { namespace {

using clock = std::chrono::steady_clock;

std::uint64_t ns_since(clock::time_point begin) {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(clock::now() - begin).count());
}

/// Spends so much, and a little more.
void spend(std::uint64_t ns) {
  auto const begin = clock::now();
  while (ns_since(begin) < ns) {}
}

constexpr std::uint64_t some_ns = 30'000;

/// What a tree books, and what a run of the program took.
struct booked {
  task_tree tree;
  std::uint64_t elapsed = 0;
  [[nodiscard]] std::uint64_t sum() const {
    std::uint64_t all = 0;
    for (tree_node_id i = 0; i < tree.size(); ++i) all += tree[i].ns;
    return all;
  }
};
template <class F>
booked book(F const& f) {
  auto const begin = clock::now();
  booked b{record(f, timing::on), 0};
  b.elapsed = ns_since(begin);
  return b;
}

/// `spent`: what the program spends. Time that is booked twice would be at least some_ns.
void expect_once(booked const& b, std::uint64_t spent) {
  EXPECT_GE(b.sum(), spent);
  EXPECT_LE(b.sum(), b.elapsed);
  for (tree_node_id i = 0; i < b.tree.size(); ++i) {
    bool const bears = b.tree[i].kind == tree_node_kind::leaf || b.tree[i].kind == tree_node_kind::step;
    EXPECT_TRUE(bears || b.tree[i].ns == 0) << i;
  }
}

/// What the steps of `of` bear: before its first part, between two, behind the last. Leaves are parts.
std::vector<std::uint64_t> steps_around(task_tree const& tree, tree_node_id of) {
  std::vector<std::uint64_t> all(1);
  for (tree_node_id c = tree[of].first; c != no_tree_node; c = tree[c].next) {
    if (tree[c].kind == tree_node_kind::step) {
      EXPECT_EQ(all.back(), 0U) << "one step between two parts";
      all.back() = tree[c].ns;
    } else {
      all.push_back(0);
    }
  }
  return all;
}
tree_node_id first_of(task_tree const& tree, tree_node_kind kind) {
  tree_node_id i = 0;
  while (i + 1 < tree.size() && tree[i].kind != kind) ++i;
  return i;
}
/// Where it is told that something was spent, it was.
void expect_steps(task_tree const& tree, tree_node_id of, std::vector<bool> const& spent) {
  std::vector<std::uint64_t> const steps = steps_around(tree, of);
  ASSERT_EQ(steps.size(), spent.size());
  for (std::size_t i = 0; i < steps.size(); ++i) EXPECT_TRUE(!spent[i] || steps[i] >= some_ns) << i;
}

TEST(recorder_with_a_clock, books_the_time_of_a_task_before_between_and_after_its_parts) {
  auto const pass = [] { spend(some_ns); };
  booked const b = book([&](auto& h) {
    pass();
    h.leaf(pass);
    pass();
    h.join([&](auto&) { pass(); }, [&](auto& g) { g.leaf(pass); });
    pass();
    h.join_each(std::vector<int>(2), [&](auto&, int) { pass(); });
    pass();
  });
  expect_once(b, 9 * some_ns);
  expect_steps(b.tree, 0, {true, true, true, true});
  for (tree_node_id i = 1; i < b.tree.size(); ++i) {
    EXPECT_TRUE(b.tree[i].kind != tree_node_kind::leaf || b.tree[i].ns >= some_ns) << i;
    if (b.tree[i].kind != tree_node_kind::task) continue;
    std::vector<std::uint64_t> const steps = steps_around(b.tree, i);
    EXPECT_TRUE(steps.size() == 2 || steps[0] >= some_ns) << i << " has a leaf, or has spent something itself";
  }
}

TEST(recorder_with_a_clock, books_the_time_of_a_scope_s_body_between_its_children) {
  auto const pass = [] { spend(some_ns); };
  booked const b = book([&](auto& h) {
    h.scope([&](auto& s) {
      pass();
      s.spawn([&](auto&) { pass(); });
      pass();
      h.leaf(pass);
      pass();
    });
    pass();
  });
  expect_once(b, 6 * some_ns);
  expect_steps(b.tree, 0, {false, true});
  tree_node_id const scope = first_of(b.tree, tree_node_kind::scope);
  ASSERT_EQ(b.tree[scope].kind, tree_node_kind::scope);
  expect_steps(b.tree, scope, {true, true, true});
}

TEST(recorder_with_a_clock, books_the_time_of_a_region_s_body_and_of_each_of_its_tasks) {
  auto const pass = [] { spend(some_ns); };
  booked const b = book([&](auto& h) {
    h.finish([&](auto& f) {
      pass();
      f.spawn([&](auto& g) {
        pass();
        g.spawn([&](auto&) { pass(); });
        pass();
      });
      pass();
    });
    pass();
  });
  expect_once(b, 6 * some_ns);
  tree_node_id const region = first_of(b.tree, tree_node_kind::finish);
  ASSERT_EQ(b.tree[region].kind, tree_node_kind::finish);
  expect_steps(b.tree, 0, {false, true});
  expect_steps(b.tree, region, {true, true});
  for (tree_node_id i = 1; i < b.tree.size(); ++i) {
    if (b.tree[i].region != region) continue;
    expect_steps(b.tree, i, b.tree[i].parent == region ? std::vector{true, true} : std::vector{true});
  }
}

struct copied_slowly {
  copied_slowly() = default;
  copied_slowly(copied_slowly const&) { spend(20 * some_ns); }
  void operator()(auto&) const {}
};

/// A task that is spawned costs time that belongs to nobody: its function may be large.
TEST(recorder_with_a_clock, books_what_a_spawn_itself_takes_to_nobody) {
  copied_slowly const task;
  booked const b = book([&](auto& h) { h.finish([&](auto& f) { f.spawn(task); }); });
  EXPECT_GE(b.elapsed, 20 * some_ns);
  EXPECT_LE(b.sum() + 20 * some_ns, b.elapsed);
}

TEST(recorder_with_a_clock, begins_anew_with_each_tree) {
  recorder here(timing::on);
  auto const begin = clock::now();
  spend(some_ns);
  task_tree const first = here.take();
  std::uint64_t const until_first = ns_since(begin);
  spend(some_ns);
  task_tree const second = here.take();
  std::uint64_t const until_second = ns_since(begin);
  ASSERT_EQ(first.size(), 2U);
  ASSERT_EQ(second.size(), 2U);
  EXPECT_GE(first[1].ns, some_ns);
  EXPECT_GE(second[1].ns, some_ns);
  EXPECT_LE(second[1].ns, until_second - some_ns) << "the time of the first tree is not booked again";
  EXPECT_LE(until_first, until_second);
}

/// A program that a seed makes of every construct, and what it spends.
class random_spender {
 public:
  explicit random_spender(std::uint64_t seed) : roll_(seed) {}

  template <class Here>
  void part(Here& h, int depth) {
    for (std::uint32_t n = roll_.below(3) + 1; n > 0; --n) {
      pass();
      auto const child = [this, depth](auto& g) { this->part(g, depth - 1); };
      switch (depth == 0 ? 0 : roll_.below(5)) {
        case 0: h.leaf([this] { pass(); }); break;
        case 1: h.join(child, child); break;
        case 2: h.join_each(std::vector<int>(roll_.below(3)), [child](auto& g, int) { child(g); }); break;
        case 3:
          h.scope([&](auto& s) {
            s.spawn(child);
            pass();
            s.spawn(child);
          });
          break;
        default:
          h.finish([&](auto& f) {
            f.spawn([child](auto& g) { child(g.here()); });
            pass();
            f.spawn([child](auto& g) { g.spawn([child](auto& k) { child(k.here()); }); });
          });
      }
    }
  }

  [[nodiscard]] std::uint64_t spent() const noexcept { return spent_; }

 private:
  void pass() {
    std::uint64_t const ns = roll_.below(5'000);
    spend(ns);
    spent_ += ns;
  }

  runtime::dice roll_;
  std::uint64_t spent_ = 0;
};

TEST(recorder_with_a_clock, books_all_time_once_in_random_programs) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    random_spender program(seed);
    booked const b = book([&](auto& h) { program.part(h, 3); });
    expect_once(b, program.spent());
  }
}

}}}  // namespace skua::v0
