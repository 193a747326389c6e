// SPDX-License-Identifier: MIT
// oneTBB's concurrent_vector: it grows while other threads read it, and elements never move. They lie in segments, each as large as all before
// it together.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <compare>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "skua/program/blocked_range.hpp"

namespace skua { inline namespace v0 { namespace tbb {

/// Any thread may call push_back, emplace_back, grow_by, grow_to_at_least, reserve, size, and read elements that it knows are there: a call
/// that adds elements returns when its own are made, and size() also counts those that others are making. The other functions are for one
/// thread, alone. If a constructor throws, the elements from there to the end of that call stay without an object, and must not be used.
template <class T, class Allocator = std::allocator<T>>
class concurrent_vector {
  using memory = std::allocator_traits<Allocator>;
  static constexpr std::size_t first_segment = 8;
  static constexpr std::size_t segments = std::numeric_limits<std::size_t>::digits - 3;

  template <class Value>
  class basic_iterator {
    using vector = std::conditional_t<std::is_const_v<Value>, concurrent_vector const, concurrent_vector>;

   public:
    using iterator_category = std::random_access_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using reference = Value&;
    using pointer = Value*;

    basic_iterator() = default;
    basic_iterator(vector* of, std::size_t at) noexcept : of_(of), at_(at) {}
    operator basic_iterator<T const>() const noexcept
      requires(!std::is_const_v<Value>)
    {
      return {of_, at_};
    }

    [[nodiscard]] reference operator*() const noexcept { return (*of_)[at_]; }
    [[nodiscard]] pointer operator->() const noexcept { return &(*of_)[at_]; }
    [[nodiscard]] reference operator[](difference_type by) const noexcept { return *(*this + by); }
    basic_iterator& operator+=(difference_type by) noexcept {
      at_ += static_cast<std::size_t>(by);
      return *this;
    }
    basic_iterator& operator-=(difference_type by) noexcept { return *this += -by; }
    basic_iterator& operator++() noexcept { return *this += 1; }
    basic_iterator& operator--() noexcept { return *this += -1; }
    basic_iterator operator++(int) noexcept { return std::exchange(*this, *this + 1); }
    basic_iterator operator--(int) noexcept { return std::exchange(*this, *this - 1); }
    friend basic_iterator operator+(basic_iterator i, difference_type by) noexcept { return i += by; }
    friend basic_iterator operator+(difference_type by, basic_iterator i) noexcept { return i += by; }
    friend basic_iterator operator-(basic_iterator i, difference_type by) noexcept { return i -= by; }
    friend difference_type operator-(basic_iterator a, basic_iterator b) noexcept {
      return static_cast<difference_type>(a.at_ - b.at_);
    }
    friend bool operator==(basic_iterator a, basic_iterator b) noexcept { return a.at_ == b.at_; }
    friend auto operator<=>(basic_iterator a, basic_iterator b) noexcept { return a.at_ <=> b.at_; }

   private:
    vector* of_ = nullptr;
    std::size_t at_ = 0;
  };

 public:
  using value_type = T;
  using reference = T&;
  using const_reference = T const&;
  using pointer = T*;
  using const_pointer = T const*;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using allocator_type = Allocator;
  using iterator = basic_iterator<T>;
  using const_iterator = basic_iterator<T const>;
  using reverse_iterator = std::reverse_iterator<iterator>;
  using const_reverse_iterator = std::reverse_iterator<const_iterator>;
  using range_type = blocked_range<iterator>;
  using const_range_type = blocked_range<const_iterator>;

  concurrent_vector() = default;
  explicit concurrent_vector(Allocator const& a) : allocator_(a) {}
  explicit concurrent_vector(size_type n, Allocator const& a = Allocator()) : allocator_(a) {
    filled([&] { grow_by(n); });
  }
  concurrent_vector(size_type n, T const& value, Allocator const& a = Allocator()) : allocator_(a) {
    filled([&] { grow_by(n, value); });
  }
  template <std::input_iterator It>
  concurrent_vector(It first, It last, Allocator const& a = Allocator()) : allocator_(a) {
    filled([&] { grow_by(first, last); });
  }
  concurrent_vector(std::initializer_list<T> all, Allocator const& a = Allocator())
      : concurrent_vector(all.begin(), all.end(), a) {}
  concurrent_vector(concurrent_vector const& other)
      : concurrent_vector(other.begin(), other.end(), memory::select_on_container_copy_construction(other.allocator_)) {
  }
  concurrent_vector(concurrent_vector&& other) noexcept : allocator_(other.allocator_) { swap(other); }
  concurrent_vector& operator=(concurrent_vector other) noexcept {
    swap(other);
    return *this;
  }
  concurrent_vector& operator=(std::initializer_list<T> all) {
    assign(all);
    return *this;
  }
  ~concurrent_vector() {
    clear();
    for (std::size_t s = 0; s < segments; ++s) drop(s);
  }

