// SPDX-License-Identifier: MIT
#include "skua/policy/balance/gossip.hpp"

#include <algorithm>
#include <iterator>

namespace skua { inline namespace v0 { namespace policies { namespace balance {

bool known_ranks::hear(std::span<known_rank const> heard, runtime::dice& roll) {
  if (known_.size() >= most_) return false;
  std::vector<known_rank> merged;
  merged.reserve(known_.size() + heard.size());
  std::ranges::set_union(known_, heard, std::back_inserter(merged), {}, &known_rank::rank, &known_rank::rank);
  if (merged.size() == known_.size()) return false;
  // Drops random entries until `most_` are left: the i-th of n stays with probability wanted / left.
  std::size_t wanted = std::min(most_, merged.size());
  known_.clear();
  for (std::size_t i = 0; i < merged.size(); ++i) {
    std::size_t const left = merged.size() - i;
    if (wanted == left || roll.below(static_cast<std::uint32_t>(left)) < wanted) {
      known_.push_back(merged[i]);
      --wanted;
    }
  }
  return true;
}

void known_ranks::update(std::uint32_t rank, load_ns load) {
  auto const found = std::ranges::lower_bound(known_, rank, {}, &known_rank::rank);
  if (found != known_.end() && found->rank == rank) found->load = load;
}

void known_ranks::forget(std::uint32_t rank) {
  auto const found = std::ranges::lower_bound(known_, rank, {}, &known_rank::rank);
  if (found != known_.end() && found->rank == rank) known_.erase(found);
}

std::optional<known_rank> known_ranks::choose(double average, runtime::dice& roll) const {
  double most = average;
  for (known_rank const& k : known_) most = std::max(most, static_cast<double>(k.load));
  double whole = 0;
  for (known_rank const& k : known_) whole += most - static_cast<double>(k.load);
  if (!(whole > 0)) return {};
  double at = roll.unit() * whole;
  known_rank const* chosen = nullptr;
  for (known_rank const& k : known_) {
    double const weight = most - static_cast<double>(k.load);
    if (weight > 0) chosen = &k;
    if (at < weight) break;
    at -= weight;
  }
  return *chosen;
}

runtime::dice dice_of_rank(std::uint64_t seed, std::uint32_t rank) noexcept {
  return runtime::dice(runtime::dice(seed ^ (0x9e37'79b9'7f4a'7c15ULL * (std::uint64_t{rank} + 1))).next());
}

runtime::dice common_dice(std::uint64_t seed) noexcept { return runtime::dice(runtime::dice(~seed).next()); }

std::uint32_t gossip_rounds(std::uint32_t ranks, std::uint32_t below, gossip_options const& options) noexcept {
  if (options.rounds != 0) return options.rounds;
  std::uint64_t const enough = 4 * std::uint64_t{options.known} * ranks / std::max(below, 1U);
  std::uint32_t rounds = 1;
  for (std::uint64_t reached = 1 + options.fanout; reached < std::min<std::uint64_t>(ranks, enough);
       reached *= 1 + options.fanout) {
    ++rounds;
  }
  return rounds;
}

std::vector<std::uint32_t> gossip_distances(std::uint32_t ranks, std::uint32_t fanout, runtime::dice& common) {
  std::vector<std::uint32_t> distances;
  if (ranks < 2) return distances;
  if (ranks - 1 <= fanout) {
    for (std::uint32_t d = 1; d < ranks; ++d) distances.push_back(d);
    return distances;
  }
  while (distances.size() < fanout) {
    std::uint32_t const d = 1 + common.below(ranks - 1);
    if (std::ranges::find(distances, d) == distances.end()) distances.push_back(d);
  }
  return distances;
}

known_ranks knows_itself(std::uint32_t rank, load_ns load, double average, gossip_options const& options,
                         runtime::dice& roll) {
  known_ranks known(options.known);
  known_rank const self{rank, load};
  if (static_cast<double>(load) < average) static_cast<void>(known.hear({&self, 1}, roll));
  return known;
}

std::vector<known_ranks> gossip(std::span<load_ns const> loads, double average, gossip_options const& options,
                                std::span<runtime::dice> rolls, runtime::dice& common) {
  auto const ranks = static_cast<std::uint32_t>(loads.size());
  std::vector<known_ranks> known;
  known.reserve(ranks);
  for (std::uint32_t r = 0; r < ranks; ++r) known.push_back(knows_itself(r, loads[r], average, options, rolls[r]));
  std::vector<bool> talks(ranks);
  for (std::uint32_t r = 0; r < ranks; ++r) talks[r] = !known[r].all().empty();
  auto const below = static_cast<std::uint32_t>(std::ranges::count(talks, true));
  for (std::uint32_t round = gossip_rounds(ranks, below, options); round > 0; --round) {
    std::vector<std::uint32_t> const distances = gossip_distances(ranks, options.fanout, common);
    std::vector<known_ranks> const before = known;
    std::vector<bool> heard(ranks, false);
    for (std::uint32_t r = 0; r < ranks; ++r) {
      for (std::uint32_t const d : distances) {
        std::uint32_t const from = r >= d ? r - d : r + (ranks - d);
        if (talks[from] && known[r].hear(before[from].all(), rolls[r])) heard[r] = true;
      }
    }
    talks = std::move(heard);
  }
  for (std::uint32_t r = 0; r < ranks; ++r) known[r].forget(r);
  return known;
}

}}}}  // namespace skua::v0::policies::balance
