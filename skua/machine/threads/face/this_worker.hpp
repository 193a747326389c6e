// SPDX-License-Identifier: MIT
// Which worker the calling thread is, for programs that keep data per worker.
#pragma once

#include <cstdint>
#include <optional>

#include "skua/parts/base/ids.hpp"

namespace skua { inline namespace v0 {

/// The number of the worker that the calling thread is in its pool, less than num_workers(); nothing if it is none: a
/// thread outside of any call, or one that runs its call alone because all workers' places are taken. A task may find
/// another number after each `here.join`. Cost: 2 ns.
[[nodiscard]] std::optional<worker_id> this_worker() noexcept;

/// The workers of the pool whose task or call the thread runs; else those of the default pool, which is made if there
/// is none. Throws what default_pool() throws. Cost: 2 ns.
[[nodiscard]] std::uint32_t num_workers();

[[deprecated("worker_count() is now num_workers()")]] [[nodiscard]] inline std::uint32_t worker_count() {
  return num_workers();
}

}}  // namespace skua::v0
