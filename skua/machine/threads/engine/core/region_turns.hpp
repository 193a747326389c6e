// SPDX-License-Identifier: MIT
// The open regions as a worker sees them, and which of them has its turn. For the thread in the worker's place, and code that runs on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "skua/machine/threads/engine/core/region.hpp"
#include "skua/machine/threads/fork/fiber/should_yield.hpp"

namespace skua { inline namespace v0 { namespace runtime {

class region_turns {
 public:
  /// Null before the first look.
  [[nodiscard]] region_list const& all() const noexcept { return *all_; }
  /// The region where the search begins.
  [[nodiscard]] region& first() const noexcept { return *(*all_)[first_]; }

  /// Call it when the first region was searched. Its turn ends if nothing was found, or after tasks_per_turn tasks.
  void searched(bool found) noexcept {
    if (found && ++found_ < tasks_per_turn) return;
    found_ = 0;
    first_ = first_ + 1 < all_->size() ? first_ + 1 : 0;
  }

  /// True if regions have been opened or closed since.
  template <class Pool>
  [[nodiscard]] bool are_old(Pool const& pool) const noexcept {
    return seen_ != pool.regions_version();
  }
  /// Shares the pool's list. Takes no memory, and so cannot fail.
  template <class Pool>
  void renew(Pool& pool) noexcept {
    seen_ = pool.share_regions(all_);
    first_ = 0;
  }

 private:
  std::shared_ptr<region_list const> all_;  ///< keeps the regions alive while the worker looks into them
  std::uint64_t seen_ = 0;                  ///< the list's version
  std::size_t first_ = 0;
  std::uint32_t found_ = 0;  ///< in this turn
};

}}}  // namespace skua::v0::runtime
