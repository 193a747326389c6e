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

namespace {

std::uint32_t rounds_for(std::size_t ranks, gossip_options const& options) {
  if (options.rounds != 0) return options.rounds;
  std::uint32_t rounds = 1;
  for (std::uint64_t reached = 1 + options.fanout; reached < ranks; reached *= 1 + options.fanout) ++rounds;
  return rounds;
}

/// A random rank other than `self`, each with the same probability.
std::uint32_t somebody_else(std::uint32_t self, std::uint32_t ranks, runtime::dice& roll) {
  std::uint32_t const other = roll.below(ranks - 1);
  return other + (other >= self ? 1 : 0);
}

}  // namespace

std::vector<known_ranks> gossip(std::span<load_ns const> loads, double average, gossip_options const& options,
                                runtime::dice& roll) {
  auto const ranks = static_cast<std::uint32_t>(loads.size());
  std::vector<known_ranks> known(ranks, known_ranks(options.known));
  if (ranks < 2) return known;
  std::vector<bool> talks(ranks, false);
  for (std::uint32_t r = 0; r < ranks; ++r) {
    if (!(static_cast<double>(loads[r]) < average)) continue;
    known_rank const self{r, loads[r]};
    talks[r] = known[r].hear({&self, 1}, roll);
  }
  for (std::uint32_t round = rounds_for(ranks, options); round > 0; --round) {
    std::vector<known_ranks> const before = known;
    std::vector<bool> heard(ranks, false);
    for (std::uint32_t r = 0; r < ranks; ++r) {
      for (std::uint32_t i = 0; talks[r] && i < options.fanout; ++i) {
        std::uint32_t const to = somebody_else(r, ranks, roll);
        if (known[to].hear(before[r].all(), roll)) heard[to] = true;
      }
    }
    talks = std::move(heard);
  }
  for (std::uint32_t r = 0; r < ranks; ++r) known[r].forget(r);
  return known;
}

}}}}  // namespace skua::v0::policies::balance
