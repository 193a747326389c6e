// SPDX-License-Identifier: MIT
// For models of both deques: an owner that moves its entries to another lane, as it does before its fiber parks.
#pragma once

#include <atomic>

#include "skua/parts/base/outcome.hpp"
#include "skua/parts/queue/deque_options.hpp"
#include "skua/parts/queue/ring.hpp"
#include "tests/explorer/explorer.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// A thief that finds a lane empty finds in the next one what left it before the last entry. A script derives from it and pushes two entries.
template <class Sync, class Deque>
struct moved_entries {
  static constexpr int threads = 2;
  Deque from{deque_options{.capacity = 4, .kind = Sync::kind(), .memory = &explorer::memory()}};
  typename Sync::template atomic<int> other_lane{0};
  void run(int me) {
    entry e;
    if (me == 0) {
      if (from.pop_oldest(e)) other_lane.store(1, std::memory_order_relaxed);
      static_cast<void>(from.pop_oldest(e));
    } else if (from.outside().steal(e) == outcome::empty) {
      explorer::require(other_lane.load(std::memory_order_relaxed) == 1, "what was moved is there");
    }
  }
  void finish() {}
};

}}}  // namespace skua::v0::runtime
