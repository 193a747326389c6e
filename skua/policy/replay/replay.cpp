// SPDX-License-Identifier: MIT
#include "skua/policy/replay/replay.hpp"

namespace skua { inline namespace v0 { namespace policies {

replaying::replaying(layout const& where, std::uint64_t seed, replay_options const& chosen)
    : shared_(where.workers(), chosen) {
  workers_state_.reserve(where.workers());
  for (std::uint32_t w = 0; w < where.workers(); ++w) workers_state_.emplace_back(shared_, where, worker_id{w}, seed);
}

replay_status replaying::status() const noexcept {
  return {.iterations = shared_.iteration.begun(),
          .restarts = shared_.iteration.restarts(),
          .pieces = shared_.records.pieces(),
          .is_strict = shared_.iteration.is_strict(),
          .has_gaps = shared_.records.known().has_gaps()};
}

}}}  // namespace skua::v0::policies
