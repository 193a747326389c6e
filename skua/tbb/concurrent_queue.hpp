// SPDX-License-Identifier: MIT
// oneTBB's queues that never wait: first in, first out, or the greatest first. A lock around a list or a heap, for items that are worth a task.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <list>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace skua { inline namespace v0 { namespace tbb {

/// Any thread may call push, emplace, try_pop, empty and unsafe_size at once; the others only one, alone. Throws what T and the
/// allocator throw; then nothing has changed.
template <class T, class Allocator = std::allocator<T>>
class concurrent_queue {
  using items = std::list<T, Allocator>;

 public:
  using value_type = T;
  using reference = T&;
  using const_reference = T const&;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using allocator_type = Allocator;
  using iterator = typename items::iterator;
  using const_iterator = typename items::const_iterator;

  concurrent_queue() = default;
  explicit concurrent_queue(Allocator const& a) : items_(a) {}
  template <class It>
  concurrent_queue(It first, It last, Allocator const& a = Allocator()) : items_(first, last, a) {}
  concurrent_queue(std::initializer_list<T> all, Allocator const& a = Allocator()) : items_(all, a) {}
  concurrent_queue(concurrent_queue const& other) : items_(other.items_) {}
  concurrent_queue(concurrent_queue&& other) noexcept : items_(std::move(other.items_)) {}
  concurrent_queue& operator=(concurrent_queue const& other) {
    items_ = other.items_;
    return *this;
  }
  concurrent_queue& operator=(concurrent_queue&& other) noexcept {
    items_ = std::move(other.items_);
    return *this;
  }

  void push(T const& value) { emplace(value); }
  void push(T&& value) { emplace(std::move(value)); }
  template <class... Arguments>
  void emplace(Arguments&&... of) {
    items one(items_.get_allocator());
    one.emplace_back(std::forward<Arguments>(of)...);  // before the lock
    std::scoped_lock const alone(lock_);
    items_.splice(items_.end(), one);
  }
  /// False if it is empty. If the assignment throws, the item is lost.
  bool try_pop(T& result) {
    items one(items_.get_allocator());
    {
      std::scoped_lock const alone(lock_);
      if (items_.empty()) return false;
      one.splice(one.end(), items_, items_.begin());
    }
    result = std::move(one.front());
    return true;
  }
  [[nodiscard]] bool empty() const {
    std::scoped_lock const alone(lock_);
    return items_.empty();
  }
  [[nodiscard]] size_type unsafe_size() const {
    std::scoped_lock const alone(lock_);
    return items_.size();
  }

  void clear() noexcept { items_.clear(); }
  void swap(concurrent_queue& other) noexcept { items_.swap(other.items_); }
  [[nodiscard]] Allocator get_allocator() const { return items_.get_allocator(); }
  [[nodiscard]] iterator unsafe_begin() noexcept { return items_.begin(); }
  [[nodiscard]] iterator unsafe_end() noexcept { return items_.end(); }
  [[nodiscard]] const_iterator unsafe_begin() const noexcept { return items_.begin(); }
  [[nodiscard]] const_iterator unsafe_end() const noexcept { return items_.end(); }

 private:
  mutable std::mutex lock_;
  items items_;
};

/// try_pop gives the greatest item. Any thread may call push, emplace, try_pop, empty and size at once; the others only one, alone.
template <class T, class Compare = std::less<T>, class Allocator = std::allocator<T>>
class concurrent_priority_queue {
 public:
  using value_type = T;
  using reference = T&;
  using const_reference = T const&;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using allocator_type = Allocator;

  concurrent_priority_queue() = default;
  explicit concurrent_priority_queue(Compare const& less) : less_(less) {}
  explicit concurrent_priority_queue(size_type capacity, Compare const& less = Compare()) : less_(less) {
    heap_.reserve(capacity);
  }
  template <class It>
  concurrent_priority_queue(It first, It last, Compare const& less = Compare()) : less_(less) {
    assign(first, last);
  }
  concurrent_priority_queue(std::initializer_list<T> all, Compare const& less = Compare()) : less_(less) {
    assign(all.begin(), all.end());
  }
  concurrent_priority_queue(concurrent_priority_queue const& other) : heap_(other.heap_), less_(other.less_) {}
  concurrent_priority_queue& operator=(concurrent_priority_queue const& other) {
    heap_ = other.heap_;
    return *this;
  }

  void push(T const& value) { emplace(value); }
  void push(T&& value) { emplace(std::move(value)); }
  template <class... Arguments>
  void emplace(Arguments&&... of) {
    T one(std::forward<Arguments>(of)...);
    std::scoped_lock const alone(lock_);
    heap_.push_back(std::move(one));
    std::push_heap(heap_.begin(), heap_.end(), less_);
  }
  /// False if it is empty.
  bool try_pop(T& result) {
    std::scoped_lock const alone(lock_);
    if (heap_.empty()) return false;
    std::pop_heap(heap_.begin(), heap_.end(), less_);
    result = std::move(heap_.back());
    heap_.pop_back();
    return true;
  }
  [[nodiscard]] bool empty() const {
    std::scoped_lock const alone(lock_);
    return heap_.empty();
  }
  [[nodiscard]] size_type size() const {
    std::scoped_lock const alone(lock_);
    return heap_.size();
  }

  template <class It>
  void assign(It first, It last) {
    heap_.assign(first, last);
    std::make_heap(heap_.begin(), heap_.end(), less_);
  }
  void clear() { heap_.clear(); }
  void swap(concurrent_priority_queue& other) {
    heap_.swap(other.heap_);
    std::swap(less_, other.less_);
  }

 private:
  mutable std::mutex lock_;
  std::vector<T, Allocator> heap_;
  Compare less_;
};

}}}  // namespace skua::v0::tbb
