// SPDX-License-Identifier: MIT
// Ready-made strategies, for programs that need no type of their own.
#pragma once

#include <cstdint>

#include "skua/parts/base/ids.hpp"
#include "skua/program/strategy/strategy.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// Smaller numbers first: `local` orders the tasks of a worker's own queue, `steal` orders them for thieves. A NaN has
/// no order.
struct order {
  double local = 0;
  double steal = 0;
  [[nodiscard]] double key(requester const& by) const noexcept { return by.steals ? steal : local; }
};

/// More urgent tasks first, for the own worker and for thieves.
enum class urgency : std::uint8_t { high, normal, low };
struct priority : order {
  explicit priority(urgency u) noexcept : order{static_cast<double>(u), static_cast<double>(u)} {}
  [[nodiscard]] double global_key() const noexcept { return local; }
};

/// The earliest deadline first, for the own worker and for thieves. Any unit of time.
struct deadline : order {
  explicit deadline(double t) noexcept : order{t, t} {}
  [[nodiscard]] double global_key() const noexcept { return local; }
};

/// The newest task first, for the own worker and for thieves: a LIFO.
struct depth_first {
  std::uint64_t number = 0;
  void spawned(worker_id, std::uint64_t n) noexcept { number = n; }
  void stolen(worker_id, std::uint64_t n) noexcept { number = n; }
  [[nodiscard]] double key(requester const&) const noexcept { return -static_cast<double>(number); }
};

/// The oldest task first, for the own worker and for thieves: a FIFO. [strategies-2013 Fig. 1]
struct breadth_first {
  std::uint64_t number = 0;
  void spawned(worker_id, std::uint64_t n) noexcept { number = n; }
  void stolen(worker_id, std::uint64_t n) noexcept { number = n; }
  [[nodiscard]] double key(requester const&) const noexcept { return static_cast<double>(number); }
};

/// The default order with a weight: newest first for the own worker, oldest first for thieves. Allows the scheduler to
/// convert a spawn to a call.
struct weighted {
  double weight = 1;
  [[nodiscard]] double transitive_weight() const noexcept { return weight; }
  [[nodiscard]] static constexpr bool allow_call_conversion() noexcept { return true; }
};

static_assert(strategy<order> && strategy<priority> && strategy<deadline> && strategy<depth_first> &&
              strategy<breadth_first> && strategy<weighted>);

}}}  // namespace skua::v0::runtime

namespace skua { inline namespace v0 { namespace strategies {

using runtime::breadth_first;
using runtime::deadline;
using runtime::depth_first;
using runtime::order;
using runtime::priority;
using runtime::urgency;
using runtime::weighted;

}}}  // namespace skua::v0::strategies
