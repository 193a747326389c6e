// SPDX-License-Identifier: MIT
// What is drawn from a seed is the same in every version: a failure that a test prints with its seed can be had again. A sum over all that is
// drawn stands here; it changes with any change of what is drawn, and then only with intent.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "skua/parts/base/dice.hpp"
#include "skua/program/task_tree.hpp"
#include "tests/programs/random_tree.hpp"
#include "tests/programs/shuffled.hpp"

namespace skua { inline namespace v0 { namespace {

/// FNV-1a of numbers.
class digest {
 public:
  void add(std::uint64_t x) noexcept {
    for (int i = 0; i < 8; ++i, x >>= 8) sum_ = (sum_ ^ (x & 0xff)) * 0x100'0000'01b3ULL;
  }
  [[nodiscard]] std::uint64_t sum() const noexcept { return sum_; }

 private:
  std::uint64_t sum_ = 0xcbf2'9ce4'8422'2325ULL;
};

void add(digest& to, task_tree const& tree) {
  to.add(tree.size());
  for (tree_node_id i = 0; i < tree.size(); ++i) {
    tree_node const& n = tree[i];
    to.add(static_cast<std::uint64_t>(n.kind));
    for (tree_node_id const link : {n.parent, n.region, n.first, tree.last_child(i), n.next}) to.add(link);
    to.add(std::bit_cast<std::uint64_t>(n.flops));
    to.add(n.hints.work ? std::bit_cast<std::uint64_t>(*n.hints.work) : 1);
    to.add(n.hints.place ? static_cast<std::uint64_t>(*n.hints.place) : 2);
  }
}

TEST(drawn, trees_of_random_shapes_are_those_of_every_version) {
  digest all;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    runtime::dice roll(seed);
    tree_shape const shape = random_shape(roll);
    for (std::uint32_t const number : {shape.tasks, shape.most_children, shape.most_flops, shape.scope_percent})
      all.add(number);
    add(all, random_tree::make(seed, shape));
    add(all, random_tree::make(seed));
  }
  EXPECT_EQ(all.sum(), 9'384'761'685'121'631'483U);
}

/// Forks in every way, and writes down who runs where.
template <class Here>
void fork_and_note(Here& here, digest& all, int depth) {
  auto const note = [&](auto& h, std::uint64_t what) {
    all.add(what);
    all.add(index(h.worker()));
    all.add(h.num_workers());
  };
  if (depth == 0) return note(here, 1);
  here.join(
      [&](auto& h) {
        note(h, 10);
        fork_and_note(h, all, depth - 1);
      },
      [&](auto& h) { note(h, 11); },
      [&](auto& h) {
        note(h, 12);
        fork_and_note(h, all, depth - 1);
      });
  std::array<std::uint64_t, 5> const elements{20, 21, 22, 23, 24};
  here.join_each(elements, [&](auto& h, std::uint64_t e) { note(h, e); });
  here.scope([&](auto& s) {
    for (std::uint64_t i = 0; i < 4; ++i) {
      s.spawn([&, i](auto& h) {
        note(h, 30 + i);
        if (i == 1) s.spawn([&](auto& inner) { note(inner, 40); });
      });
    }
    note(here, 50);
  });
}

TEST(drawn, orders_are_those_of_every_version) {
  digest all;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    shuffled drawn(seed, 1 + static_cast<std::uint32_t>(seed % 5));
    fork_and_note(drawn, all, 3);
    shuffled backwards(seed, 3, child_order::backwards);
    fork_and_note(backwards, all, 2);
  }
  EXPECT_EQ(all.sum(), 13'254'242'259'775'841'505U);
}

TEST(shuffled, begins_no_child_once_it_shall_stop) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    for (std::uint32_t at = 1; at <= 12; ++at) {
      std::stop_source source;
      shuffled here(seed);
      std::uint32_t begun = 0;
      auto const child = [&](auto&) {
        EXPECT_LT(begun, at) << "it has been stopped";
        if (++begun == at) source.request_stop();
      };
      bool was_cancelled = false;
      try {
        here.with_stop(source.get_token(), [&](shuffled& h) {
          h.join(child, child, child);
          std::array<int, 4> const elements{};
          h.join_each(elements, [&](auto& inner, int) { child(inner); });
          h.scope([&](auto& s) {
            for (int i = 0; i < 4; ++i) s.spawn(child);
          });
        });
      } catch (cancelled const&) {
        was_cancelled = true;
      }
      EXPECT_EQ(begun, std::min(at, 11U));
      EXPECT_EQ(was_cancelled, at < 11) << "the last child drops nothing";
      EXPECT_FALSE(here.stop_requested());
      EXPECT_EQ(here.around(), nullptr);
    }
  }
}

TEST(shuffled, calls_nothing_under_a_token_that_is_stopped) {
  std::stop_source source;
  source.request_stop();
  shuffled here(1);
  EXPECT_THROW(here.with_stop(source.get_token(), [](shuffled&) { ADD_FAILURE() << "it is called"; }), cancelled);
  bool called = false;
  here.watching(source.get_token(), [&](shuffled& h) { called = h.stop_requested(); });
  EXPECT_TRUE(called);
}

TEST(shuffled, scopes_that_return_a_value_wait_for_their_children) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    shuffled here(seed);
    int ran = 0;
    int const value = here.scope([&](auto& s) {
      for (int i = 0; i < 3; ++i) s.spawn([&](auto&) { ++ran; });
      return 7;
    });
    EXPECT_EQ(value, 7);
    EXPECT_EQ(ran, 3);
  }
}

TEST(shuffled, ignores_hints_and_runs_every_child) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    shuffled here(seed);
    int ran = 0;
    std::array<int, 3> const elements{1, 2, 4};
    here.join_each(elements, [](int) { return 1.0; }, [&](auto&, int e) { ran += e; });
    here.scope([&](auto& s) {
      s.spawn(work{2}, [&](auto&) { ran += 8; });
      s.spawn(work{1}, [&](auto&) { ran += 16; });
    });
    EXPECT_EQ(ran, 31);
  }
}

}}}  // namespace skua::v0
