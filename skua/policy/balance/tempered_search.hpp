// SPDX-License-Identifier: MIT
// What the ranks of a tempered balancer do next, and when they end. It depends on nothing but the largest loads, which all of them know,
// so all do the same.
// [lifflander-et-al-21]
#pragma once

#include <algorithm>
#include <cstdint>

#include "skua/policy/balance/machine_totals.hpp"
#include "skua/policy/balance/tempered.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace balance {

class tempered_search {
 public:
  enum class act : std::uint8_t {
    start_over,  ///< with the tasks of the beginning
    transfer,    ///< gossip and transfers, then `saw`
    exchange,    ///< gossip and exchanges, then `saw`
    end,
  };

  /// `exchanges`: false: none, whatever the options say.
  tempered_search(tempered_options const& options, bool exchanges, machine_totals const& start,
                  std::uint32_t ranks) noexcept
      : options_(options), exchanges_(exchanges ? options.exchanges : 0), average_(start.average(ranks)),
        goal_(options.goal * std::max(average_, static_cast<double>(start.longest))), start_(start.most),
        now_(start.most), best_(start.most) {}

  [[nodiscard]] double average() const noexcept { return average_; }
  /// The search ends when no load is above it.
  [[nodiscard]] double goal() const noexcept { return goal_; }

  [[nodiscard]] act next() noexcept {
    constexpr std::uint32_t patience = 3;
    if (static_cast<double>(best_) <= goal_) return act::end;
    if (transfers_ < options_.iterations) return ++transfers_, last_ = act::transfer;
    if (exchanged_ < exchanges_ && vain_ < patience) return ++exchanged_, last_ = act::exchange;
    if (++trial_ >= options_.trials) return act::end;
    transfers_ = exchanged_ = vain_ = 0;
    now_ = start_;
    return act::start_over;
  }

  /// The largest load is this now. Returns true if it is the least that the search has seen.
  [[nodiscard]] bool saw(load_ns most) noexcept {
    constexpr double little = 0.001;
    auto const before = static_cast<double>(now_);
    if (last_ == act::exchange) vain_ = before - static_cast<double>(most) > little * before ? 0 : vain_ + 1;
    now_ = most;
    if (most >= best_) return false;
    best_ = most;
    return true;
  }

 private:
  tempered_options options_;
  std::uint32_t exchanges_;
  double average_;
  double goal_;
  load_ns start_;
  load_ns now_;
  load_ns best_;
  std::uint32_t trial_ = 0;
  std::uint32_t transfers_ = 0;
  std::uint32_t exchanged_ = 0;
  std::uint32_t vain_ = 0;
  act last_ = act::start_over;
};

}}}}  // namespace skua::v0::policies::balance
