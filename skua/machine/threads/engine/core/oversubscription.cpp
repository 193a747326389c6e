// SPDX-License-Identifier: MIT
#include "skua/machine/threads/engine/core/oversubscription.hpp"

#include <exception>

#include "skua/parts/topology/affinity.hpp"
#include "skua/parts/topology/cgroup.hpp"
#include "skua/parts/topology/usable_processors.hpp"

namespace skua { inline namespace v0 { namespace runtime {

[[gnu::cold]] void oversubscription::look(std::uint64_t now_ns) noexcept {
  std::uint64_t seen = next_look_ns_.load(std::memory_order_relaxed);
  std::uint64_t const next = now_ns + static_cast<std::uint64_t>(std::chrono::nanoseconds(period).count());
  // relaxed: only chooses the worker that looks; threads_ was written before the workers were woken.
  if (threads_.empty() || now_ns < seen ||
      !next_look_ns_.compare_exchange_strong(seen, next, std::memory_order_relaxed))
    return;
  try {
    std::uint32_t const processors = usable_processors(threads_, workers_, read_cpu_quota());
    // relaxed: a hint.
    if (processors != 0) processors_.store(processors, std::memory_order_relaxed);
  } catch (std::exception const&) {  // no memory: it stays as it is
  }
}

}}}  // namespace skua::v0::runtime
