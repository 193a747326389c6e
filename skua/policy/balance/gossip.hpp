// SPDX-License-Identifier: MIT
// How ranks of a tempered balancer learn of each other: underloaded ranks tell a few ranks at random distances, and a rank that has
// heard something tells a few others, for some rounds. No rank ever sees all loads. All draw the same distances, so a rank knows how
// many messages a round brings it, and needs nobody to tell it that a round is over.
// [lifflander-et-al-21]
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "skua/parts/base/dice.hpp"
#include "skua/policy/balance/loads.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace balance {

/// A rank, and its load when it reported it.
struct known_rank {
  std::uint32_t rank = 0;
  load_ns load = 0;
};

/// The underloaded ranks that one rank has heard of, and a biased choice among them.
///
/// Invariant (few): at most `most` of them, so messages stay small on any machine; who knows that many listens no more.
class known_ranks {
 public:
  explicit known_ranks(std::size_t most = 32) noexcept : most_(most) {}

  /// Merges what another rank knows, and keeps a random part of it if all would be too many. `heard` is sorted by rank,
  /// as `all` is. For a rank known to both, the own entry stays. Returns true if anything was new. Cost: O(most).
  bool hear(std::span<known_rank const> heard, runtime::dice& roll);
  /// Sets the load of a known rank; does nothing for an unknown one. Cost: O(log most).
  void update(std::uint32_t rank, load_ns load);
  void forget(std::uint32_t rank);

  /// Sorted by rank.
  [[nodiscard]] std::span<known_rank const> all() const noexcept { return known_; }

  /// Chooses one of them, the more likely the lower its load: with probability proportional to l - load, where l is the
  /// larger of `average` and the largest load known. Returns nothing if no rank qualifies. Cost: O(most).
  [[nodiscard]] std::optional<known_rank> choose(double average, runtime::dice& roll) const;

 private:
  std::vector<known_rank> known_;
  std::size_t most_;
};

struct gossip_options {
  std::uint32_t fanout = 4;  ///< how many ranks a rank tells per round
  std::uint32_t rounds = 0;  ///< 0: as many as gossip_rounds says
  std::uint32_t known = 32;  ///< how many ranks a rank remembers
};

/// The dice of one rank: ranks draw from streams of their own.
[[nodiscard]] runtime::dice dice_of_rank(std::uint64_t seed, std::uint32_t rank) noexcept;
/// Dice of which every rank has a copy, and which all roll alike.
[[nodiscard]] runtime::dice common_dice(std::uint64_t seed) noexcept;

/// How many rounds there are. Unless the options say it: as many as a tree of this fanout needs to reach all ranks, or so many that four times
/// the ranks that one remembers are among those that it hears of, if `below` ranks are below the average.
[[nodiscard]] std::uint32_t gossip_rounds(std::uint32_t ranks, std::uint32_t below,
                                          gossip_options const& options) noexcept;
/// The distances of one round, different ones from 1 to ranks - 1, `fanout` of them or all: rank r tells rank r + d modulo ranks for
/// each d, and so knows from whom it hears. Every rank draws the same ones.
[[nodiscard]] std::vector<std::uint32_t> gossip_distances(std::uint32_t ranks, std::uint32_t fanout,
                                                          runtime::dice& common);
/// What a rank knows before the first round: itself, if it is below the average.
[[nodiscard]] known_ranks knows_itself(std::uint32_t rank, load_ns load, double average, gossip_options const& options,
                                       runtime::dice& roll);

/// What each rank knows after the last round. All messages of a round are sent before any is heard. `rolls`: a rank's own dice each.
/// Cost: O(ranks * fanout * rounds * known).
[[nodiscard]] std::vector<known_ranks> gossip(std::span<load_ns const> loads, double average,
                                              gossip_options const& options, std::span<runtime::dice> rolls,
                                              runtime::dice& common);

}}}}  // namespace skua::v0::policies::balance
