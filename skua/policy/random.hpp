// SPDX-License-Identifier: MIT
// Random work stealing: one victim at a time, each uniformly at random. [blumofe-leiserson-99]
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "skua/parts/base/dice.hpp"
#include "skua/policy/greedy.hpp"

namespace skua { inline namespace v0 { namespace policies {

/// Draws uniformly from all other workers; the round ends after as many misses as there are workers.
class uniform_victims {
 public:
  uniform_victims(worker_id self, std::uint32_t workers) noexcept : self_(self), workers_(workers) {}

  std::optional<worker_id> next(runtime::dice& roll) noexcept {
    if (workers_ == 1 || misses_ >= workers_) return {};
    std::uint32_t const v = roll.below(workers_ - 1);
    return worker_id{v < index(self_) ? v : v + 1};
  }
  void missed() noexcept { ++misses_; }
  void restart() noexcept { misses_ = 0; }

 private:
  worker_id self_;
  std::uint32_t workers_;
  std::uint32_t misses_ = 0;
};

/// The policy `random`. Hints are ignored; a round makes at most 2 * workers steal attempts that find nothing.
class random_stealing final : public greedy_policy<uniform_victims> {
 public:
  random_stealing(layout const& where, std::uint64_t seed);
  [[nodiscard]] std::string_view name() const noexcept override { return "random"; }
};

}}}  // namespace skua::v0::policies
