// SPDX-License-Identifier: MIT
#include "skua/machine/threads/engine/core/first_touches.hpp"

#include <sys/resource.h>

namespace skua { inline namespace v0 { namespace runtime {

[[gnu::cold]] void first_touches::look(std::uint64_t now_ns) noexcept {
  std::uint64_t due = next_look_ns_.load(std::memory_order_relaxed);
  // relaxed: only chooses the worker that looks; its finding is a hint.
  if (now_ns < due || !next_look_ns_.compare_exchange_strong(due, now_ns + period_ns_, std::memory_order_relaxed,
                                                             std::memory_order_relaxed))
    return;
  rusage used;
  if (getrusage(RUSAGE_SELF, &used) != 0) return;
  std::int64_t const before = faults_.exchange(used.ru_minflt, std::memory_order_relaxed);  // relaxed, all: as above
  std::uint32_t const newest = used.ru_minflt != before ? 1 : 0;
  grew_.store((grew_.load(std::memory_order_relaxed) << 1 & 2) | newest, std::memory_order_relaxed);
}

}}}  // namespace skua::v0::runtime
