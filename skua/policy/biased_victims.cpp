// SPDX-License-Identifier: MIT
#include "skua/policy/biased_victims.hpp"

#include <algorithm>
#include <limits>

#include "skua/parts/base/assert.hpp"

namespace skua { inline namespace v0 { namespace policies {

biased_victims::biased_victims(worker_id self, layout const& where, std::uint32_t bias, bool local_only)
    : workers_(where.workers()) {
  runtime::expects(bias >= 1 && bias <= 100, "biased_victims: bias of 1 to 100");
  std::uint32_t nearest = std::numeric_limits<std::uint32_t>::max();
  for (std::uint32_t w = 0; w < workers_; ++w) {
    if (where.place_of(worker_id{w}) != where.place_of(self)) {
      nearest = std::min(nearest, where.distance(self, worker_id{w}));
    }
  }
  auto const ring_of = [&](worker_id w) -> std::size_t {
    if (where.place_of(w) == where.place_of(self)) return 0;
    return where.distance(self, w) == nearest ? 1 : 2;
  };
  others_.reserve(workers_);
  std::uint32_t weight = bias * bias;
  for (std::size_t r = 0; r < (local_only ? 1 : rings_.size()); ++r, weight /= bias) {
    rings_[r] = {.begin = static_cast<std::uint32_t>(others_.size()), .weight = weight};
    for (std::uint32_t w = 0; w < workers_; ++w) {
      if (worker_id{w} != self && ring_of(worker_id{w}) == r) others_.push_back(worker_id{w});
    }
    rings_[r].size = static_cast<std::uint32_t>(others_.size()) - rings_[r].begin;
  }
}

std::uint32_t biased_victims::whole() const noexcept {
  std::uint32_t sum = 0;
  for (ring const& r : rings_) sum += r.size * r.weight;
  return sum;
}

std::optional<worker_id> biased_victims::next(runtime::dice& roll) noexcept {
  if (others_.empty() || misses_ >= workers_) return {};
  std::uint32_t at = roll.below(whole());
  for (ring const& r : rings_) {
    if (at < r.size * r.weight) return others_[r.begin + at / r.weight];
    at -= r.size * r.weight;
  }
  return {};
}

double biased_victims::probability_of(worker_id w) const noexcept {
  for (ring const& r : rings_) {
    for (std::uint32_t i = 0; i < r.size; ++i) {
      if (others_[r.begin + i] == w) return static_cast<double>(r.weight) / whole();
    }
  }
  return 0;
}

}}}  // namespace skua::v0::policies
