// SPDX-License-Identifier: MIT
// How an observer begins and ends to hear of the threads of a pool (engine/core/observer_list.hpp).
#pragma once

#include <memory>

#include "skua/machine/threads/engine/core/observer_list.hpp"

namespace skua { inline namespace v0 { namespace runtime {

class region;

/// `o` hears of every thread that works in the pool of `of` from now on. A thread that works there already enters before its next
/// task; the calling one at once. Returns what `stop_observing` needs, also if the pool has ended. Throws std::bad_alloc.
[[nodiscard]] std::shared_ptr<observer_list> observe(region& of, worker_observer& o);
/// When this returns nobody calls `o` any more. The calling thread leaves before, if it has entered. Not in a function of an observer.
void stop_observing(observer_list& in, worker_observer& o) noexcept;

}}}  // namespace skua::v0::runtime
