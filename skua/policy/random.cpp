// SPDX-License-Identifier: MIT
#include "skua/policy/random.hpp"

namespace skua { inline namespace v0 { namespace policies {

random_stealing::random_stealing(layout const& where, std::uint64_t seed) {
  workers_state_.reserve(where.workers());
  for (std::uint32_t w = 0; w < where.workers(); ++w) {
    worker_id const self{w};
    workers_state_.emplace_back(self, uniform_victims(self, where.workers()), seed);
  }
}

}}}  // namespace skua::v0::policies
