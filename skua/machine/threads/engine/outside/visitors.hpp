// SPDX-License-Identifier: MIT
// Counts threads that touch a pool without belonging to it: the pool ends after them. (caller.md, "How it is checked")
#pragma once

#include <atomic>
#include <cstdint>

#include "skua/parts/base/sync.hpp"

namespace skua { inline namespace v0 { namespace runtime {

template <synchronisation Sync = real_sync>
class visitors {
 public:
  /// Before the visitor releases what may end the pool.
  void enter() noexcept {
    inside_.fetch_add(1, std::memory_order_relaxed);  // relaxed: published with what the visitor releases
  }
  /// The visitor's last access.
  void leave() noexcept {
    inside_.fetch_sub(1, std::memory_order_release);  // release: its accesses. Pairs with: are_gone, load
  }
  /// True if no visitor touches the pool any more. For the thread that ends it, once no new visitor can come.
  [[nodiscard]] bool are_gone() const noexcept {
    return inside_.load(std::memory_order_acquire) == 0;  // acquire: pairs with leave
  }

 private:
  typename Sync::template atomic<std::uint32_t> inside_{0};
};

}}}  // namespace skua::v0::runtime
