// SPDX-License-Identifier: MIT
// Registers and unregisters an observer of a pool's threads (engine/core/observer_list.hpp).
#pragma once

#include <memory>

#include "skua/machine/threads/engine/core/observer_list.hpp"

namespace skua { inline namespace v0 { namespace runtime {

class region;

/// Notifies `o` of every thread that works in the pool of `observed` from now on. A thread that works there already enters
/// before its next task; the calling thread enters at once. Returns the list for `stop_observing`, which is valid even
/// after the end of the pool. Throws std::bad_alloc.
[[nodiscard]] std::shared_ptr<observer_list> observe(region& observed, worker_observer& o);
/// When this has returned, no thread calls `o`. The calling thread first leaves, if it has entered. Must not be called
/// in a function of an observer.
void stop_observing(observer_list& list, worker_observer& o) noexcept;

}}}  // namespace skua::v0::runtime
