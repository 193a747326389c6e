// SPDX-License-Identifier: MIT
// Strategies for those who need no type of their own: an order as plain numbers, and what is made of it.
#pragma once

#include <cstdint>

#include "skua/parts/base/ids.hpp"
#include "skua/program/strategy/strategy.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// Smaller numbers first: `local` for the worker that has the task, `steal` for thieves. A NaN has no order.
struct order {
  double local = 0;
  double steal = 0;
  [[nodiscard]] double key(requester const& by) const noexcept { return by.steals ? steal : local; }
};

/// More urgent tasks first, here and for thieves.
enum class urgency : std::uint8_t { high, normal, low };
struct priority : order {
  explicit priority(urgency u) noexcept : order{static_cast<double>(u), static_cast<double>(u)} {}
};

/// The earliest deadline first, here and for thieves; any unit.
struct deadline : order {
  explicit deadline(double t) noexcept : order{t, t} {}
};

/// The newest first, here and for thieves: a LIFO.
struct depth_first {
  std::uint64_t number = 0;
  void spawned(worker_id, std::uint64_t n) noexcept { number = n; }
  void stolen(worker_id, std::uint64_t n) noexcept { number = n; }
  [[nodiscard]] double key(requester const&) const noexcept { return -static_cast<double>(number); }
};

/// The oldest first, here and for thieves: a FIFO. [strategies-2013 Fig. 1]
struct breadth_first {
  std::uint64_t number = 0;
  void spawned(worker_id, std::uint64_t n) noexcept { number = n; }
  void stolen(worker_id, std::uint64_t n) noexcept { number = n; }
  [[nodiscard]] double key(requester const&) const noexcept { return static_cast<double>(number); }
};

/// The root's order, with a weight: newest first, thieves oldest first. It allows call conversion.
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