  iterator push_back(T const& value) { return emplace_back(value); }
  iterator push_back(T&& value) { return emplace_back(std::move(value)); }
  template <class... Arguments>
  iterator emplace_back(Arguments&&... of) {
    return grow(1, [&](T* at) { memory::construct(allocator_, at, std::forward<Arguments>(of)...); });
  }
  /// Adds n elements and returns the first.
  iterator grow_by(size_type n) {
    return grow(n, [&](T* at) { memory::construct(allocator_, at); });
  }
  iterator grow_by(size_type n, T const& value) {
    return grow(n, [&](T* at) { memory::construct(allocator_, at, value); });
  }
  template <std::input_iterator It>
  iterator grow_by(It first, It last) {
    if constexpr (std::forward_iterator<It>) {
      return grow(static_cast<size_type>(std::distance(first, last)),
                  [&](T* at) { memory::construct(allocator_, at, *first++); });
    } else {
      std::vector<T> const all(first, last);
      return grow_by(all.begin(), all.end());
    }
  }
  iterator grow_by(std::initializer_list<T> all) { return grow_by(all.begin(), all.end()); }
  /// Adds elements until there are n. Returns the first that it has added, or the end.
  iterator grow_to_at_least(size_type n) {
    return grow_to(n, [&](T* at) { memory::construct(allocator_, at); });
  }
  iterator grow_to_at_least(size_type n, T const& value) {
    return grow_to(n, [&](T* at) { memory::construct(allocator_, at, value); });
  }

  [[nodiscard]] T& operator[](size_type i) noexcept { return *place(i); }
  [[nodiscard]] T const& operator[](size_type i) const noexcept { return *place(i); }
  [[nodiscard]] T& at(size_type i) { return *place(checked(i)); }
  [[nodiscard]] T const& at(size_type i) const { return *place(checked(i)); }
  [[nodiscard]] T& front() noexcept { return (*this)[0]; }
  [[nodiscard]] T const& front() const noexcept { return (*this)[0]; }
  [[nodiscard]] T& back() noexcept { return (*this)[size() - 1]; }
  [[nodiscard]] T const& back() const noexcept { return (*this)[size() - 1]; }
  [[nodiscard]] iterator begin() noexcept { return {this, 0}; }
  [[nodiscard]] iterator end() noexcept { return {this, size()}; }
  [[nodiscard]] const_iterator begin() const noexcept { return {this, 0}; }
  [[nodiscard]] const_iterator end() const noexcept { return {this, size()}; }
  [[nodiscard]] const_iterator cbegin() const noexcept { return begin(); }
  [[nodiscard]] const_iterator cend() const noexcept { return end(); }
  [[nodiscard]] reverse_iterator rbegin() noexcept { return reverse_iterator(end()); }
  [[nodiscard]] reverse_iterator rend() noexcept { return reverse_iterator(begin()); }
  [[nodiscard]] const_reverse_iterator rbegin() const noexcept { return const_reverse_iterator(end()); }
  [[nodiscard]] const_reverse_iterator rend() const noexcept { return const_reverse_iterator(begin()); }
  [[nodiscard]] range_type range(size_type grainsize = 1) { return {begin(), end(), grainsize}; }
  [[nodiscard]] const_range_type range(size_type grainsize = 1) const { return {begin(), end(), grainsize}; }

  [[nodiscard]] size_type size() const noexcept {
    return size_.load(std::memory_order_relaxed);  // relaxed: says nothing of the elements
  }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  [[nodiscard]] size_type max_size() const noexcept { return memory::max_size(allocator_); }
  /// How many elements have memory.
  [[nodiscard]] size_type capacity() const noexcept {
    size_type found = 0;
    while (found < max_size() && segment(segment_of(found)) != nullptr) found = end_of(segment_of(found));
    return found;
  }
  [[nodiscard]] Allocator get_allocator() const { return allocator_; }
  void reserve(size_type n) {
    if (n > max_size()) throw std::length_error("concurrent_vector::reserve: more than max_size()");
    if (n != 0) need_segments(0, n);
  }
  void shrink_to_fit() {
    for (std::size_t s = empty() ? 0 : segment_of(size() - 1) + 1; s < segments; ++s) drop(s);
  }
  void resize(size_type n) {
    cut(n);
    grow_to_at_least(n);
  }
  void resize(size_type n, T const& value) {
    cut(n);
    grow_to_at_least(n, value);
  }
  void clear() noexcept { cut(0); }
  void assign(size_type n, T const& value) { *this = concurrent_vector(n, value, allocator_); }
  template <std::input_iterator It>
  void assign(It first, It last) {
    *this = concurrent_vector(first, last, allocator_);
  }
  void assign(std::initializer_list<T> all) { assign(all.begin(), all.end()); }
  void swap(concurrent_vector& other) noexcept {
    for (std::size_t s = 0; s < segments; ++s) exchange(segments_[s], other.segments_[s]);
    exchange(size_, other.size_);
    without_object_.swap(other.without_object_);
    std::swap(allocator_, other.allocator_);
  }
  friend void swap(concurrent_vector& a, concurrent_vector& b) noexcept { a.swap(b); }
  friend bool operator==(concurrent_vector const& a, concurrent_vector const& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }
  friend bool operator<(concurrent_vector const& a, concurrent_vector const& b) {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
  }
  friend bool operator>(concurrent_vector const& a, concurrent_vector const& b) { return b < a; }
  friend bool operator<=(concurrent_vector const& a, concurrent_vector const& b) { return !(b < a); }
  friend bool operator>=(concurrent_vector const& a, concurrent_vector const& b) { return !(a < b); }

