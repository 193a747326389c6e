// SPDX-License-Identifier: MIT
// synthetic-loads: independent tasks that use the processor for given times. The time beyond their sum, divided by the
// workers, is the cost of the scheduler or balancer.
#pragma once

#include <atomic>
#include <concepts>
#include <cstdint>
#include <ranges>
#include <string>
#include <vector>

#include "skua/machine/sim/here.hpp"
#include "skua/program/fork_join.hpp"
#include "skua/program/recorder.hpp"

namespace skua::apps::synthetic {

/// What a task does with its time.
enum class pastime : std::uint8_t { spin, sleep };

/// Uses the processor for so long, as the clock says, or sleeps meanwhile. Interruptions count; Linux wakes some 60 us late.
void pass(std::uint64_t ns, pastime how) noexcept;

class problem {
 public:
  problem() = default;
  explicit problem(std::vector<std::uint64_t> durations, pastime how = pastime::spin, std::uint64_t alone_ns = 0)
      : durations_(std::move(durations)), how_(how), alone_ns_(alone_ns), runs_(durations_.size()) {}

  [[nodiscard]] std::vector<std::uint64_t> const& durations() const noexcept { return durations_; }
  /// Before the tasks, the caller alone uses its processor for so long.
  [[nodiscard]] std::uint64_t alone_ns() const noexcept { return alone_ns_; }
  [[nodiscard]] std::uint64_t sum_ns() const noexcept;
  [[nodiscard]] std::uint64_t longest_ns() const noexcept;

  void reset() noexcept {
    for (auto& count : runs_) count.store(0, std::memory_order_relaxed);
  }
  void begin(bool charge_only) const noexcept {
    if (!charge_only) pass(alone_ns_, how_);
  }
  /// Runs task k once. `charge_only`: the time is virtual, and no processor is used.
  void run(std::uint32_t k, bool charge_only) noexcept {
    if (!charge_only) pass(durations_[k], how_);
    runs_[k].fetch_add(1, std::memory_order_relaxed);
  }
  /// Empty if every task has run exactly once, else one line.
  [[nodiscard]] std::string wrong() const;

 private:
  std::vector<std::uint64_t> durations_;
  pastime how_ = pastime::spin;
  std::uint64_t alone_ns_ = 0;
  // Relaxed: they are read when all tasks have ended, which the end of the run orders.
  std::vector<std::atomic<std::uint32_t>> runs_;
};

/// All tasks as one group; if `hints`, each with its duration as its work. A leaf charges a flop per nanosecond.
template <fork_join Here>
void program(Here& here, problem& p, bool hints) {
  constexpr bool charge_only = std::same_as<Here, recorder> || std::same_as<Here, sim::here>;
  if (p.alone_ns() > 0) here.leaf(flops{static_cast<double>(p.alone_ns())}, [&] { p.begin(charge_only); });
  auto const tasks = std::views::iota(std::uint32_t{0}, static_cast<std::uint32_t>(p.durations().size()));
  auto const duration = [&](std::uint32_t k) { return static_cast<double>(p.durations()[k]); };
  auto const body = [&](Here& h, std::uint32_t k) { h.leaf(flops{duration(k)}, [&] { p.run(k, charge_only); }); };
  if (hints) {
    here.join_each(tasks, duration, body);
  } else {
    here.join_each(tasks, body);
  }
}

}  // namespace skua::apps::synthetic
