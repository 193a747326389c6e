// SPDX-License-Identifier: MIT
#include "skua/policy/strategies.hpp"

namespace skua { inline namespace v0 { namespace policies {
namespace {

constexpr search_step own[] = {{lane::ordered}, {lane::spawned}, {lane::inbox}};
constexpr search_step theirs[] = {{lane::ordered, after_lost::next_victim, amount::half_work},
                                  {lane::forks, after_lost::next_victim},
                                  {lane::spawned, after_lost::next_victim}};
constexpr search_order order{
    .own = own, .theirs = theirs, .injected_first_after_rest = true, .of_injected = amount::half};

}  // namespace

strategies_worker::strategies_worker(worker_id self, layout const& where, std::uint64_t seed)
    : greedy_worker(self, one_per_ring(self, where), seed, order) {}

configurable_strategies::configurable_strategies(layout const& where, std::uint64_t seed, strategies_options options)
    : options_(options) {
  workers_state_.reserve(where.workers());
  for (std::uint32_t w = 0; w < where.workers(); ++w) workers_state_.emplace_back(worker_id{w}, where, seed);
}

}}}  // namespace skua::v0::policies
