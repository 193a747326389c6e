// SPDX-License-Identifier: MIT
// Lifelines: an idle rank that has asked a few others in vain asks its buddies, which remember it, and sleeps until one of them sends it
// tasks. Idle ranks cost no messages, where random victims are asked again and again. lifelines.md has the states.
// [saraswat-et-al-11] V. Saraswat, P. Kambadur, S. Kodali, D. Grove, S. Krishnamoorthy: Lifeline-based global load balancing, PPoPP 2011.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace skua { inline namespace v0 { namespace policies {

/// The buddies of a rank: those whose numbers differ from its own in one bit, the lowest first. Ranks of a node have neighbouring numbers,
/// so the first buddies are on the node. "connected": from any rank there is a path to rank 0, by clearing bits, and back.
/// At most log2(ranks), rounded up.
[[nodiscard]] inline std::vector<std::uint32_t> buddies_of(std::uint32_t rank, std::uint32_t ranks) {
  std::vector<std::uint32_t> all;
  for (std::uint64_t bit = 1; bit < ranks; bit *= 2) {
    auto const other = static_cast<std::uint32_t>(rank ^ bit);
    if (other < ranks) all.push_back(other);
  }
  return all;
}

/// One rank's lifelines: those that it has tied to its buddies, and those that its buddies have tied to it. A state machine without
/// messages.
class lifelines {
 public:
  /// Requests to random ranks that fail before a rank asks its buddies. Saraswat et al. call it w.
  static constexpr std::uint32_t random_tries = 4;

  /// A rank that waits for tasks, and for how many it has room.
  struct waiting {
    std::uint32_t rank = 0;
    std::uint64_t room = 0;
  };

  lifelines(std::uint32_t rank, std::uint32_t ranks) : buddies_(buddies_of(rank, ranks)), tied_(buddies_.size()) {}

  /// Unties all: nobody waits.
  void begin() noexcept {
    std::ranges::fill(tied_, std::uint8_t{0});
    waiting_.clear();
    unheard_ = 0;
  }

  /// The first buddy that does not remember this rank; none: the rank sleeps.
  [[nodiscard]] std::optional<std::uint32_t> next() const noexcept {
    auto const untied = std::ranges::find(tied_, 0);
    if (untied == tied_.end()) return std::nullopt;
    return buddies_[static_cast<std::size_t>(untied - tied_.begin())];
  }
  [[nodiscard]] bool sleeps() const noexcept { return std::ranges::find(tied_, 0) == tied_.end(); }
  [[nodiscard]] std::size_t tied() const noexcept { return static_cast<std::size_t>(std::ranges::count(tied_, 1)); }
  /// The buddy had no tasks, and remembers this rank.
  void tie(std::uint32_t buddy) noexcept { set(buddy, true); }
  /// The buddy has sent tasks, and remembers this rank no more.
  void cut(std::uint32_t buddy) noexcept { set(buddy, false); }

  /// This rank had no tasks for another one, and remembers it. Precondition: it does not yet.
  void remember(waiting who) { waiting_.push_back(who); }
  [[nodiscard]] bool anyone_waits() const noexcept { return !waiting_.empty(); }
  /// The rank that has waited longest. Precondition: one waits.
  [[nodiscard]] waiting first() const noexcept { return waiting_.front(); }
  /// This rank sends it tasks, which it will acknowledge.
  void feed_first() {
    waiting_.erase(waiting_.begin());
    ++unheard_;
  }
  /// A rank has acknowledged tasks. False: it was sent none.
  [[nodiscard]] bool heard() noexcept { return unheard_ > 0 && unheard_-- > 0; }
  /// Tasks that were sent along lifelines and not acknowledged yet: until then the rank is not quiet.
  [[nodiscard]] std::uint32_t unheard() const noexcept { return unheard_; }

 private:
  void set(std::uint32_t buddy, bool tied) noexcept {
    auto const found = std::ranges::find(buddies_, buddy);
    if (found != buddies_.end()) tied_[static_cast<std::size_t>(found - buddies_.begin())] = tied ? 1 : 0;
  }

  std::vector<std::uint32_t> buddies_;
  std::vector<std::uint8_t> tied_;  ///< by buddy
  std::vector<waiting> waiting_;
  std::uint32_t unheard_ = 0;
};

}}}  // namespace skua::v0::policies
