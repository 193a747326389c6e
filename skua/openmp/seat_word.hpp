// SPDX-License-Identifier: MIT
// Where a member's thread is, as its caller sees it (README.md, "The life of a member's thread"). Every schedule: waits_model.cpp.
#pragma once

#include <atomic>
#include <cstdint>

#include "skua/parts/base/sync.hpp"

namespace skua { inline namespace v0 { namespace openmp {

template <runtime::synchronisation Sync = runtime::real_sync>
class seat_word {
 public:
  // The caller, when the member has arrived at the join of the last region.

  /// Calls the member to the region that the caller has written down. True: it is away, and must be sent the call.
  [[nodiscard]] bool call() noexcept {
    // release: the region. acquire: what the member did before it left. Pairs with: is_called, leave
    return word_.exchange(called, std::memory_order_acq_rel) == away;
  }
  /// The member has arrived at the join of the region that it was called to last.
  [[nodiscard]] bool has_arrived() const noexcept {
    return word_.load(std::memory_order_acquire) != called;  // acquire: what the member did. Pairs with: arrive
  }
  [[nodiscard]] bool is_away() const noexcept {
    return word_.load(std::memory_order_acquire) == away;  // acquire: as in call
  }

  // The member.

  /// At the join: it is docked. A full fence, so that it may look afterwards whether the caller blocks.
  void arrive() noexcept {
    // release: what the member did. acquire: as in call, for the members' own look at each other. Pairs with: has_arrived
    word_.exchange(docked, std::memory_order_acq_rel);
    Sync::full_fence_after_rmw();
  }
  [[nodiscard]] bool is_called() const noexcept {
    return word_.load(std::memory_order_acquire) == called;  // acquire: the region. Pairs with: call
  }
  /// True: the member touches nothing any more until it is sent a call. False: it was called.
  [[nodiscard]] bool leave() noexcept {
    std::uint32_t seen = docked;
    // release: all that it did. acquire: the region, if it was called. Pairs with: call
    return word_.compare_exchange_strong(seen, away, std::memory_order_acq_rel, std::memory_order_acquire);
  }

 private:
  enum : std::uint32_t { away, docked, called };
  typename Sync::template atomic<std::uint32_t> word_{away};
};

}}}  // namespace skua::v0::openmp
