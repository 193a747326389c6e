// SPDX-License-Identifier: MIT
// A hinted place holds for all descendants without a hint of their own, on whichever worker they run. [numa-ws-2018 III-A]
#include "skua/machine/threads/fork/join/place_hint.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

#include "skua/parts/base/dice.hpp"
#include "skua/skua.hpp"

namespace {

using skua::at;
using skua::hint;
using skua::place_id;
using skua::runtime::here;
using skua::runtime::stop_node;

constexpr place_id nowhere{0xabcdU};

/// Joins, ranges, scopes and finish regions with random hints. Counts the tasks that inherit the wrong place.
class family {
 public:
  void visit(here& h, int depth, std::uint64_t seed, place_id expected) {
    tasks_.fetch_add(1, std::memory_order_relaxed);
    if (stop_node::inherited(fiber_of(h).watching()).place.value_or(nowhere) != expected)
      wrong_.fetch_add(1, std::memory_order_relaxed);
    if (depth == 0) return;
    skua::runtime::dice roll(seed);
    std::array<hint, 3> hints{};
    for (hint& one : hints) one = drawn(roll, expected);
    auto const child = [&, below = roll.next()](std::size_t i) {
      place_id const place = hints.at(i).place.value_or(expected);
      return [=, this](here& inside) { visit(inside, depth - 1, below + i, place); };
    };
    switch (roll.below(5)) {
      case 0: h.join(hints[0], child(0), hints[1], child(1)); break;
      case 1: h.join(hints[0], child(0), hints[1], child(1), hints[2], child(2)); break;
      case 2:
        h.join_each(
            std::array<std::size_t, 3>{0, 1, 2}, [&](std::size_t i) { return hints.at(i); },
            [&](here& inside, std::size_t i) { child(i)(inside); });
        break;
      case 3:
        h.scope([&](auto& s) {
          for (std::size_t i = 0; i < 3; ++i) s.spawn(hints.at(i), child(i));
        });
        break;
      default:
        h.finish([&](auto& f) {
          for (std::size_t i = 0; i < 3; ++i) {
            auto const run_child = [run = child(i)](auto& g) { run(g.here()); };
            f.spawn(hints.at(i), run_child);
            f.spawn(hints.at(i), skua::strategies::weighted{2},
                    [run_child](auto& g) { g.spawn(skua::strategies::weighted{}, run_child); });
          }
        });
    }
  }
  [[nodiscard]] int tasks() const { return tasks_.load(); }
  [[nodiscard]] int wrong() const { return wrong_.load(); }

 private:
  /// No place, the place that already holds, another place, or `anywhere`.
  static hint drawn(skua::runtime::dice& roll, place_id expected) {
    switch (roll.below(4)) {
      case 0: return {};
      case 1: return expected == nowhere ? hint{} : as_hint(at{expected});
      case 2: return as_hint(at{place_id{roll.below(2)}});
      default: return as_hint(at{skua::anywhere});
    }
  }

  std::atomic<int> tasks_{0};
  std::atomic<int> wrong_{0};
};

class place_hints : public ::testing::TestWithParam<char const*> {};

TEST_P(place_hints, descendants_inherit_the_innermost_place) {
  skua::pool pool({.workers = 3, .policy = GetParam(), .places = "threads"});
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    family f;
    pool.run([&](auto& h) { f.visit(h, 6, seed, nowhere); });
    EXPECT_EQ(f.wrong(), 0) << "of " << f.tasks() << " tasks, seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(policies, place_hints, ::testing::Values("random", "adws", "numa-ws", "replay", "strategies"),
                         [](auto const& p) {
                           std::string name = p.param;
                           return name == "numa-ws" ? "numa_ws" : name;
                         });

TEST(place_hints, a_hint_that_holds_already_adds_no_node) {
  skua::pool pool({.workers = 1, .places = "threads"});
  pool.run([](auto& h) {
    h.join(
        at{place_id{0}},
        [](here& outer) {
          stop_node const* const before = fiber_of(outer).watching();
          ASSERT_NE(before, nullptr);
          auto const same = [before](here& inner) { EXPECT_EQ(fiber_of(inner).watching(), before); };
          outer.join(at{place_id{0}}, same, hint{}, same);
          outer.join(
              at{skua::anywhere}, [before](here& inner) { EXPECT_NE(fiber_of(inner).watching(), before); }, hint{},
              same);
          EXPECT_EQ(fiber_of(outer).watching(), before);
        },
        [](here&) {});
  });
}

}  // namespace
