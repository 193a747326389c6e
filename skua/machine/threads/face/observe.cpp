// SPDX-License-Identifier: MIT
#include "skua/machine/threads/face/observe.hpp"

#include "skua/machine/threads/engine/core/pool_core.hpp"
#include "skua/machine/threads/engine/core/region.hpp"
#include "skua/machine/threads/engine/core/worker.hpp"

namespace skua { inline namespace v0 { namespace runtime {

namespace {

/// The calling thread's worker, if it works in the pool of that list.
worker* of_pool(observer_list const& in) noexcept {
  worker* const w = worker::current();
  return w != nullptr && w->of().observers().get() == &in ? w : nullptr;
}

}  // namespace

std::shared_ptr<observer_list> observe(region& of, worker_observer& o) {
  std::shared_ptr<observer_list> all = of.of().observers();
  all->add(o);
  if (worker* const w = of_pool(*all)) w->enter_observed();
  return all;
}

void stop_observing(observer_list& in, worker_observer& o) noexcept {
  // The others of the calling thread's observers hear that it leaves, and that it comes again.
  worker* const w = of_pool(in);
  if (w != nullptr) w->leave_observed();
  in.remove(o);
  if (w != nullptr) w->enter_observed();
}

}}}  // namespace skua::v0::runtime
