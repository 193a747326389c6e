// SPDX-License-Identifier: MIT
// A worker has taken several tasks of a thread from outside at once, and keeps all but the oldest (outside_lane.md, "nothing hidden").
// sleep_model.cpp runs it beside a worker that falls asleep.
#pragma once

#include <cstddef>

namespace skua { inline namespace v0 { namespace runtime {

/// Puts all but the oldest into `spawned`, newest first: so the worker runs them in the order of submission, and thieves find the newest.
/// inject(entry): there is no memory for this one. Tells the region's sleepers.
template <class Spawned, class Batch, class Inject, class Region>
void keep_batch(Spawned& spawned, Batch const& batch, Inject&& inject, Region& region) noexcept {
  for (std::size_t i = batch.size - 1; i > 0; --i) {
    auto const& one = batch.tasks[i];
    if (!spawned.reserve()) {
      inject(one);
      continue;
    }
    // The sleepers are notified below in either case. There is room: it was reserved.
    if (spawned.push(one.task, one.extra)) static_cast<void>(spawned.poll());
  }
  region.notify_work();
}

}}}  // namespace skua::v0::runtime
