// SPDX-License-Identifier: MIT
// Collective operations over a transport, on the binary tree of ranks that termination uses. They wait; one thread of each rank
// calls them, in the same order on every rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "skua/machine/ranks/collection/stall_report.hpp"
#include "skua/machine/ranks/communicator/call_order.hpp"
#include "skua/machine/ranks/protocol/live_ranks.hpp"
#include "skua/machine/ranks/protocol/loss_agreement.hpp"
#include "skua/machine/ranks/protocol/rank_tree.hpp"
#include "skua/machine/ranks/transport/transport.hpp"

namespace skua { inline namespace v0 { namespace ranks {

using bytes = std::vector<std::byte>;

/// The difference between rank 0's clock and this rank's.
struct clock_offset {
  std::int64_t ns = 0;
  std::uint64_t round_trip_ns = 0;  ///< of the fastest question: twice the largest error
};

class collectives final : public receiver {
 public:
  /// What a waiting rank does.
  struct progress {
    std::function<bool()> poll;         ///< once; false: nothing came
    std::function<void()> look_beside;  ///< communicator_core::look_beside
    std::function<void()> begun;        ///< a reduction; throws the loss that every rank throws in this step
  };
  /// Operations run among the ranks that are live when they begin.
  collectives(transport& network, live_ranks const& live, call_order& order, progress how)
      : network_(network), live_(live), order_(order), progress_(std::move(how)) {}

  [[nodiscard]] live_ranks const& live() const noexcept { return live_; }
  /// The lowest live rank: the root of trees, and of gather. A call asks once: another one may come to be the first in its middle.
  [[nodiscard]] rank_number first() const noexcept { return live_.at(0); }

  /// Combines the contributions of all ranks, always in the same order: combine(into, other). O(log ranks) messages
  /// deep, up and down the tree; one message deep between two ranks. Throws usage_error on every rank if another one is in
  /// a different call.
  [[nodiscard]] bytes reduce_to_all(collective_call const& call, bytes own,
                                    std::function<void(bytes&, std::span<std::byte const>)> const& combine);
  /// Returns the root's argument on every rank. It travels up the tree to the first rank and down to all.
  [[nodiscard]] bytes broadcast(collective_call const& call, bytes own, rank_number root);
  /// On every rank every rank's argument, by rank; empty for dead ones.
  [[nodiscard]] std::vector<bytes> gather_to_all(collective_call const& call, bytes own);
  /// Returns when every rank is in this call.
  void meet(collective_call const& call) { static_cast<void>(broadcast(call, {}, first())); }

  /// From now on each rank keeps its last result, and no sum is the network's own, which ends on some ranks only if one dies.
  void keep_results() noexcept { keeps_results_ = true; }
  /// Of the last reduction or process() that this rank has left.
  [[nodiscard]] std::optional<known_result> const& last_result() const noexcept { return last_result_; }
  void note_result(known_result r) {
    if (keeps_results_) last_result_ = std::move(r);
  }
  /// On the first rank: a rank has died that may not have passed on the last result. Each rank gets it again.
  void send_last_result();
  /// A result that others have had and this rank may wait for.
  void hear_result(known_result const& r);
  /// Nothing that a dead rank sent counts any more.
  void drop_from(rank_number dead) {
    std::erase_if(arrived_, [&](arrived const& a) { return a.head.sender == dead; });
  }

  /// Replaces each element by the sum over all ranks, the same bits on every rank. By the network's own sum if the
  /// vector is long: `call` alone travels by messages then.
  /// `watched`: deaths are noticed meanwhile, which costs a copy.
  void sum(collective_call call, std::span<double> own, bool watched);

  // Steps of a call that all ranks have entered, by `meet` for example.

  /// At the first rank: every rank's argument, by rank; empty for dead ones. Elsewhere nothing.
  [[nodiscard]] std::vector<bytes> gather(bytes own);
  /// The same at the root. Each rank sends its argument to the root itself, so that no other rank needs memory for all of them.
  [[nodiscard]] std::vector<bytes> gather_directly(bytes own, rank_number root);
  /// `parts`, one per rank, count on the root only; each rank gets its own.
  [[nodiscard]] bytes scatter(std::vector<bytes> parts, rank_number root);

  /// Asks rank 0 for its clock a few times. [Cristian, Distributed Computing 1989] Cost: O(ranks) at rank 0.
  [[nodiscard]] clock_offset measure_clock();

  struct addressed {
    rank_number rank;  ///< the receiver, or the sender
    bytes body;
  };
  /// Each rank sends any messages, and knows how many it receives. Returns those, in the order of their senders.
  [[nodiscard]] std::vector<addressed> send_and_receive(std::vector<addressed> out, std::uint64_t expected);

  /// Ranks send each other any messages until each knows that it has had all of its own: `begin_parts`, then these two. A message of a
  /// rank that is further waits.
  void begin_parts() { order_.begin_part(); }
  void send_part(rank_number to, bytes const& body) { send(to, kind::balancing, body); }
  /// Waits.
  [[nodiscard]] bytes next_part() { return wait_for_any(kind::balancing, "messages of a balancer").body; }

  void on_message(message const& m) override;
  /// Throws usage_error if a rank is in another call than this one (call_order.md).
  void compare_calls() {
    if (!arrived_.empty()) compare_arrived();
  }
  void on_sent(std::uint64_t) override {}

 private:
  struct arrived {
    message_header head;
    bytes body;
  };
  /// Sends what this rank adds to a reduction; leaves `own` as it was.
  void contribute(rank_number to, collective_call const& call, bytes& own);
  /// Its elements. Throws usage_error if it is in another call.
  [[nodiscard]] bytes contribution_of(rank_number from);
  [[nodiscard]] bytes reduce_by_exchange(collective_call const& call, bytes own,
                                         std::function<void(bytes&, std::span<std::byte const>)> const& combine);
  [[nodiscard]] arrived wait_for(kind what, rank_number from);
  [[nodiscard]] arrived wait_for_any(kind what, std::string const& of);
  template <class F>
  arrived wait_until_found(F matches, std::string const& of);
  /// Nothing came in this many polls.
  void rest(std::uint32_t rounds, std::string const& of);
  void compare_arrived();
  void report_stall(std::string const& of);
  void send(rank_number to, kind what, std::span<std::byte const> body);

  [[nodiscard]] rank_number parent() const noexcept {
    return live_.at(rank_tree::parent(live_.position_of(network_.rank())));
  }
  /// Calls f(rank) for the children of this rank.
  template <class F>
  void each_child(F f) const {
    rank_tree::each_child(live_.position_of(network_.rank()), live_.size(), [&](rank_number p) { f(live_.at(p)); });
  }

  transport& network_;
  live_ranks const& live_;
  call_order& order_;
  stall_report stalled_ = stall_report::or_never();
  progress const progress_;
  std::vector<arrived> arrived_;
  bool keeps_results_ = false;
  std::optional<known_result> last_result_;
};

}}}  // namespace skua::v0::ranks
