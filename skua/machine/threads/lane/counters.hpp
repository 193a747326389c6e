// SPDX-License-Identifier: MIT
// Counters of what a worker does. It counts where counting is cheap (steals, waits and sleeps; forks only where the pool is told to);
// any thread reads at any time.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>

#include "skua/machine/threads/lane/time_account.hpp"
#include "skua/machine/threads/lane/worker_counters.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// A counter with one writer and any number of readers.
class counter {
 public:
  void add(std::uint64_t n) noexcept {
    // relaxed: one writer; readers need only a recent value.
    value_.store(value_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t read() const noexcept { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

struct live_counters {
  time_account<> times;
  counter forks;  ///< those that asked for attention: all, if the pool counts forks
  counter tasks, attempts, lost, parked, waited_in_place, sleeps, wakeups_sent, revocations, heavy_fences, spawns,
      conversions, dead;
  std::array<counter, worker_counters::distance_classes> steals;
  counter scheduler_changes, trials, trials_lost_ns;

  [[nodiscard]] worker_counters read(std::uint64_t now_ns, bool counts_forks) const noexcept {
    return with(times.at(now_ns), counts_forks);
  }
  [[nodiscard]] worker_counters with(time_account<>::spent const& spent, bool counts_forks) const noexcept {
    auto const [work, scheduling, idle] = spent;
    worker_counters c{.work_ns = work,
                      .scheduling_ns = scheduling,
                      .idle_ns = idle,
                      .forks = counts_forks ? std::optional(forks.read()) : std::nullopt,
                      .tasks = tasks.read(),
                      .attempts = attempts.read(),
                      .lost = lost.read(),
                      .steals = {},
                      .parked = parked.read(),
                      .waited_in_place = waited_in_place.read(),
                      .sleeps = sleeps.read(),
                      .spawns = spawns.read(),
                      .conversions = conversions.read(),
                      .dead = dead.read(),
                      .wakeups_sent = wakeups_sent.read(),
                      .revocations = revocations.read(),
                      .heavy_fences = heavy_fences.read(),
                      .scheduler_changes = scheduler_changes.read(),
                      .trials = trials.read(),
                      .trials_lost_ns = trials_lost_ns.read()};
    for (std::size_t i = 0; i < steals.size(); ++i) c.steals[i] = steals[i].read();
    return c;
  }
};

}}}  // namespace skua::v0::runtime
