// SPDX-License-Identifier: MIT
// The worker number of the calling thread, for programs that keep data per worker.
#pragma once

#include <cstdint>
#include <optional>

#include "skua/parts/base/ids.hpp"

namespace skua { inline namespace v0 {

/// The calling thread's worker number in its pool, less than num_workers(). Returns nothing in a thread that is no
/// worker: outside any call, or in a call that the thread runs alone because all workers' places are taken. A task may
/// get another number after each `here.join`. Cost: 2 ns.
[[nodiscard]] std::optional<worker_id> this_worker() noexcept;

/// The number of workers of the pool whose task or call the calling thread runs; in a thread that runs none, of the
/// default pool, which it makes if there is none. Throws what default_pool() throws. Cost: 2 ns.
[[nodiscard]] std::uint32_t num_workers();

[[deprecated("worker_count() is now num_workers()")]] [[nodiscard]] inline std::uint32_t worker_count() {
  return num_workers();
}

}}  // namespace skua::v0
