// SPDX-License-Identifier: MIT
#include "skua/openmp/event.hpp"

#include <atomic>

#include "skua/openmp/settings.hpp"

namespace skua { inline namespace v0 { namespace openmp {

namespace {
std::atomic<std::int32_t>& members_that_run() noexcept {
  static constinit std::atomic<std::int32_t> count{0};
  return count;
}
}  // namespace

void count_running(std::int32_t more) noexcept {
  members_that_run().fetch_add(more, std::memory_order_relaxed);  // relaxed: a statistic
}

std::uint64_t spin_budget_ns() noexcept {
  settings const& s = the_settings();
  if (s.policy == waiting::passive) return 0;
  // relaxed: as above
  if (members_that_run().load(std::memory_order_relaxed) > static_cast<std::int32_t>(s.processors)) return 0;
  return s.policy == waiting::active ? 5'000'000 : 50'000;
}

}}}  // namespace skua::v0::openmp
