// SPDX-License-Identifier: MIT
// The messages of a balancer on simulated ranks, in the order of time, and the time that the ranks spend on them.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "skua/machine/ranks/simulated/calendar.hpp"
#include "skua/machine/ranks/simulated/cluster.hpp"
#include "skua/machine/ranks/simulated/network.hpp"
#include "skua/policy/balance/rank_message.hpp"

namespace skua { inline namespace v0 { namespace ranks {

struct balance_message {
  enum class kind : std::uint8_t {
    up,       ///< centralised: a rank's offer, to rank 0
    down,     ///< and its instructions
    content,  ///< of a balancer without a centre
    tasks,    ///< that move
  };
  kind purpose = kind::up;
  std::uint32_t sender = 0;
  std::uint32_t receiver = 0;
  std::uint64_t bytes = 0;
  policies::balance::rank_message content = {};
};

/// A rank does one thing at a time: it decides, or hands a message to the network, which takes as long as handling one.
class balance_messages {
 public:
  balance_messages(cluster const& where, std::uint32_t ranks)
      : cluster_(where), network_(where, ranks), busy_until_ns_(ranks) {}

  [[nodiscard]] std::uint64_t now_ns() const noexcept { return now_ns_; }
  [[nodiscard]] std::uint64_t sent() const noexcept { return sent_; }

  /// Every rank learns the sum of all ranks' loads: up a binary tree and down again.
  void reduce() {
    auto const ranks = static_cast<std::uint32_t>(busy_until_ns_.size());
    std::uint64_t const hop_ns = cluster_.in_system.latency_ns + 2 * cluster_.handler_ns;
    now_ns_ = 2 * static_cast<std::uint64_t>(std::bit_width(ranks - 1)) * hop_ns;
    sent_ += 2 * std::uint64_t{ranks - 1};
    std::ranges::fill(busy_until_ns_, now_ns_);
    network_.reset(now_ns_);
  }

  /// The rank looks at this many tasks.
  void work(std::uint32_t rank, std::uint64_t tasks) {
    busy_until_ns_[rank] = std::max(busy_until_ns_[rank], now_ns_) + tasks * cluster_.balance_step_ns;
  }

  /// Sent as soon as the sender has finished its current step.
  void send(balance_message m) {
    std::uint64_t& busy_ns = busy_until_ns_[m.sender];
    busy_ns = std::max(busy_ns, now_ns_) + cluster_.handler_ns;
    add(busy_ns, {std::move(m), false});
    ++sent_;
  }

  /// Calls hear(message) for each until none is under way, and soon(message) some messages before.
  template <class F, class S>
  void run(F hear, S soon) {
    while (!calendar_.empty()) {
      if (auto const later = calendar_.ahead(16)) fetch_early(entries_[*later]);
      if (auto const next = calendar_.ahead(8)) soon(entries_[*next].message);
      auto const [at_ns, p] = calendar_.take();
      now_ns_ = at_ns;
      entry& e = entries_[p];
      if (!e.under_way) {
        e.under_way = true;
        calendar_.add(network_.carry(e.message.sender, e.message.receiver, e.message.bytes, now_ns_).arrives_ns, p);
        continue;
      }
      balance_message heard = std::move(e.message);
      free_.push_back(p);
      hear(std::move(heard));
    }
  }

 private:
  struct entry {
    balance_message message;
    bool under_way = false;
  };

  void add(std::uint64_t at_ns, entry e) {
    std::uint32_t p = static_cast<std::uint32_t>(entries_.size());
    if (free_.empty()) {
      entries_.push_back(std::move(e));
    } else {
      p = free_.back();
      free_.pop_back();
      entries_[p] = std::move(e);
    }
    calendar_.add(at_ns, p);
  }

  cluster const cluster_;
  simulated_network network_;
  std::vector<std::uint64_t> busy_until_ns_;  ///< by rank
  rank_calendar calendar_;
  std::vector<entry> entries_;
  std::vector<std::uint32_t> free_;
  std::uint64_t now_ns_ = 0;
  std::uint64_t sent_ = 0;
};

}}}  // namespace skua::v0::ranks
