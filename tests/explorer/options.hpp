// SPDX-License-Identifier: MIT
// What bounds an exploration: explorer.hpp describes the model.
#pragma once

#include <cstdint>
#include <limits>

namespace skua { inline namespace v0 { namespace explorer {

enum class memory_model : std::uint8_t { tso, pso, weak };

struct options {
  memory_model model = memory_model::tso;
  int preemptions = std::numeric_limits<int>::max();  ///< at most so many switches away from a thread that could go on
  std::uint64_t executions = 20'000'000;              ///< give up after so many (then not `exhausted`)
  std::uint64_t random = 0;                           ///< > 0: so many random schedules instead of all
  std::uint64_t seed = 1;                             ///< for the random schedules
  std::uint32_t steps = 5'000;                        ///< of one execution; beyond: "no end in sight"
  int stale = 2;  ///< weak: at most so many times a thread does not see the newest store of a word, or stores behind it
  bool races = false;  ///< report plain accesses and ends of lifetimes that no memory order orders; more states
};

}}}  // namespace skua::v0::explorer
