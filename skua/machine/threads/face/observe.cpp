// SPDX-License-Identifier: MIT
#include "skua/machine/threads/face/observe.hpp"

#include "skua/machine/threads/engine/core/pool_core.hpp"
#include "skua/machine/threads/engine/core/region.hpp"
#include "skua/machine/threads/engine/core/worker.hpp"

namespace skua { inline namespace v0 { namespace runtime {

namespace {

/// The calling thread's worker, if it works in the pool of that list.
worker* of_pool(observer_list const& list) noexcept {
  worker* const w = worker::current();
  return w != nullptr && w->pool().observers().get() == &list ? w : nullptr;
}

}  // namespace

std::shared_ptr<observer_list> observe(region& observed, worker_observer& o) {
  std::shared_ptr<observer_list> all = observed.pool().observers();
  all->add(o);
  if (worker* const w = of_pool(*all)) w->enter_observed();
  return all;
}

void stop_observing(observer_list& list, worker_observer& o) noexcept {
  // The other observers of the calling thread are told that it leaves and enters again.
  worker* const w = of_pool(list);
  if (w != nullptr) w->leave_observed();
  list.remove(o);
  if (w != nullptr) w->enter_observed();
}

}}}  // namespace skua::v0::runtime
