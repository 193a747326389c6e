// SPDX-License-Identifier: MIT
// The atomic word that synchronises one setter and one waiter of a one_shot: which of them comes first, and whether the
// setter must wake the waiter. States, invariants and proof: one_shot.md. one_shot_model.cpp runs every schedule.
#pragma once

#include <cstdint>

#include "skua/parts/base/sync.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// A waiter of a one_shot. It lives in the waiting frame. The setter calls `wake` once; `wake` must not throw, and the
/// waiter may be destroyed when it returns.
struct alignas(8) one_shot_waiter {
  void (*wake)(one_shot_waiter&) noexcept;
};

template <synchronisation Sync = real_sync>
class one_shot_word {
 public:
  /// S1: claims the right to set the value. False: it is set, or another thread sets it.
  [[nodiscard]] bool claim() noexcept {
    // acquire: what a setter that gave up has written. Pairs with: give_up.
    return (word_.fetch_or(claimed, std::memory_order_acquire) & claimed) == 0;
  }
  /// Undoes `claim`, because constructing the value failed: another thread may set it.
  void give_up() noexcept {
    word_.fetch_and(~claimed, std::memory_order_release);  // release: what was written of it. Pairs with: claim
  }
  /// S2: the value is written. Returns the waiter to wake (S3), or null. Afterwards the one_shot may be destroyed.
  [[nodiscard]] one_shot_waiter* publish() noexcept {
    // release: the value. Pairs with: is_set, enroll. acquire: the waiter. Pairs with: enroll.
    std::uint64_t const before = word_.exchange(claimed | set, std::memory_order_acq_rel);
    return reinterpret_cast<one_shot_waiter*>(before & ~flags);
  }

  /// W1: true once the value is set; it is visible then.
  [[nodiscard]] bool is_set() const noexcept {
    return (word_.load(std::memory_order_acquire) & set) != 0;  // acquire: the value. Pairs with: publish
  }

  enum class enrolment : std::uint8_t {
    waits,     ///< `wake` will be called, perhaps before `enroll` has returned
    needless,  ///< the value is set: W1
    second,    ///< another waiter has enrolled
  };
  /// W2: registers `waiter`, which the setter wakes when the value is set.
  [[nodiscard]] enrolment enroll(one_shot_waiter& waiter) noexcept {
    std::uint64_t seen = word_.load(std::memory_order_acquire);  // acquire: as in is_set
    for (;;) {
      if ((seen & set) != 0) return enrolment::needless;
      if ((seen & ~flags) != 0) return enrolment::second;
      // release: the waiter. Pairs with: publish. acquire: as in is_set.
      if (word_.compare_exchange_weak(seen, seen | reinterpret_cast<std::uintptr_t>(&waiter), std::memory_order_release,
                                      std::memory_order_acquire)) {
        return enrolment::waits;
      }
    }
  }

  /// W3, after W1: the waiter takes the value. False: it was taken before. One thread at a time.
  [[nodiscard]] bool take() noexcept {
    std::uint64_t const seen = word_.load(std::memory_order_relaxed);  // relaxed, both: no other thread uses it now
    word_.store(seen | taken, std::memory_order_relaxed);
    return (seen & taken) == 0;
  }

  /// True if no waiter waits. For the destructor.
  [[nodiscard]] bool is_idle() const noexcept {
    std::uint64_t const seen = word_.load(std::memory_order_relaxed);  // relaxed: the destructor is ordered after all
    return (seen & set) != 0 || seen == 0;
  }

 private:
  // word_: the waiter's address, and flags in its low bits. Once `set` is there, the address is not.
  static constexpr std::uint64_t claimed = 1;  ///< a setter sets the value, or has set it
  static constexpr std::uint64_t set = 2;      ///< the value is set
  static constexpr std::uint64_t taken = 4;    ///< the waiter has it
  static constexpr std::uint64_t flags = 7;

  typename Sync::template atomic<std::uint64_t> word_{0};
};

}}}  // namespace skua::v0::runtime
