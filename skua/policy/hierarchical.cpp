// SPDX-License-Identifier: MIT
#include "skua/policy/hierarchical.hpp"

#include <algorithm>
#include <utility>

#include "skua/parts/base/assert.hpp"

namespace skua { inline namespace v0 { namespace policies {

ring_victims::ring_victims(worker_id self, layout const& where, std::uint32_t patience) : patience_(patience) {
  runtime::expects(patience >= 1, "ring_victims: patience of at least 1");
  std::uint32_t const workers = where.workers();
  others_.reserve(workers - 1);
  for (std::uint32_t w = 0; w < workers; ++w) {
    if (worker_id{w} != self) others_.push_back(worker_id{w});
  }
  std::vector<std::uint32_t> const distances = where.distances_from(self);
  auto const far = [&](worker_id w) { return distances[index(w)]; };
  std::ranges::sort(others_, {}, [&](worker_id w) { return std::pair(far(w), index(w)); });
  for (std::uint32_t i = 1; i <= others_.size(); ++i) {
    if (i == others_.size() || far(others_[i]) != far(others_[i - 1])) ends_.push_back(i);
  }
}

std::optional<worker_id> ring_victims::next(runtime::dice& roll) noexcept {
  if (ring_ == ends_.size()) return {};
  return others_[begin() + roll.below(size())];
}

void ring_victims::missed() noexcept {
  if (++misses_ < std::uint64_t{patience_} * size()) return;
  leave_ring();
}

void ring_victims::restart() noexcept {
  ring_ = 0;
  misses_ = 0;
}

hierarchical_stealing::hierarchical_stealing(layout const& where, std::uint64_t seed, std::uint32_t patience) {
  workers_state_.reserve(where.workers());
  for (std::uint32_t w = 0; w < where.workers(); ++w) {
    worker_id const self{w};
    workers_state_.emplace_back(self, ring_victims(self, where, patience), seed);
  }
}

}}}  // namespace skua::v0::policies
