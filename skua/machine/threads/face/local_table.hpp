// SPDX-License-Identifier: MIT
// The table of a worker_local: which object belongs to which thread. It does not depend on the type of the objects.
//
// A hash table from thread numbers to objects. A thread looks up only its own number, and no entry is removed while
// threads look up, so a look-up takes no lock. Invariants:
//  * found: a thread that has inserted an object finds it. Only the thread inserts its number; afterwards it sees that
//    table or a larger one, into which `grow` copied the number before it published the table.
//  * alive: a replaced table stays until the end, because threads may still read it. Each table is twice as large as
//    the one before, so all replaced tables together are smaller than the last one.
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

  /// Gives `made` to the calling thread; if the thread has an object already, returns that one instead. If it throws
  /// std::bad_alloc, it has changed nothing.
  [[nodiscard]] local_node& insert(std::uint64_t thread, local_node& made);

  // Only while no other thread uses the table.

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
