// SPDX-License-Identifier: MIT
// The tree of steal ranges under every schedule: nodes are used again and again while thieves look at them, and no thief
// ever sees the range of one use with the permission of another.
#include <gtest/gtest.h>

#include <cstdint>

#include "skua/policy/adws/tree.hpp"
#include "tests/explorer/expect.hpp"
#include "tests/explorer/explorer.hpp"
#include "tests/explorer/model_sync.hpp"
#include "tests/explorer/mutants.hpp"

namespace {

using namespace skua::explorer;
using skua::worker_id;
using skua::policies::adws::range;

constexpr range first{.right = 0, .left = 2};
constexpr range second{.right = 0, .left = 4};

/// Worker 0 opens, activates and closes a group, then opens another one in the same node; worker 1 looks for its range.
/// `second_too`: the other one is activated as well.
template <class Sync, bool second_too>
struct a_node_used_twice {
  static constexpr int threads = 2;
  skua::policies::adws::tree<Sync>& ranges = immortal<skua::policies::adws::tree<Sync>>(2U, &memory());

  void run(int me) {
    if (me == 0) {
      auto const a = ranges.open(worker_id{0}, first, {});
      ranges.activate(a);
      ranges.close(a);
      auto const b = ranges.open(worker_id{0}, second, {});
      require(a == b, "the node is used again");
      if (second_too) ranges.activate(b);
      return;
    }
    for (int i = 0; i < 2; ++i) {
      auto const found = look();
      if (!found) continue;
      bool const sound = found->range == first || (second_too && found->range == second);
      require(sound, "an active range is one that was activated");
      if (found->range == second) return;
    }
  }
  void finish() { require(look().has_value() == second_too, "what is active is found"); }
  /// As a thief whose last task was in the node: it may be closed, or open again.
  auto look() const {
    constexpr skua::policies::adws::node_id of_worker_0 = 0;
    return ranges.topmost_around(of_worker_0, worker_id{1}, [](skua::policies::adws::node_id) {});
  }
};

/// The ranges are published no later than what opens and closes: a plain store.
using range_published_early = ordered_store_of<std::uint64_t, std::memory_order_relaxed>;

constexpr options pso{.model = memory_model::pso};

}  // namespace

TEST(tree_model, the_second_use_is_not_active) { holds<a_node_used_twice<model_sync, false>>(pso); }
TEST(tree_model, both_uses_are_active) { holds<a_node_used_twice<model_sync, true>>(pso); }

TEST(tree_model, holds_on_weak_memory) {
  holds<a_node_used_twice<model_sync, false>>(weak);
  holds<a_node_used_twice<model_sync, true>>(weak);
}

TEST(tree_mutant, range_published_early_is_caught) {
  fails<a_node_used_twice<range_published_early, false>>("one that was activated", pso);
}
