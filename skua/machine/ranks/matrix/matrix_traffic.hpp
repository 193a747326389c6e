// SPDX-License-Identifier: MIT
// How much the tasks of one rank have got from matrices, put into them and added to them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "skua/machine/ranks/transport/window.hpp"

namespace skua { inline namespace v0 {

/// What one rank has transferred since the matrix was made, or since the counters were reset. A message is what MPI was asked for: consecutive elements
/// of one rank. Local ones have this rank as their target, and most of them need no MPI.
struct matrix_traffic {
  struct counts {
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
    friend bool operator==(counts const&, counts const&) = default;
  };
  counts local_get, local_put, local_accumulated;
  counts remote_get, remote_put, remote_accumulated;
};

namespace ranks {

/// Counters that any thread may raise.
class traffic_counts {
 public:
  void count(transfer_kind what, bool is_local, std::uint64_t length) noexcept {
    counter& c = counters_[is_local ? 0 : 1][static_cast<std::size_t>(what)];
    c.messages.fetch_add(1, std::memory_order_relaxed);   // relaxed: counts for a report
    c.bytes.fetch_add(length, std::memory_order_relaxed);  // relaxed: the same
  }
  [[nodiscard]] matrix_traffic value() const noexcept {
    return {.local_get = counters_[0][0].value(),
            .local_put = counters_[0][1].value(),
            .local_accumulated = counters_[0][2].value(),
            .remote_get = counters_[1][0].value(),
            .remote_put = counters_[1][1].value(),
            .remote_accumulated = counters_[1][2].value()};
  }
  void reset() noexcept {
    for (auto& side : counters_) {
      for (counter& c : side) {
        c.messages.store(0, std::memory_order_relaxed);  // relaxed: as in count
        c.bytes.store(0, std::memory_order_relaxed);     // relaxed: as in count
      }
    }
  }

 private:
  struct counter {
    std::atomic<std::uint64_t> messages{0};
    std::atomic<std::uint64_t> bytes{0};
    [[nodiscard]] matrix_traffic::counts value() const noexcept {
      // relaxed: counts for a report
      return {messages.load(std::memory_order_relaxed), bytes.load(std::memory_order_relaxed)};
    }
  };

  counter counters_[2][3];  ///< local or remote, by transfer_kind
};

}  // namespace ranks
}}  // namespace skua::v0
