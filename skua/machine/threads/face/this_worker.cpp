// SPDX-License-Identifier: MIT
#include "skua/machine/threads/face/this_worker.hpp"

#include "skua/machine/threads/engine/core/pool_core.hpp"
#include "skua/machine/threads/engine/core/worker.hpp"
#include "skua/machine/threads/face/executor.hpp"
#include "skua/machine/threads/face/pool.hpp"

namespace skua { inline namespace v0 {

std::optional<worker_id> this_worker() noexcept {
  runtime::worker* const w = runtime::worker::current();
  if (w == nullptr || w->pool().is_guest()) return std::nullopt;
  return w->number();
}

pool& current_pool() {
  runtime::worker* const w = runtime::worker::current();
  return w == nullptr ? default_pool() : w->pool().known_as();
}

std::uint32_t num_workers() {
  runtime::worker* const w = runtime::worker::current();
  return w == nullptr ? default_pool().num_workers() : w->pool().host().workers();
}

}}  // namespace skua::v0
