// SPDX-License-Identifier: MIT
// The requests of a thief that have no reply yet. process_engine.md says why there may be several, and why there are pauses
// without any.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "skua/machine/ranks/transport/message.hpp"

namespace skua { inline namespace v0 { namespace ranks {

/// At most one to each victim, so a reply's sender names the request.
class open_requests {
 public:
  /// More open requests than these would bring more tasks than a thief can run soon.
  static constexpr std::uint32_t most = 4;

  [[nodiscard]] bool none() const noexcept { return open_ == 0; }
  [[nodiscard]] std::uint32_t size() const noexcept { return open_; }
  [[nodiscard]] rank_number victim(std::uint32_t n) const noexcept { return victims_[n]; }
  [[nodiscard]] bool has(rank_number victim) const noexcept { return place_of(victim) < open_; }

  /// Preconditions: size() < most, and the victim has none.
  void add(rank_number victim, std::uint64_t now_ns) noexcept {
    sent_ = open_ == 0 ? 1 : sent_ + 1;
    victims_[open_++] = victim;
    last_ns_ = now_ns;
  }
  /// The victim has answered. False: there was no request to it.
  [[nodiscard]] bool close(rank_number victim) noexcept {
    std::uint32_t const at = place_of(victim);
    if (at == open_) return false;
    victims_[at] = victims_[--open_];
    return true;
  }
  /// Tasks came: the next wait begins anew.
  void found() noexcept { sent_ = std::max<std::uint32_t>(open_, 1); }
  /// Forgets those to victims that are not `live`.
  template <class F>
  void forget_unless(F live) noexcept {
    for (std::uint32_t n = open_; n-- > 0;) {
      if (!live(victims_[n])) victims_[n] = victims_[--open_];
    }
  }

  /// When another victim may be asked although requests are open: after a pause that doubles with each one, so that a
  /// network slower than `patience_ns` gets to answer all of them.
  [[nodiscard]] std::uint64_t another_ns(std::uint64_t patience_ns) const noexcept {
    return last_ns_ + (patience_ns << std::min(sent_ - 1, most_doublings));
  }

 private:
  static constexpr std::uint32_t most_doublings = 20;

  /// open_: it has none.
  [[nodiscard]] std::uint32_t place_of(rank_number victim) const noexcept {
    std::uint32_t at = 0;
    while (at < open_ && victims_[at] != victim) ++at;
    return at;
  }

  std::array<rank_number, most> victims_{};
  std::uint32_t open_ = 0;
  std::uint32_t sent_ = 1;  ///< since none was open, or since tasks came
  std::uint64_t last_ns_ = 0;
};

}}}  // namespace skua::v0::ranks
