// SPDX-License-Identifier: MIT
// The place of a sleeping worker that the last caller left open: the next caller takes it with one exchange, without the sleepers' lock. States and
// proof: open_place.md. open_place_model.cpp runs it.
#pragma once

#include <atomic>
#include <cstdint>

#include "skua/parts/base/sync.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// Invariant (open place): unless it is shut, the worker's own thread waits, the worker is in the set of the sleeping, and the counts say that it
/// sleeps, also while a caller is in the place.
template <synchronisation Sync = real_sync>
class open_place {
 public:
  /// For a caller: true if the place was open. It is the caller's then.
  [[nodiscard]] bool enter() noexcept {
    state seen = state::open;
    // relaxed: only saves the exchange. acquire: what the last one here did. Pairs with: leave, and leave_open.
    return word_.load(std::memory_order_relaxed) == state::open &&
           word_.compare_exchange_strong(seen, state::taken, std::memory_order_acquire, std::memory_order_relaxed);
  }
  /// For the caller inside: leaves the place open. False: another thread has put something there that only this worker may take. The caller is still
  /// inside, looks again, and sees it.
  [[nodiscard]] bool leave() noexcept {
    state seen = state::taken;
    // seq_cst: before the look at the counts that follows. Pairs with: is_taken, load. A release for the next one here.
    if (word_.compare_exchange_strong(seen, state::open, std::memory_order_seq_cst, std::memory_order_relaxed))
      return true;
    // seq_cst: an exchange that is a fence on x86. Whoever asked, or saw `asked`, had pushed before: the next look sees the entry. Pairs with: P3
    word_.exchange(state::taken, std::memory_order_seq_cst);
    Sync::full_fence_after_rmw();
    return false;
  }

  /// For whoever holds the sleepers' lock, while the own thread waits and nobody is inside.
  void leave_open() noexcept { word_.store(state::open, std::memory_order_release); }  // release: pairs with enter
  /// For whoever holds the sleepers' lock: nobody may enter from now on. False: a caller is inside.
  [[nodiscard]] bool shut() noexcept {
    state seen = word_.load(std::memory_order_seq_cst);  // seq_cst: as is_taken
    return seen == state::shut || (seen == state::open && shut_if_open(seen));
  }
  /// For the caller inside, under the sleepers' lock: from now on the place is its as any other. False: it is so already.
  [[nodiscard]] bool shut_from_inside() noexcept {
    // relaxed: only the thread that is inside changes it from `taken` or `asked` to `shut`.
    if (word_.load(std::memory_order_relaxed) == state::shut) return false;
    word_.exchange(state::shut, std::memory_order_seq_cst);  // seq_cst: before its next look, as in `leave`
    return true;
  }

  /// Any thread, after P3: true if a caller is inside.
  [[nodiscard]] bool is_taken() const noexcept {
    return word_.load(std::memory_order_seq_cst) >= state::taken;  // seq_cst: pairs with leave
  }
  /// The same, and the caller looks again before it leaves.
  [[nodiscard]] bool ask() noexcept {
    // relaxed: P3 orders it after the push. Whoever enters later looks after P3, too.
    state seen = word_.load(std::memory_order_relaxed);
    while (seen == state::taken) {
      if (word_.compare_exchange_strong(seen, state::asked, std::memory_order_relaxed, std::memory_order_relaxed))
        return true;
    }
    return seen == state::asked;
  }
  /// For whoever holds the sleepers' lock, or is inside.
  [[nodiscard]] bool is_shut() const noexcept {
    return word_.load(std::memory_order_relaxed) ==
           state::shut;  // relaxed: the lock orders it, or the caller's own steps
  }
  /// True if a caller is inside. A hint.
  [[nodiscard]] bool seems_taken() const noexcept { return word_.load_hint(std::memory_order_relaxed) >= state::taken; }

 private:
  enum class state : std::uint32_t {
    shut,   ///< the worker is awake, or a caller takes its place under the lock
    open,   ///< the worker sleeps
    taken,  ///< a caller is inside
    asked,  ///< a caller is inside, and looks again before it leaves
  };
  [[nodiscard]] bool shut_if_open(state& seen) noexcept {
    // seq_cst, and so an acquire: what the last caller did. Pairs with: leave
    return word_.compare_exchange_strong(seen, state::shut, std::memory_order_seq_cst, std::memory_order_relaxed);
  }

  typename Sync::template atomic<state> word_{state::shut};
};

}}}  // namespace skua::v0::runtime
