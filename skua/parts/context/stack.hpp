// SPDX-License-Identifier: MIT
// Stacks for flows that may wait, and the pools that lend them.
//
// A stack is one mapping: a guard that faults, then the usable bytes. Only touched pages cost memory, so the default is
// the size of a main thread's stack: whatever recursion runs serially also runs on a worker.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>

#include "skua/parts/context/current.hpp"
#include "skua/parts/context/sanitizer.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// 8 MiB of address space. Recursion nests on the stack of its task as deeply as in the serial program (1572 levels in
/// UTS T3), and serial programs count on the 8 MiB of their main thread.
inline constexpr std::size_t default_stack_bytes = std::size_t{8} << 20;
inline constexpr std::size_t smallest_stack_bytes = std::size_t{16} << 10;
inline constexpr std::size_t largest_stack_bytes = std::size_t{1} << 40;

/// A function whose frame is larger than this may step over the guard.
inline constexpr std::size_t guard_bytes = std::size_t{64} << 10;

/// One stack. Made, lent and destroyed by a stack_pool.
class stack {
 public:
  stack(stack const&) = delete;
  stack& operator=(stack const&) = delete;
  ~stack();

  [[nodiscard]] std::byte* low() const noexcept { return low_; }           ///< lowest usable byte
  [[nodiscard]] std::byte* top() const noexcept { return low_ + bytes_; }  ///< one past the highest; page-aligned
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

  /// True if more than half of this stack is unused. The caller runs on it.
  [[nodiscard]] bool has_room_for_calls() const noexcept {
    auto const* const used_from = static_cast<std::byte const*>(__builtin_frame_address(0));
    return used_from < top() && used_from - low_ > static_cast<std::ptrdiff_t>(bytes_ / 2);
  }

  /// A fault at an address in this range means that the stack is full.
  [[nodiscard]] address_range guard() const noexcept {
    auto const low = reinterpret_cast<std::uintptr_t>(low_);
    return {low - guard_bytes, low};
  }

  /// Makes TSan forget the accesses of the last flow on this stack, which it would compare with those of the next one;
  /// drops the contents, too. Does nothing without TSan. No flow may be running on the stack.
  void forget_accesses() noexcept;

  /// Gives its memory back to the kernel, except for the highest `keep` bytes. No flow may be running on the stack.
  void shed(std::size_t keep) noexcept;

 private:
  friend class stack_pool;
  friend class stack_list;

  /// nullptr and errno if the kernel refuses.
  static stack* map(std::size_t bytes);
  stack(std::byte* low, std::size_t bytes) noexcept;

  std::byte* const low_;
  std::size_t const bytes_;
  unsigned const valgrind_name_;
  lsan::roots roots_;
  stack* next_ = nullptr;
};

/// A last-in first-out list of unused stacks: the warmest is lent first.
class stack_list {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  void push(stack* s) noexcept;
  [[nodiscard]] stack* pop() noexcept;  ///< nullptr if empty

 private:
  stack* head_ = nullptr;
  std::size_t size_ = 0;
};

/// Lends stacks of one size. Thread-safe.
class stack_pool {
 public:
  struct census {
    std::size_t live = 0;  ///< lent, including those in a stack_cache
    std::size_t peak = 0;  ///< the most that were ever live
    std::size_t free = 0;  ///< mapped and waiting here
  };

  /// The most free stacks that the pool keeps mapped. Each keeps at most `warm_bytes` of memory.
  static constexpr std::size_t kept_free = 64;
  static constexpr std::size_t warm_bytes = std::size_t{16} << 10;

  /// `stack_bytes` is rounded up to whole pages. Throws usage_error outside [smallest, largest]. Maps nothing yet.
  explicit stack_pool(std::size_t stack_bytes = default_stack_bytes);
  /// Every stack must have been given back.
  ~stack_pool();
  stack_pool(stack_pool const&) = delete;
  stack_pool& operator=(stack_pool const&) = delete;

  /// A stack with unspecified contents. Throws resource_error, with the limit to raise, when the kernel refuses.
  /// A lock; 3 system calls if none is free.
  [[nodiscard]] stack* take();
  /// The same, but nullptr and errno when the kernel refuses.
  [[nodiscard]] stack* try_take() noexcept;
  /// Explains why there is no further stack: `why` is an errno, and the text names the limits. Reads files.
  [[nodiscard]] std::string refusal(int why) const;

  /// A lock and a system call. No flow may be running on `s`.
  void give(stack* s) noexcept;

  /// Unmaps all free stacks.
  void trim() noexcept;

  [[nodiscard]] std::size_t stack_bytes() const noexcept { return stack_bytes_; }
  [[nodiscard]] census count() const noexcept;

 private:
  std::size_t const stack_bytes_;
  mutable std::mutex mutex_;
  // Under mutex_:
  stack_list free_;
  std::size_t live_ = 0;
  std::size_t peak_ = 0;
};

/// One worker's few stacks, taken and given without a lock or a system call. Only its worker uses it.
class stack_cache {
 public:
  static constexpr std::size_t kept = 4;

  explicit stack_cache(stack_pool& pool) noexcept : pool_(pool) {}
  ~stack_cache() { flush(); }
  stack_cache(stack_cache const&) = delete;
  stack_cache& operator=(stack_cache const&) = delete;

  /// Throws as stack_pool::take.
  [[nodiscard]] stack* take();
  /// As stack_pool::try_take.
  [[nodiscard]] stack* try_take() noexcept;
  void give(stack* s) noexcept;

  /// Gives all stacks back to the pool. A worker does this before a long sleep, because cached stacks keep all memory
  /// that they touched.
  void flush() noexcept;

 private:
  stack_pool& pool_;
  stack_list mine_;
};

}}}  // namespace skua::v0::runtime
