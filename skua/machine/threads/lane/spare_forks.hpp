// SPDX-License-Identifier: MIT
// The fiber_forks of a worker slot that no fiber uses; the first is a part of the slot. A fiber that parks takes its own along, and leaves it
// where its task ends. So slots exchange them with their region, which has a few for each slot, and as many as its workers and the most parked fibers need.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <mutex>
#include <new>
#include <utility>

#include "skua/machine/threads/lane/fiber_forks.hpp"
#include "skua/parts/context/sanitizer.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// What a region's slots have left over. Any thread. Nobody waits for the lock, which in a child of fork() may be held for good.
class shared_forks {
 public:
  /// False: it stays with the caller.
  [[nodiscard]] bool put(fiber_forks& unused) noexcept {
    std::unique_lock const hold(changing_, std::try_to_lock);
    if (!hold) return false;
    unused.next_spare_ = std::exchange(unused_, &unused);
    return true;
  }
  /// Null: there are none, or another thread looks.
  [[nodiscard]] fiber_forks* take() noexcept {
    std::unique_lock const hold(changing_, std::try_to_lock);
    return !hold || unused_ == nullptr ? nullptr : std::exchange(unused_, unused_->next_spare_);
  }

 private:
  std::mutex changing_;
  fiber_forks* unused_ = nullptr;
};

/// For the owner of the slot.
class spare_forks {
 public:
  /// Each with room for so many open joins. `polls_always`: at every fork. Throws std::bad_alloc.
  spare_forks(std::size_t capacity, shared_forks& all, bool polls_always = false)
      : capacity_(capacity), polls_always_(polls_always), all_(all), first_(options()), spare_(&first_) {}
  ~spare_forks() {
    while (made_ != nullptr) delete std::exchange(made_, made_->next_made_);
  }
  spare_forks(spare_forks const&) = delete;
  spare_forks& operator=(spare_forks const&) = delete;

  [[nodiscard]] fiber_forks& first() noexcept { return first_; }

  /// Call it before a fiber parks: the next one finds its own. False: no memory, so the fiber must stay.
  [[nodiscard]] bool reserve() noexcept {
    tsan::unseen const of_the_worker;  // the memory, too, which fibers use in turn
    if (spare_ != nullptr) return true;
    if (fiber_forks* const left_over = all_.take()) {
      put(*left_over);
      return true;
    }
    try {
      auto* const made = new fiber_forks(options());
      made->next_made_ = std::exchange(made_, made);
      put(*made);
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
    --spares_;
    tsan::acquire(&taken.running);
    return taken;
  }
  void give(fiber_forks& unused) noexcept {
    tsan::release(&unused.running);
    tsan::unseen_accesses const of_the_worker;
    if (spares_ < most_spares || !all_.put(unused)) put(unused);
  }

  static constexpr std::uint32_t most_spares = 4;

 private:
  [[nodiscard]] deque_options options() const noexcept {
    return {.capacity = capacity_, .polls_always = polls_always_};
  }

  void put(fiber_forks& unused) noexcept {
    unused.next_spare_ = std::exchange(spare_, &unused);
    ++spares_;
  }

  std::size_t const capacity_;
  bool const polls_always_;
  shared_forks& all_;
  fiber_forks first_;
  fiber_forks* spare_;
  std::uint32_t spares_ = 1;
  fiber_forks* made_ = nullptr;
};

}}}  // namespace skua::v0::runtime
