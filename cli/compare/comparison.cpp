// SPDX-License-Identifier: MIT
#include "cli/compare/comparison.hpp"

#include <algorithm>

namespace skua::cli {
namespace {

bool is_faster(contender const* a, contender const* b) { return a->time_s.middle < b->time_s.middle; }

contender const* reference_among(std::span<contender const> all) {
  contender const* found = nullptr;
  for (contender const& c : all) {
    if (!c.is_right()) continue;
    if (c.of->who->is_serial) return &c;
    bool const is_better =
        found == nullptr || c.workers() < found->workers() || (c.workers() == found->workers() && is_faster(&c, found));
    if (is_better) found = &c;
  }
  return found;
}

contender const* fastest_peer(std::span<contender const> all, unsigned workers) {
  contender const* found = nullptr;
  for (contender const& c : all) {
    if (!c.is_right() || !c.of->who->is_peer || c.workers() != workers) continue;
    if (found == nullptr || is_faster(&c, found)) found = &c;
  }
  return found;
}

}  // namespace

comparison::comparison(std::span<row const> rows) {
  for (row const& r : rows) all_.push_back({.of = &r, .time_s = spread_of(r.what->times_s)});
  reference_ = reference_among(all_);
  for (contender& c : all_) {
    if (!c.is_right()) continue;
    c.speed_up = ratio_of(reference_->time_s, c.time_s);
    c.efficiency = scaled(*c.speed_up, static_cast<double>(reference_->workers()) / static_cast<double>(c.workers()));
    c.peer = fastest_peer(all_, c.workers());
    if (c.peer != nullptr) c.ratio_to_peer = ratio_of(c.peer->time_s, c.time_s);
  }
}

std::vector<unsigned> comparison::worker_counts() const {
  std::vector<unsigned> all;
  for (contender const& c : all_) {
    if (!c.of->who->is_serial) all.push_back(c.workers());
  }
  if (all.empty()) all.push_back(1);
  std::ranges::sort(all);
  all.erase(std::ranges::unique(all).begin(), all.end());
  return all;
}

std::vector<contender const*> comparison::ranking(unsigned workers) const {
  std::vector<contender const*> found;
  for (contender const& c : all_) {
    if (c.is_right() && !c.of->who->is_serial && c.workers() == workers) found.push_back(&c);
  }
  std::ranges::sort(found, is_faster);
  return found;
}

}  // namespace skua::cli
