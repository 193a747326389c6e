// SPDX-License-Identifier: MIT
// Ranks as threads, or as turns, of one process: for tests, and for programs on one machine without MPI.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "skua/machine/ranks/transport/loopback_window.hpp"
#include "skua/machine/ranks/transport/transport.hpp"
#include "skua/parts/base/dice.hpp"

namespace skua { inline namespace v0 { namespace ranks {

/// How a network may disturb messages besides delivering them.
struct disorder {
  std::uint64_t seed = 0;
  /// 0: messages arrive at once and in order. N: one poll in N finds nothing although a message has arrived, and the
  /// next message is drawn at random.
  std::uint32_t delays_one_in = 0;
};

class loopback_network {
 public:
  /// `on_a_node`: how many consecutive ranks share a node; 0: all.
  explicit loopback_network(rank_number ranks, rank_number on_a_node = 0, disorder how = {});
  ~loopback_network();

  /// From now on ranks may have progress threads.
  void allow_any_thread() noexcept { allows_any_thread_ = true; }
  [[nodiscard]] bool allows_any_thread() const noexcept { return allows_any_thread_; }

  [[nodiscard]] rank_number ranks() const noexcept;
  /// The end of one rank. Different threads may use different ends.
  [[nodiscard]] transport& end_of(rank_number rank) noexcept;
  /// The same with shared ownership; the network lives as long as one of its ends.
  [[nodiscard]] static std::unique_ptr<transport> owned_end(std::shared_ptr<loopback_network> network,
                                                            rank_number rank);
  /// Messages and completions that were not taken yet.
  [[nodiscard]] std::uint64_t under_way() const;

 private:
  class end;
  /// Of the window with this number, which each rank counts for itself.
  [[nodiscard]] std::shared_ptr<window_memory> memory_of(std::uint64_t number, window_element type);

  bool allows_any_thread_ = false;
  std::vector<std::unique_ptr<end>> ends_;
  std::mutex lock_;
  std::map<std::uint64_t, std::weak_ptr<window_memory>> windows_;  ///< guarded by lock_
};

}}}  // namespace skua::v0::ranks
