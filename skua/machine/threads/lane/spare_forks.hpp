// SPDX-License-Identifier: MIT
// The fiber_forks of a worker slot that no fiber uses. The slot's first one is a part of it, so that other processes can read its count of
// forks. A fiber that parks takes its own along; whoever brings it here leaves it here when its task has ended.
#pragma once

#include <cstddef>
#include <memory_resource>
#include <new>
#include <utility>

#include "skua/machine/threads/lane/fiber_forks.hpp"
#include "skua/parts/context/sanitizer.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// For the owner of the slot.
class spare_forks {
 public:
  /// Each with room for so many open joins. Throws std::bad_alloc.
  explicit spare_forks(std::size_t capacity) : capacity_(capacity), first_(options()), spare_(&first_) {}
  ~spare_forks() {
    while (made_ != nullptr) delete std::exchange(made_, made_->next_made_);
  }
  spare_forks(spare_forks const&) = delete;
  spare_forks& operator=(spare_forks const&) = delete;

  [[nodiscard]] fiber_forks& first() noexcept { return first_; }
  [[nodiscard]] fiber_forks const& first() const noexcept { return first_; }

  /// Call it before a fiber parks: the next one finds its own. False: no memory, so the fiber must stay.
  [[nodiscard]] bool reserve() noexcept {
    tsan::unseen_accesses const of_the_worker;
    if (spare_ != nullptr) return true;
    try {
      auto* const made = new fiber_forks(options());
      made->next_made_ = std::exchange(made_, made);
      spare_ = made;
      return true;
    } catch (std::bad_alloc const&) {
      return false;
    }
  }
  /// There is one: every fiber that has left took no more than its own, and has reserved another.
  [[nodiscard]] fiber_forks& take() noexcept {
    tsan::unseen_accesses const of_the_worker;
    invariant(spare_ != nullptr, "a fiber reserves joins for the next one before it parks");
    fiber_forks& taken = *std::exchange(spare_, spare_->next_spare_);
    tsan::acquire(&taken.running);
    return taken;
  }
  void give(fiber_forks& unused) noexcept {
    tsan::release(&unused.running);
    tsan::unseen_accesses const of_the_worker;
    unused.next_spare_ = std::exchange(spare_, &unused);
  }

 private:
  [[nodiscard]] deque_options options() const noexcept { return {.capacity = capacity_}; }

  std::size_t const capacity_;
  fiber_forks first_;
  fiber_forks* spare_;
  fiber_forks* made_ = nullptr;
};

}}}  // namespace skua::v0::runtime