 private:
  struct indices {
    size_type begin;
    size_type end;
  };
  // Segment 0 has [0, 8), segment s > 0 has [8 << (s - 1), 8 << s).
  static std::size_t segment_of(size_type i) noexcept {
    return static_cast<std::size_t>(std::bit_width(i / first_segment));
  }
  static size_type begin_of(std::size_t s) noexcept { return s == 0 ? 0 : first_segment << (s - 1); }
  static size_type end_of(std::size_t s) noexcept { return first_segment << s; }

  [[nodiscard]] T* segment(std::size_t s) const noexcept {
    return segments_[s].load(
        std::memory_order_acquire);  // acquire: that the memory is there. Pairs with: need_segments, store
  }
  [[nodiscard]] T* place(size_type i) const noexcept {
    std::size_t const s = segment_of(i);
    return segment(s) + (i - begin_of(s));
  }
  [[nodiscard]] size_type checked(size_type i) const {
    if (i >= size()) throw std::out_of_range("concurrent_vector::at: no such element");
    return i;
  }
  void need_segments(size_type begin, size_type end) {
    for (std::size_t s = segment_of(begin); s <= segment_of(end - 1); ++s) {
      if (segment(s) != nullptr) continue;
      std::scoped_lock const alone(growing_);
      if (segment(s) != nullptr) continue;
      T* const made = memory::allocate(allocator_, end_of(s) - begin_of(s));
      segments_[s].store(made, std::memory_order_release);  // release: the allocator's work. Pairs with: segment
    }
  }
  template <class Construct>
  iterator grow(size_type n, Construct const& construct) {
    // relaxed: it only shares out indices.
    return fill(size_.fetch_add(n, std::memory_order_relaxed), n, construct);
  }
  template <class Construct>
  iterator grow_to(size_type n, Construct const& construct) {
    size_type had = size();
    while (had < n)
      // relaxed: as in grow
      if (size_.compare_exchange_weak(had, n, std::memory_order_relaxed)) return fill(had, n - had, construct);
    return {this, had};
  }
  template <class Construct>
  iterator fill(size_type begin, size_type n, Construct const& construct) {
    size_type made = begin;
    try {
      if (n != 0) need_segments(begin, begin + n);
      for (; made != begin + n; ++made) construct(place(made));
    } catch (...) {
      std::scoped_lock const alone(growing_);
      without_object_.push_back({made, begin + n});
      throw;
    }
    return {this, begin};
  }
  /// For constructors, whose destructor is not called if this throws.
  template <class F>
  void filled(F const& f) {
    try {
      f();
    } catch (...) {
      clear();
      for (std::size_t s = 0; s < segments; ++s) drop(s);
      throw;
    }
  }
  /// Destroys all elements from the n-th on.
  void cut(size_type n) noexcept {
    for (size_type i = size(); i > n; --i) {
      auto const has_none = [at = i - 1](indices none) { return none.begin <= at && at < none.end; };
      if (std::none_of(without_object_.begin(), without_object_.end(), has_none))
        memory::destroy(allocator_, place(i - 1));
    }
    for (indices& none : without_object_) none.end = std::min(none.end, n);
    if (n < size()) size_.store(n, std::memory_order_relaxed);  // relaxed: this thread is alone
  }
  void drop(std::size_t s) noexcept {
    if (segment(s) == nullptr) return;
    memory::deallocate(allocator_, segment(s), end_of(s) - begin_of(s));
    segments_[s].store(nullptr, std::memory_order_relaxed);  // relaxed: this thread is alone
  }
  template <class Value>
  static void exchange(std::atomic<Value>& a, std::atomic<Value>& b) noexcept {
    // relaxed: this thread is alone
    Value const had = a.load(std::memory_order_relaxed);
    a.store(b.load(std::memory_order_relaxed), std::memory_order_relaxed);
    b.store(had, std::memory_order_relaxed);
  }

  std::atomic<size_type> size_{0};
  std::array<std::atomic<T*>, segments> segments_{};
  std::mutex growing_;
  std::vector<indices> without_object_;  ///< under growing_: constructors have thrown
  [[no_unique_address]] Allocator allocator_{};
};

}}}  // namespace skua::v0::tbb
