// SPDX-License-Identifier: MIT
// Which object belongs to which thread: the part of worker_local without its type.
//
// A hash table from thread numbers to objects. A thread looks for its own number only, and nothing is taken out while
// threads look, so look-ups take no lock. Invariants:
//  * found: a thread that has inserted an object finds it. Only the thread inserts its number; from then on it sees the
//    table with the number in it or a larger one, into which the number was copied before it was published.
//  * alive: a table that was replaced stays until the end, because threads may still look into it. Each is twice as
//    large as the one before, so together they are smaller than the last.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "skua/parts/base/announced_atomic.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// The base of an object that belongs to a thread.
struct local_node {
  local_node* next = nullptr;  ///< the object that was made after this one
};

class local_table {
 public:
  local_table() = default;
  local_table(local_table const&) = delete;
  local_table& operator=(local_table const&) = delete;

  /// The object of the calling thread, whose number is `thread`; null if it has none.
  [[nodiscard]] local_node* find(std::uint64_t thread) const noexcept {
    // acquire: the table's slots. Pairs with: grow, store.
    table const* const t = newest_.load(std::memory_order_acquire);
    return t == nullptr ? nullptr : t->find(thread);
  }

  /// Gives `made` to the calling thread, unless it has an object: then returns that one. Throws std::bad_alloc, and then
  /// nothing has changed.
  [[nodiscard]] local_node& insert(std::uint64_t thread, local_node& made);

  // For a thread that knows that no other uses the table.

  [[nodiscard]] local_node* first() const noexcept { return first_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// Forgets all objects. The caller destroys them.
  void clear() noexcept;

 private:
  struct slot {
    announced_atomic<std::uint64_t> thread{0};  ///< 0: free
    local_node* object = nullptr;               ///< written before `thread`
  };
  struct table {
    explicit table(unsigned bits);
    [[nodiscard]] std::size_t start(std::uint64_t thread) const noexcept {
      return (thread * 0x9e37'79b9'7f4a'7c15ULL) >> shift;  // Fibonacci hashing: numbers of any stride are spread
    }
    [[nodiscard]] local_node* find(std::uint64_t thread) const noexcept {
      for (std::size_t i = start(thread);; i = (i + 1) & (slots.size() - 1)) {
        // acquire: the object, for flows that TSan does not order. Pairs with: add.
        std::uint64_t const owner = slots[i].thread.load(std::memory_order_acquire);
        if (owner == thread) return slots[i].object;
        if (owner == 0) return nullptr;
      }
    }
    void add(std::uint64_t thread, local_node* object) noexcept;

    std::vector<slot> slots;  ///< at most half of them are in use
    unsigned const shift;
  };
  void grow();

  announced_atomic<table const*> newest_{nullptr};
  // Under the lock:
  std::mutex changing_;
  std::vector<std::unique_ptr<table>> tables_;
  local_node* first_ = nullptr;
  local_node* last_ = nullptr;
  std::size_t size_ = 0;
};

}}}  // namespace skua::v0::runtime
