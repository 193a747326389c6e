// SPDX-License-Identifier: MIT
// The eventcount of this library, and how long a wait spins before it parks.
#pragma once

#include <cstdint>

#include "skua/machine/threads/face/one_shot.hpp"
#include "skua/machine/threads/face/worker_calls.hpp"
#include "skua/openmp/eventcount.hpp"
#include "skua/parts/base/busy_spell.hpp"
#include "skua/parts/base/clock.hpp"

namespace skua { inline namespace v0 { namespace openmp {

struct sleep_of_thread {
  void wait() { event.wait(); }
  void set() { event.set_value(); }
  one_shot<> event;
};

using eventcount = basic_eventcount<sleep_of_thread>;

/// How long a wait spins: 50 us while no more members run than there are processors, longer under OMP_WAIT_POLICY=active, else not at all.
[[nodiscard]] std::uint64_t spin_budget_ns() noexcept;
/// Whether waits block at once: other programs keep the processors busy, and this one did not ask for threads that spin.
[[nodiscard]] inline bool heeds_busy_machine(std::uint64_t budget_ns, std::uint64_t now_ns) noexcept {
  return budget_ns <= 50'000 && runtime::busy_spell::of_process().is_on(now_ns);
}
/// Members of teams that run now, in the process.
void count_running(std::int32_t more) noexcept;

/// Spins until the condition holds or the budget is spent; returns whether it holds.
template <class Condition>
[[nodiscard]] bool spin_until(Condition const& is_true) {
  if (is_true()) return true;
  std::uint64_t const budget = spin_budget_ns();
  if (budget == 0) return false;
  for (int i = 0; i < 64; ++i) {
    runtime::relax();
    if (is_true()) return true;
  }
  std::uint64_t const began = runtime::clock_ns();
  if (heeds_busy_machine(budget, began)) return false;
  runtime::come_home();
  for (std::uint64_t last = began; last - began < budget;) {
    bool holds = false;
    for (int i = 0; i < 64 && !holds; ++i) {
      runtime::relax();
      holds = is_true();
    }
    // Also if it holds: it often does when a thread that had no processor comes back.
    std::uint64_t const now = runtime::clock_ns();
    runtime::busy_spell::of_process().saw(last, now);
    if (holds) return true;
    last = now;
  }
  return false;
}

}}}  // namespace skua::v0::openmp
