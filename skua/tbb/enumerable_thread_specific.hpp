// SPDX-License-Identifier: MIT
// oneTBB's classes of data per thread. skua::worker_local is the native form.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "skua/machine/threads/face/worker_local.hpp"
#include "skua/program/blocked_range.hpp"
#include "skua/tbb/cache_aligned_allocator.hpp"

namespace skua { inline namespace v0 { namespace tbb {

/// The objects of an enumerable_thread_specific as a range for the loops, which divide it. It keeps the places of the objects that there
/// were when it was made; they must outlive it. Value: T or T const.
template <class Value>
class objects_range {
 public:
  using value_type = std::remove_const_t<Value>;
  using size_type = std::size_t;

  class iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = std::remove_const_t<Value>;
    using difference_type = std::ptrdiff_t;
    using reference = Value&;
    using pointer = Value*;

    iterator() = default;
    explicit iterator(Value* const* at) noexcept : at_(at) {}
    [[nodiscard]] reference operator*() const noexcept { return **at_; }
    [[nodiscard]] pointer operator->() const noexcept { return *at_; }
    iterator& operator++() noexcept {
      ++at_;
      return *this;
    }
    iterator operator++(int) noexcept { return iterator(at_++); }
    friend difference_type operator-(iterator a, iterator b) noexcept { return a.at_ - b.at_; }
    friend bool operator==(iterator const&, iterator const&) = default;

   private:
    Value* const* at_ = nullptr;
  };
  using const_iterator = iterator;

  template <class Objects>
  objects_range(Objects& of, size_type grainsize) : objects_(std::make_shared<std::vector<Value*>>()), pieces_(0, 0) {
    for (Value& one : of) objects_->push_back(&one);
    pieces_ = blocked_range<size_type>(0, objects_->size(), grainsize);
  }
  objects_range(objects_range& whole, split s) : objects_(whole.objects_), pieces_(whole.pieces_, s) {}

  [[nodiscard]] iterator begin() const noexcept { return iterator(objects_->data() + pieces_.begin()); }
  [[nodiscard]] iterator end() const noexcept { return iterator(objects_->data() + pieces_.end()); }
  [[nodiscard]] bool empty() const noexcept { return pieces_.empty(); }
  [[nodiscard]] size_type size() const noexcept { return pieces_.size(); }
  [[nodiscard]] size_type grainsize() const noexcept { return pieces_.grainsize(); }
  [[nodiscard]] bool is_divisible() const noexcept { return pieces_.is_divisible(); }

 private:
  std::shared_ptr<std::vector<Value*>> objects_;
  blocked_range<size_type> pieces_;
};

enum ets_key_usage_type : std::uint8_t { ets_key_per_instance, ets_no_key, ets_suspend_aware };

/// An object for each thread that asks: skua::worker_local with oneTBB's constructors. Other threads' objects are seen by iterating.
/// The memory is the process's own, on cache lines of each object: the other parameters are only names.
template <class T, class Allocator = cache_aligned_allocator<T>, ets_key_usage_type = ets_no_key>
class enumerable_thread_specific {
 public:
  using allocator_type = Allocator;
  using value_type = T;
  using reference = T&;
  using const_reference = T const&;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using iterator = typename worker_local<T>::iterator;
  using const_iterator = typename worker_local<T>::const_iterator;
  using range_type = objects_range<T>;
  using const_range_type = objects_range<T const>;

  /// Objects begin as T(), as what init() returns, or as copies of `example`.
  enumerable_thread_specific() = default;
  template <class Init>
    requires std::is_invocable_r_v<T, std::decay_t<Init>&>
  explicit enumerable_thread_specific(Init&& init) : each_(std::forward<Init>(init)) {}
  explicit enumerable_thread_specific(T const& example)
    requires std::copy_constructible<T>
      : each_([example] { return example; }) {}
  /// Objects begin as T(of...).
  template <class First, class... Rest>
    requires(!std::is_invocable_r_v<T, std::decay_t<First>&> && !std::convertible_to<First, T const&> &&
             !std::same_as<std::decay_t<First>, enumerable_thread_specific>)
  explicit enumerable_thread_specific(First&& first, Rest&&... rest)
      : each_([first = std::forward<First>(first), ... rest = std::forward<Rest>(rest)] { return T(first, rest...); }) {
  }

  [[nodiscard]] T& local() { return each_.local(); }
  [[nodiscard]] T& local(bool& exists) { return each_.local(exists); }
  [[nodiscard]] std::size_t size() const noexcept { return each_.size(); }
  [[nodiscard]] bool empty() const noexcept { return each_.empty(); }
  [[nodiscard]] iterator begin() noexcept { return each_.begin(); }
  [[nodiscard]] iterator end() noexcept { return each_.end(); }
  [[nodiscard]] const_iterator begin() const noexcept { return each_.begin(); }
  [[nodiscard]] const_iterator end() const noexcept { return each_.end(); }
  /// For parallel_for and its kin: the objects that there are now. Throws std::bad_alloc.
  [[nodiscard]] range_type range(size_type grainsize = 1) { return range_type(*this, grainsize); }
  [[nodiscard]] const_range_type range(size_type grainsize = 1) const { return const_range_type(*this, grainsize); }
  void clear() noexcept { each_.clear(); }
  template <class Join>
  [[nodiscard]] T combine(Join join) {
    return each_.combine(join);
  }
  template <class F>
  void combine_each(F f) {
    each_.for_each(f);
  }

 private:
  worker_local<T> each_;
};

/// The same without iterators.
template <class T>
class combinable : enumerable_thread_specific<T> {
  using each = enumerable_thread_specific<T>;

 public:
  combinable() = default;
  template <class Init>
    requires std::is_invocable_r_v<T, std::decay_t<Init>&>
  explicit combinable(Init&& init) : each(std::forward<Init>(init)) {}

  using each::clear;
  using each::combine;
  using each::combine_each;
  using each::local;
};

}}}  // namespace skua::v0::tbb
